/* What `run --print-config` prints: an experiment file that runs the same, each setting with where it comes from. */
#ifndef ORRERY_TOOL_PRINT_CONFIG_H
#define ORRERY_TOOL_PRINT_CONFIG_H

#include "conditions.h"
#include "study/experiment.h"

/* `x` and `manifest` are what the case was made from besides the command line; NULL: nothing. */
void print_config(const settings *s, const orr_case *c, const texts *policies, const texts *serves,
                  const orr_experiment *x, const char *manifest, orr_text *out);

#endif
