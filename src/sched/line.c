/* Lines of jobs: arrays, since policies walk them more often than they change. */
#include "sched/ctx.h"

static void grow(orr_ctx *ctx, orr_line *line)
{
    const size_t cap = line->cap ? 2 * line->cap : 8;
    orr_job **at = orr_alloc_memory(ctx, cap * sizeof *at); /* the former half is left to the instance's memory */
    if (line->n)
        memcpy(at, line->at, line->n * sizeof *at);
    line->at = at;
    line->cap = cap;
}

void orr_line_insert(orr_ctx *ctx, orr_line *line, size_t at, orr_job *job)
{
    if (line->n == line->cap)
        grow(ctx, line);
    memmove(line->at + at + 1, line->at + at, (line->n - at) * sizeof *line->at);
    line->at[at] = job;
    line->n++;
}

void orr_line_add(orr_ctx *ctx, orr_line *line, orr_job *job)
{
    orr_line_insert(ctx, line, line->n, job);
}

bool orr_line_remove(orr_line *line, const orr_job *job)
{
    size_t i = 0;
    while (i < line->n && line->at[i] != job)
        i++;
    if (i == line->n)
        return false;
    line->n--;
    memmove(line->at + i, line->at + i + 1, (line->n - i) * sizeof *line->at);
    return true;
}
