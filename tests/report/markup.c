#include "markup.h"

#include "base/mem.h"
#include <stdio.h>

void assert_well_formed(const char *text)
{
    char open[64][16];
    size_t depth = 0;
    if (strncmp(text, "<!DOCTYPE html>\n", 16) == 0)
        text += 16;
    for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
        const char *end = strchr(at, '>');
        char name[16];
        assert_non_null(end);
        const bool closes = at[1] == '/';
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + closes, " />"), at + 1 + closes);
        if (closes && (depth == 0 || strcmp(open[--depth], name) != 0))
            fail_msg("</%s> closes %s at: %.60s", name, depth ? open[depth] : "nothing", at);
        if (!closes && end[-1] != '/') {
            assert_true(depth < 64);
            memcpy(open[depth++], name, sizeof name);
        }
        at = end;
    }
    assert_int_equal(depth, 0);
}

void assert_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("it lacks %s", part);
}

void assert_lacks(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    if (at)
        fail_msg("it has %s: %.80s", part, at);
}

size_t count_of(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

void assert_stands_alone(const char *html)
{
    static const char *const never[] = {"http:", "https:", "src=", "href=", "url(", "@import", "nan", "inf\"", "-0 "};
    assert_well_formed(html);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_lacks(html, never[i]);
    assert_int_equal(count_of(html, "<script"), 1);
    assert_holds(html, "default-src 'none'");
    assert_holds(html, "prefers-color-scheme:dark");
}

char *figure_of(const char *html, const char *id)
{
    char key[64];
    snprintf(key, sizeof key, "id=\"%s\">", id);
    const char *at = strstr(html, key);
    if (!at)
        fail_msg("there is no figure %s", id);
    const char *end = strstr(at, "</figure>");
    assert_non_null(end);
    return orr_xstrndup(at, (size_t)(end - at));
}
