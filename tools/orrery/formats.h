/* The trace and cluster formats compiled in, by the names that --format takes and `version` lists. */
#ifndef ORRERY_TOOL_FORMATS_H
#define ORRERY_TOOL_FORMATS_H

#include <orrery/error.h>

enum { FORMATS_MAX = 64 };

/* Each fills the list, ends it by NULL, and returns how many there are. */
size_t formats_of_traces(const char *names[FORMATS_MAX]);
size_t formats_of_clusters(const char *names[FORMATS_MAX]);
/* ORR_E_BAD_VALUE with the nearest name if no trace format is called so; NULL is fine. */
orr_err formats_check(const char *name, orr_error *e);

#endif
