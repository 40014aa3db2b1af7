/* What every page and drawing must be. */
#ifndef MARKUP_H
#define MARKUP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Tags that are open were closed in order: enough of XML for what we write. */
void assert_well_formed(const char *text);
/* Well-formed; nothing is loaded and no script is there but the page's own; no number is missing where one must be. */
void assert_stands_alone(const char *html);
void assert_holds(const char *text, const char *part);
void assert_lacks(const char *text, const char *part);
/* How often `part` is there. */
size_t count_of(const char *text, const char *part);
/* The figure of this id, up to its end; to be freed. Fails if there is none. */
char *figure_of(const char *html, const char *id);

#endif
