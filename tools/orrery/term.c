#define _POSIX_C_SOURCE 200809L
#include "term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

static bool color_wanted(bool terminal, int color)
{
    if (color != COLOR_AUTO)
        return color == COLOR_ALWAYS;
    if (is_set("NO_COLOR"))
        return false;
    if (is_set("CLICOLOR_FORCE") && strcmp(getenv("CLICOLOR_FORCE"), "0") != 0)
        return true;
    const char *kind = getenv("TERM");
    return terminal && !(kind && strcmp(kind, "dumb") == 0);
}

static int width_of(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
        return size.ws_col;
    return 80;
}

/* The locale is only looked at, never set. */
static bool says_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8");
    }
    return false;
}

term term_of(FILE *stream, int color)
{
    const int fd = fileno(stream);
    const bool terminal = isatty(fd);
    return (term){.terminal = terminal, .color = color_wanted(terminal, color),
                  .utf8 = terminal && says_utf8(), .width = terminal ? width_of(fd) : 80};
}
