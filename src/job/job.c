#include "job/job.h"

#include "base/mem.h"

#include <stdlib.h>

void orr_alloc_clear(orr_alloc *a)
{
    free(a->many);
    *a = (orr_alloc){0};
}

void orr_alloc_append(orr_alloc *a, orr_slice slice)
{
    if (a->count == 0) {
        a->one = slice;
    } else {
        if (a->count >= a->capacity) {
            a->capacity = a->capacity ? a->capacity * 2 : 4;
            a->many = orr_xrealloc(a->many, (size_t)a->capacity, sizeof *a->many);
        }
        if (a->count == 1)
            a->many[0] = a->one;
        a->many[a->count] = slice;
    }
    a->count++;
    a->gpus += orr_bit_count(slice.gpus);
}

void orr_alloc_copy(orr_alloc *to, const orr_alloc *from)
{
    orr_alloc_clear(to);
    for (int32_t i = 0; i < from->count; i++)
        orr_alloc_append(to, orr_slices(from)[i]);
}

/* O(slices^2), but placements list nodes in one order nearly always, so that the first look hits. */
bool orr_alloc_equal(const orr_alloc *a, const orr_alloc *b)
{
    if (a->count != b->count || a->gpus != b->gpus)
        return false;
    const orr_slice *x = orr_slices(a), *y = orr_slices(b);
    for (int32_t i = 0; i < a->count; i++) {
        int32_t k = 0;
        while (k < b->count && y[(i + k) % b->count].node != x[i].node)
            k++;
        if (k == b->count || y[(i + k) % b->count].gpus != x[i].gpus)
            return false;
    }
    return true;
}

orr_share orr_job_share(const orr_job *job, int32_t gpus)
{
    const orr_trace_job *r = job->record;
    if (r->cpus == 0 && r->mem_bytes == 0)
        return (orr_share){0};
    if (r->gpus == 0)
        return (orr_share){.cpus = r->cpus, .mem = r->mem_bytes};
    int32_t whole = r->gpus;
    int64_t cpus = ((int64_t)r->cpus * gpus + whole - 1) / whole;
    int64_t mem = r->mem_bytes / whole * gpus + (r->mem_bytes % whole * gpus + whole - 1) / whole;
    return (orr_share){.cpus = (int32_t)cpus, .mem = mem};
}
