/* The part of a trace that --from, --to, --where and their like ask for. */
#ifndef ORRERY_TOOL_SELECTION_H
#define ORRERY_TOOL_SELECTION_H

#include "cmd.h"

/* Replaces *trace by the part that was asked for, if any was; ORR_OK or the error, with *trace left as it was. */
orr_err selection_apply(const settings *s, orr_trace **trace, orr_error *e);

#endif
