#define _POSIX_C_SOURCE 200809L
#include "study/tolerance.h"

#include <fnmatch.h>
#include <math.h>
#include <orrery/time.h>

/* ---- amounts ---- */

/* "30", "1e-3", "30s", "1h30m"; what has a unit counts in seconds. */
static bool parse_amount(const char *text, size_t n, double *out)
{
    char buf[64];
    orr_time t;
    if (n == 0 || n >= sizeof buf)
        return false;
    memcpy(buf, text, n);
    buf[n] = '\0';
    if (orr_parse_double(buf, n, out))
        return *out >= 0;
    if (orr_time_parse_duration(buf, &t) || t < 0)
        return false;
    *out = orr_time_seconds(t);
    return true;
}

/* "0.5%" or "0.005". */
static bool parse_share(const char *text, size_t n, double *out)
{
    const bool percent = n > 1 && text[n - 1] == '%';
    if (!orr_parse_double(text, percent ? n - 1 : n, out) || *out < 0)
        return false;
    if (percent)
        *out /= 100;
    return true;
}

static orr_err bad(const orr_yaml_doc *doc, const orr_yaml *at, orr_error *e)
{
    orr_yaml_fail(doc, at, ORR_E_NUMBER, e, "this is no tolerance");
    orr_error_hint(e, "exact, abs 30s, rel 0.5%%, or both: abs 30s, rel 0.5%%");
    return ORR_E_NUMBER;
}

/* ---- one tolerance ---- */

static bool set_part(orr_tolerance *t, const char *word, size_t word_n, const char *value, size_t n)
{
    if (word_n != 3)
        return false;
    if (memcmp(word, "abs", 3) == 0)
        return parse_amount(value, n, &t->abs);
    return memcmp(word, "rel", 3) == 0 && parse_share(value, n, &t->rel);
}

/* "abs 30s, rel 0.5%": words in pairs, the comma as one likes. */
static bool parse_text(const char *text, orr_tolerance *t)
{
    static const char gap[] = " ,";
    if (strcmp(text, "exact") == 0)
        return true;
    const char *word = text + strspn(text, gap);
    bool any = false;
    while (*word) {
        const size_t word_n = strcspn(word, gap);
        const char *value = word + word_n + strspn(word + word_n, " ");
        const size_t n = strcspn(value, gap);
        if (!set_part(t, word, word_n, value, n))
            return false;
        word = value + n + strspn(value + n, gap);
        any = true;
    }
    return any;
}

static orr_err read_map(const orr_yaml_doc *doc, const orr_yaml *map, orr_tolerance *t, orr_error *e)
{
    for (const orr_yaml *part = map->first; part; part = part->next) {
        if (strcmp(part->key, "abs") != 0 && strcmp(part->key, "rel") != 0)
            return orr_yaml_fail_key(doc, part, ORR_E_UNKNOWN_KEY, e, "a tolerance has abs and rel");
        if (part->kind != ORR_YAML_SCALAR || !set_part(t, part->key, 3, part->text, strlen(part->text)))
            return bad(doc, part, e);
    }
    return map->first ? ORR_OK : bad(doc, map, e);
}

orr_err orr_tolerance_read(const orr_yaml_doc *doc, const orr_yaml *value, orr_tolerance *out, orr_error *e)
{
    orr_tolerance t = {.said = true};
    orr_err err = ORR_OK;
    if (value->kind == ORR_YAML_MAP)
        err = read_map(doc, value, &t, e);
    else if (value->kind != ORR_YAML_SCALAR || !parse_text(value->text, &t))
        err = bad(doc, value, e);
    if (!err)
        *out = t;
    return err;
}

double orr_tolerance_band(const orr_tolerance *t, double want)
{
    return fmax(t->abs, t->rel * fabs(want));
}

void orr_tolerance_text(const orr_tolerance *t, orr_text *out)
{
    char buf[ORR_DOUBLE_BUF];
    if (t->abs <= 0 && t->rel <= 0)
        orr_text_addf(out, "exact");
    if (t->abs > 0) {
        orr_format_double(t->abs, buf);
        orr_text_addf(out, "abs %s%s", buf, t->rel > 0 ? ", " : "");
    }
    if (t->rel >= 1e-6)
        orr_text_addf(out, "rel %.4g%%", t->rel * 100);
    else if (t->rel > 0)
        orr_text_addf(out, "rel %.4g", t->rel);
}

/* ---- a level ---- */

orr_err orr_tolerances_read(const orr_yaml_doc *doc, const orr_yaml *map, orr_tolerances *out, orr_error *e)
{
    if (map->kind != ORR_YAML_MAP)
        return orr_yaml_fail(doc, map, ORR_E_SYNTAX, e, "tolerances are a map from keys of metrics to tolerances");
    for (const orr_yaml *v = map->first; v; v = v->next) {
        orr_tolerance_rule rule = {.pattern = v->key, .at = v};
        const orr_err err = orr_tolerance_read(doc, v, &rule.tolerance, e);
        if (err)
            return err;
        ORR_VEC_PUSH(out, rule);
    }
    return ORR_OK;
}

bool orr_tolerance_matches(const char *pattern, const char *key)
{
    return strcmp(pattern, key) == 0 || fnmatch(pattern, key, FNM_NOESCAPE) == 0;
}

static size_t letters(const char *pattern)
{
    size_t n = 0;
    for (; *pattern; pattern++)
        n += *pattern != '*';
    return n;
}

/* A key outweighs every pattern; of patterns that say equally much the later one counts. */
const orr_tolerance *orr_tolerances_find(const orr_tolerances *level, const char *key)
{
    const orr_tolerance_rule *best = NULL;
    for (size_t i = 0; i < level->n; i++) {
        const orr_tolerance_rule *rule = &level->at[i];
        if (strcmp(rule->pattern, key) == 0)
            return &rule->tolerance;
        if (orr_tolerance_matches(rule->pattern, key) && (!best || letters(rule->pattern) >= letters(best->pattern)))
            best = rule;
    }
    return best ? &best->tolerance : NULL;
}
