#include "study/account.h"
#include <orrery/query.h>

#include <string.h>

typedef struct asking {
    const char *wanted;
    const orr_sim *sim;
    const orr_job *job; /* NULL: not submitted yet */
    orr_account *waits;
    size_t n, at;       /* waits before `at` are over */
    orr_time next;      /* not asked before */
} asking;

static void begin(void *self, const orr_sim *sim)
{
    asking *a = self;
    a->sim = sim;
}

static void submit(void *self, orr_time at, const orr_job *job)
{
    asking *a = self;
    (void)at;
    if (!a->job && strcmp(orr_job_id(job), a->wanted) == 0)
        a->job = job;
}

/* An answer may cost O(waiting jobs), so only each half of what is left of the wait has one: some forty of them, the
 * last close to its end. */
static void decision(void *self, orr_time at, uint64_t number, bool begins)
{
    asking *a = self;
    (void)number;
    while (a->at < a->n && at >= a->waits[a->at].to)
        a->next = ++a->at < a->n ? a->waits[a->at].from : 0;
    if (begins || !a->job || a->at == a->n || at < a->waits[a->at].from || at < a->next)
        return;
    orr_account *w = &a->waits[a->at];
    a->next = at + (w->to - at) / 2;
    orr_sim_explain(a->sim, a->job, w->last, sizeof w->last);
    if (!w->first[0])
        memcpy(w->first, w->last, sizeof w->first);
}

static bool more(void *self, orr_sim *sim)
{
    const asking *a = self;
    (void)sim;
    return a->at < a->n;
}

orr_err orr_account_ask(const orr_case *c, orr_stock *stock, const char *job, orr_account *waits, size_t n, orr_error *e)
{
    asking a = {.wanted = job, .waits = waits, .n = n};
    const orr_case_hooks hooks = {
        .sink = {.self = &a, .begin = begin, .submit = submit, .decision = decision}, .more = more, .more_self = &a};
    orr_case_result result = {0};
    orr_error late = {0};
    const orr_err err = orr_case_run(c, stock, &hooks, &result, &late);
    orr_case_result_fini(&result);
    if (err)
        *e = late;
    return err;
}
