#include "report/openmetrics.h"

#include <string.h>

static const char *base_unit(const char *unit)
{
    static const struct {
        const char *unit, *base;
    } units[] = {{"s", "seconds"}, {"ratio", "ratio"}, {"gpu*s", "gpu_seconds"}, {"J", "joules"}, {"bytes", "bytes"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].unit, unit) == 0)
            return units[i].base;
    return NULL;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* One underscore for any run of other characters, none at the end. */
static void add_name(const char *key, orr_text *out)
{
    bool gap = true;
    orr_text_addf(out, "orrery");
    for (const char *c = key; *c; c++) {
        if (is_name(*c)) {
            orr_text_add(out, "_", gap);
            orr_text_add(out, c, 1);
        }
        gap = !is_name(*c);
    }
}

void orr_openmetrics_name(const char *key, const char *unit, orr_text *out)
{
    const char *base = base_unit(unit);
    add_name(key, out);
    if (base)
        orr_text_addf(out, "_%s", base);
}

static void add_escaped(const char *text, orr_text *out)
{
    for (const char *c = text; *c; c++)
        if (*c == '\n')
            orr_text_add(out, "\\n", 2);
        else {
            orr_text_add(out, "\\", *c == '\\' || *c == '"');
            orr_text_add(out, c, 1);
        }
}

static void add_line(const char *word, const char *name, const char *rest, orr_text *out)
{
    orr_text_addf(out, "# %s %s ", word, name);
    add_escaped(rest, out);
    orr_text_add(out, "\n", 1);
}

void orr_openmetrics_family(const char *key, const char *unit, const char *type, const char *help, orr_text *out)
{
    const char *base = base_unit(unit);
    orr_text name = {0};
    orr_openmetrics_name(key, unit, &name);
    add_line("TYPE", name.at, type, out);
    if (base)
        add_line("UNIT", name.at, base, out);
    add_line("HELP", name.at, help, out);
    orr_text_fini(&name);
}

void orr_openmetrics_label(const char *name, const char *value, orr_text *out)
{
    orr_text_addf(out, "%s=\"", name);
    add_escaped(value, out);
    orr_text_add(out, "\"", 1);
}
