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
    if (slice.milli == 0)
        slice.milli = ORR_WHOLE_GPU;
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
    a->milli += (int64_t)orr_bit_count(slice.gpus) * slice.milli;
}

void orr_alloc_copy(orr_alloc *to, const orr_alloc *from)
{
    orr_alloc_clear(to);
    for (int32_t i = 0; i < from->count; i++)
        orr_alloc_append(to, orr_slices(from)[i]);
}

/* The slice of `b` on the node of x[i]. Placements list nodes in one order nearly always: the first look hits. */
static const orr_slice *counterpart(const orr_alloc *b, const orr_slice *x, int32_t i)
{
    const orr_slice *y = orr_slices(b);
    for (int32_t k = 0; k < b->count; k++)
        if (y[(i + k) % b->count].node == x->node)
            return &y[(i + k) % b->count];
    return NULL;
}

bool orr_alloc_same_gpus(const orr_alloc *a, const orr_alloc *b)
{
    if (a->count != b->count || a->gpus != b->gpus)
        return false;
    for (int32_t i = 0; i < a->count; i++) {
        const orr_slice *x = &orr_slices(a)[i], *y = counterpart(b, x, i);
        if (!y || y->gpus != x->gpus)
            return false;
    }
    return true;
}

bool orr_alloc_equal(const orr_alloc *a, const orr_alloc *b)
{
    if (a->milli != b->milli || !orr_alloc_same_gpus(a, b))
        return false;
    for (int32_t i = 0; i < a->count; i++) {
        const orr_slice *x = &orr_slices(a)[i], *y = counterpart(b, x, i);
        if (y->milli != x->milli || y->cpu_milli != x->cpu_milli || y->mem != x->mem)
            return false;
    }
    return true;
}

/* Of an amount for `whole` GPUs, what `gpus` of them get, rounded up. */
static int64_t part_of(int64_t amount, int32_t gpus, int32_t whole)
{
    return amount / whole * gpus + (amount % whole * gpus + whole - 1) / whole;
}

orr_share orr_job_share(const orr_job *job, int32_t gpus)
{
    const orr_trace_job *r = job->record;
    if (r->cpu_milli == 0 && r->mem_bytes == 0)
        return (orr_share){.gpu_mem = job->gpu_mem};
    if (r->gpus == 0)
        return (orr_share){.cpu_milli = r->cpu_milli, .mem = r->mem_bytes};
    return (orr_share){.gpu_mem = job->gpu_mem, .cpu_milli = part_of(r->cpu_milli, gpus, r->gpus),
                       .mem = part_of(r->mem_bytes, gpus, r->gpus)};
}

int32_t orr_job_milli_on(const orr_job *job, int32_t node)
{
    for (int32_t i = 0; i < job->held.count; i++)
        if (orr_slices(&job->held)[i].node == node)
            return orr_slices(&job->held)[i].milli;
    return 0;
}

orr_share orr_job_slice_share(const orr_job *job, const orr_slice *slice)
{
    orr_share share = orr_job_share(job, orr_bit_count(slice->gpus));
    share.milli = slice->milli;
    share.holder = job->slot + 1;
    if (slice->cpu_milli)
        share.cpu_milli = slice->cpu_milli;
    if (slice->mem)
        share.mem = slice->mem;
    return share;
}
