/* Jobs by their place in the trace, in pages made when they are needed; those that are there also in the order of their
 * submission. */
#include "verify/proof.h"

facts *orr_proof_facts(proof *p, uint64_t place, bool make)
{
    const size_t page = (size_t)(place / PAGE);
    if (place >= p->header->jobs)
        return NULL;
    if (page >= p->page_count && !make)
        return NULL;
    if (page >= p->page_count) {
        p->pages = orr_xrealloc(p->pages, page + 1, sizeof *p->pages);
        memset(p->pages + p->page_count, 0, (page + 1 - p->page_count) * sizeof *p->pages);
        p->page_count = page + 1;
    }
    if (!p->pages[page] && make)
        p->pages[page] = orr_xcalloc(PAGE, sizeof **p->pages);
    return p->pages[page] ? &p->pages[page][place % PAGE] : NULL;
}

static uint32_t name_of(proof *p, const char *text)
{
    return orr_names_id(p->names, text, strlen(text));
}

static void set_facts(proof *p, facts *f, const orr_log_request *q, orr_time at)
{
    *f = (facts){.id = orr_arena_strdup(&p->ids, q->id, strlen(q->id)),
                 .submit = at,
                 .first_start = ORR_TIME_NONE,
                 .end = ORR_TIME_NONE,
                 .duration = q->duration,
                 .deadline = q->deadline,
                 .user = name_of(p, q->user),
                 .vc = name_of(p, q->vc),
                 .reason = name_of(p, ""),
                 .pool = q->pool < p->pool_count ? q->pool : -1,
                 .gpus = q->gpus,
                 .milli = q->milli,
                 .attempts = 1,
                 .stage = WAITING,
                 .censored = q->censored,
                 .carried = q->carried};
}

live *orr_proof_enter(proof *p, facts *f, const orr_log_record *r)
{
    const orr_log_request *q = r->request;
    set_facts(p, f, q, r->at);
    live *l = orr_xcalloc(1, sizeof *l);
    *l = (live){.f = f,
                .place = r->job,
                .before = p->last,
                .min_gpus = q->min_gpus,
                .max_gpus = q->max_gpus,
                .cpu_milli = q->cpu_milli,
                .mem = q->mem,
                .gpu_mem = q->gpu_mem,
                .attempt_count = q->attempts ? q->attempt_count : 1,
                .ending = q->ending,
                .pinned = q->pinned,
                .ran = q->ran,
                .wait_since = r->at,
                .left = q->attempts ? q->attempts[0] : q->duration,
                .owes = orr_terms_cost(&p->terms.start, q->gpus),
                .rate = 1.0};
    l->types = orr_names_text(p->names, name_of(p, q->types));
    if (q->attempts) {
        l->attempts = orr_xcalloc(q->attempt_count, sizeof *l->attempts);
        memcpy(l->attempts, q->attempts, q->attempt_count * sizeof *l->attempts);
    }
    if (p->last)
        p->last->after = l;
    else
        p->first = l;
    p->last = l;
    f->live = l;
    return l;
}

void orr_proof_leave(proof *p, live *l)
{
    *(l->before ? &l->before->after : &p->first) = l->after;
    *(l->after ? &l->after->before : &p->last) = l->before;
    l->f->live = NULL;
    ORR_VEC_FREE(&l->slices);
    ORR_VEC_FREE(&l->keeps);
    free(l->attempts);
    free(l);
}

void orr_proof_jobs_fini(proof *p)
{
    while (p->first)
        orr_proof_leave(p, p->first);
    for (size_t i = 0; i < p->page_count; i++)
        free(p->pages[i]);
    free(p->pages);
}
