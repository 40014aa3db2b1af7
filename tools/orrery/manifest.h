#ifndef ORRERY_TOOL_MANIFEST_H
#define ORRERY_TOOL_MANIFEST_H

#include "run.h"

/* The manifest of a run: the command line, every option as resolved, and unless --no-wall when and where it ran. */
orr_err manifest_text(const run *r, const app *a, orr_text *out, orr_error *e);

#endif
