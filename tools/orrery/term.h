/* What is at the other end of a stream: a terminal or not, its width, and whether colour is wanted there. */
#ifndef ORRERY_TOOL_TERM_H
#define ORRERY_TOOL_TERM_H

#include <orrery/api.h>
#include <stdio.h>

enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

typedef struct term {
    bool terminal, color;
    bool utf8; /* a terminal whose locale says that it shows UTF-8 */
    int width; /* columns; 80 when not known */
} term;

/* `color` is the choice on the command line, which beats NO_COLOR, which beats CLICOLOR_FORCE. */
term term_of(FILE *stream, int color);

#endif
