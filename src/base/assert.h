/* Rules of the engine that are always checked. A broken one is a bug of ours: the process ends with a line that names
 * the rule, status 70. Only for what no input and no plugin can cause. */
#ifndef ORR_BASE_ASSERT_H
#define ORR_BASE_ASSERT_H

#include <orrery/api.h>

_Noreturn void orr_assert_failed(const char *rule, const char *file, int line, const char *detail);
#define ORR_ASSERT(cond, detail) ((cond) ? (void)0 : orr_assert_failed(#cond, __FILE__, __LINE__, (detail)))

/* 128-bit sums of GPU·ns; the one extension we use. */
__extension__ typedef __int128 orr_wide;

#endif
