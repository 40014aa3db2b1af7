/* Sorting by numbers without comparisons: O(n) for keys of 64 bits, stable, the same on every machine. For columns of
 * many rows; for short arrays `qsort` is as good.
 */
#ifndef ORR_BASE_RADIX_H
#define ORR_BASE_RADIX_H

#include <orrery/time.h>

/* Sorts the keys ascending; `values`, which may be NULL, go along with their keys. Takes as much memory again while it
 * works. */
void orr_radix_sort(uint64_t *keys, uint32_t *values, size_t n);

/* Keys that sort as what they stand for. */
static inline uint64_t orr_radix_time(orr_time t)
{
    return (uint64_t)t ^ (uint64_t)1 << 63;
}
uint64_t orr_radix_double(double v);         /* -0 before +0, NaN last */
double orr_radix_double_back(uint64_t key); /* every NaN comes back as the plain one */

#endif
