/* The part of a comparison that asks whether there may be one. */
#ifndef ORR_REPORT_COMPARISON_FACTS_H
#define ORR_REPORT_COMPARISON_FACTS_H

#include "report/comparison.h"

/* Notes everything in which summaries and manifests differ besides the policy. */
void orr_comparison_look(orr_comparison *comparison);
/* Notes one disparity more; takes the values and their texts. */
void orr_comparison_note(orr_comparison *comparison, const char *what, char **values);
/* Whether no disparity of this name was noted. */
bool orr_comparison_same(const orr_comparison *comparison, const char *what);
/* The error that lists them. */
orr_err orr_comparison_refuse(const orr_comparison *comparison, orr_error *e);
void orr_disparity_fini(orr_disparity *disparity, size_t results);

#endif
