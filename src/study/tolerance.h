/* How far a number may lie from what was expected of it. A tolerance is `exact`, an absolute amount, a share of the
 * expected value, or both amounts, of which either suffices:
 *
 *     exact     abs 0.01     abs 30s     rel 0.5%     abs 30s, rel 0.5%     {abs: 30s, rel: 0.5%}
 *
 * Tolerances are given to keys of metrics or to patterns of them with `*`, at several levels; the nearest level that
 * says anything about a key decides alone, and within a level the pattern with the most letters of its own.
 */
#ifndef ORR_STUDY_TOLERANCE_H
#define ORR_STUDY_TOLERANCE_H

#include "base/mem.h"
#include "base/text.h"
#include "config/yaml.h"

typedef struct orr_tolerance {
    bool said;       /* false: zeroed memory, nothing is said */
    double abs, rel; /* >= 0; both 0: exact */
} orr_tolerance;

/* What holds where no level says anything: exact for whole numbers that count something, else 1e-9 of the value, which
 * is more than compilers differ by and less than any change of a schedule. */
#define ORR_TOLERANCE_USUAL 1e-9

/* A scalar or a map as above. ORR_E_SYNTAX, ORR_E_NUMBER, ORR_E_UNKNOWN_KEY at its place. */
orr_err orr_tolerance_read(const orr_yaml_doc *doc, const orr_yaml *value, orr_tolerance *out, orr_error *e);
/* The half width of the band around `want`. */
double orr_tolerance_band(const orr_tolerance *t, double want);
/* "exact", "abs 30", "rel 0.5%", "abs 30, rel 0.5%". */
void orr_tolerance_text(const orr_tolerance *t, orr_text *out);

typedef struct orr_tolerance_rule {
    const char *pattern; /* borrowed from the document */
    const orr_yaml *at;
    orr_tolerance tolerance;
} orr_tolerance_rule;

/* One level: the map behind `tolerances:`. Zeroed memory says nothing. */
typedef ORR_VEC(orr_tolerance_rule) orr_tolerances;
orr_err orr_tolerances_read(const orr_yaml_doc *doc, const orr_yaml *map, orr_tolerances *out, orr_error *e);
/* What this level says of a key; NULL: nothing. O(rules). */
const orr_tolerance *orr_tolerances_find(const orr_tolerances *level, const char *key);
bool orr_tolerance_matches(const char *pattern, const char *key);

#endif
