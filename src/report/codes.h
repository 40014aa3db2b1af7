/* What stable codes mean, in words for whoever met one: errors, the reasons under which readers
 * count rows, and those for which jobs are rejected. */
#ifndef ORR_REPORT_CODES_H
#define ORR_REPORT_CODES_H

#include "base/text.h"
#include <orrery/error.h>

typedef struct orr_code_about {
    const char *code;     /* "trace-missing-column" */
    const char *what;     /* "error, exit status 65", "rows dropped", … */
    const char *sentence; /* what it says where it is met */
    const char *more;     /* how it comes about and what to do: some sentences; never NULL */
} orr_code_about;

/* The i-th of all codes, errors first, each group in the order of its own list; false behind the last. A code that is
 * both an error's and a reader's reason stands once for each. */
bool orr_code_at(size_t i, orr_code_about *out);
size_t orr_code_count(void);

#endif
