/* What a check is told as: tables for people, documents for programs, and what the services understand that run checks.
 * All of it follows from the check alone, in the order of its baseline.
 */
#ifndef ORR_STUDY_CHECK_OUT_H
#define ORR_STUDY_CHECK_OUT_H

#include "report/report.h"
#include "study/check.h"

/* Text: what isn't the same, failures first, the jobs that moved, and the counts. CSV: a row a number. Markdown: the
 * same as text, for the summary of a job. `all` also shows what is the same. */
void orr_check_table(const orr_check *c, orr_table_form form, bool strict, bool all, orr_text *out);
/* One document, schema "orrery.check/1". */
orr_err orr_check_json(const orr_check *c, bool strict, orr_text *out, orr_error *e);
/* JUnit: a suite a case, a test a number. What can't be compared is skipped; that alone fails no test, which is why a
 * check also has an exit status. */
void orr_check_junit(const orr_check *c, bool strict, orr_text *out);
/* OpenMetrics: gauges with a label `case`, and `seed` where there are several. */
void orr_check_openmetrics(const orr_check *c, orr_text *out);
/* Workflow commands of GitHub: ten errors at most, since it shows no more; the last of ten says how many are left. */
void orr_check_github(const orr_check *c, bool strict, orr_text *out);
/* Lines key=value for the file that $GITHUB_OUTPUT names. */
void orr_check_github_output(const orr_check *c, bool strict, orr_text *out);
/* `%`, CR and LF, in a property also `:` and `,` in the form that workflow commands want. */
void orr_github_escape(const char *text, bool property, orr_text *out);

/* ---- words that they share ---- */

/* "pass", "fail" or "not comparable". */
const char *orr_check_outcome(const orr_check *c, bool strict);
/* Whether the number makes the check fail. */
bool orr_check_fails(const orr_check_number *x, bool strict);
/* "8123.4": 7 digits, or as many as tell it from `other`. Empty where undefined. */
void orr_check_value(double v, double other, const char *unit, orr_text *out);
/* "+417.6 (+5.1 %)". */
void orr_check_difference(const orr_judgement *j, orr_text *out);
/* "jct.mean 8123.4 → 8541 s (+417.6, +5.1 %, tolerance 1 %)", with several seeds also their interval and signs. */
void orr_check_sentence(const orr_check_case *k, const orr_check_number *x, orr_text *out);
/* "2 regressed, 0 changed, 1 improved, 285 same; 1 of 30 cases can't be compared". */
void orr_check_counts(const orr_check *c, orr_text *out);
/* The jobs of a case that moved, a paragraph and a table a seed; nothing where that wasn't asked. */
void orr_check_moved(const orr_check_case *k, orr_table_form form, orr_text *out);
/* What one may do next; "" where nothing is to be done. */
const char *orr_check_advice(const orr_check *c, bool strict);

#endif
