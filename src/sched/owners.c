/* Owners by number, weights by name, and accounts. Between two instants nothing changes, so that integrals move when
 * the first event of an instant comes. */
#include <orrery/drive.h>
#include <orrery/solve.h>

#include <stdlib.h>
#include <string.h>

static double weight_of(const char *weights, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = weights; *at; at += *at == '/') {
        if (strncmp(at, name, n) == 0 && at[n] == ':')
            return strtod(at + n + 1, NULL);
        at += strcspn(at, "/");
    }
    return 1;
}

bool orr_weights_are_good(const char *weights)
{
    for (const char *at = weights; *at; at += *at == '/') {
        const size_t n = strcspn(at, "/");
        const char *colon = memchr(at, ':', n);
        char *end;
        if (!colon || colon == at || !(strtod(colon + 1, &end) > 0) || end != at + n)
            return false;
        at += n;
    }
    return true;
}

static void make_room(orr_ctx *ctx, orr_owners *t, int32_t need)
{
    if (need <= t->room)
        return;
    void **before = t->at;
    t->room = need < 32 ? 64 : 2 * need;
    t->at = orr_alloc_memory(ctx, (size_t)t->room * sizeof(void *));
    for (int32_t i = 0; i < t->count; i++)
        t->at[i] = before[i];
}

void *orr_owner_of(orr_ctx *ctx, orr_owners *t, const orr_job *job)
{
    const bool vc = t->over == ORR_OVER_VC;
    const int32_t number = vc ? orr_job_vc(job) : orr_job_user_index(ctx, job);
    make_room(ctx, t, number + 1);
    t->count = number >= t->count ? number + 1 : t->count;
    if (!t->at[number]) {
        orr_owner *made = orr_alloc_memory(ctx, t->size);
        made->number = number;
        made->weight = weight_of(t->weights, vc ? orr_vc_name(ctx, number) : orr_job_user(job));
        t->at[number] = made;
    }
    return t->at[number];
}

/* ---- accounts ---------------------------------------------------------------------------------------------------- */

static orr_owner *active(const orr_owners *o, int32_t i)
{
    orr_owner *one = o->at[i];
    return one && one->jobs > 0 ? one : NULL;
}

static double *scratch(orr_ctx *ctx, orr_owners *o)
{
    if (o->count > o->numbers_room) {
        o->numbers_room = 2 * o->count;
        o->numbers = orr_alloc_memory(ctx, 3 * (size_t)o->numbers_room * sizeof *o->numbers);
    }
    return o->numbers;
}

static void entitle(orr_ctx *ctx, orr_owners *o)
{
    if (!o->dirty || o->count == 0)
        return;
    double *want = scratch(ctx, o), *weight = want + o->count, *got = weight + o->count;
    int32_t n = 0;
    for (int32_t i = 0; i < o->count; i++)
        if (active(o, i)) {
            want[n] = active(o, i)->wants;
            weight[n++] = active(o, i)->weight;
        }
    orr_fill_fair(want, weight, n, o->gpus, got);
    n = 0;
    for (int32_t i = 0; i < o->count; i++)
        if (active(o, i))
            active(o, i)->entitled = got[n++];
    o->dirty = false;
}

static void move_on(orr_ctx *ctx, orr_owners *o)
{
    const double span = (double)(orr_now(ctx) - o->now) * 1e-9;
    if (span > 0)
        entitle(ctx, o);
    for (int32_t i = 0; span > 0 && i < o->count; i++) {
        orr_owner *one = active(o, i);
        if (!one)
            continue;
        one->had += one->holds * span;
        one->due += one->entitled * span;
        one->due_each += one->entitled / one->jobs * span;
    }
    o->now = orr_now(ctx);
}

void orr_owners_entitle(orr_ctx *ctx, orr_owners *o)
{
    move_on(ctx, o);
    entitle(ctx, o);
}

static void enter(orr_ctx *ctx, orr_owners *o, const orr_job *job, double gpus)
{
    orr_owner *of = orr_owner_of(ctx, o, job);
    *(orr_owned *)orr_job_state_of(ctx, job) = (orr_owned){.of = of, .since = of->due_each};
    of->jobs++;
    of->wants += gpus;
    o->dirty = true;
}

static void let_go(orr_owned *job, double gpus)
{
    orr_owner *of = job->of;
    of->holds -= job->holds ? gpus : 0;
    job->holds = false;
}

void orr_owners_event(orr_ctx *ctx, orr_owners *o, const orr_job *job, const orr_event *event)
{
    const double gpus = orr_job_gpus(job) * (orr_job_gpu_milli(job) / 1000.0);
    orr_owned *its = orr_job_state_of(ctx, job);
    orr_owner *of = its->of;
    move_on(ctx, o);
    if (event->kind == ORR_EV_SUBMITTED) {
        enter(ctx, o, job, gpus);
    } else if (event->kind == ORR_EV_STARTED) {
        of->holds += its->holds ? 0 : gpus;
        its->holds = true;
    } else if (event->kind == ORR_EV_PREEMPTED || event->kind == ORR_EV_RETRIED || event->kind == ORR_EV_INTERRUPTED) {
        let_go(its, gpus);
    } else if (event->kind == ORR_EV_ENDED) {
        let_go(its, gpus);
        of->wants = --of->jobs > 0 ? of->wants - gpus : 0;
        of->entitled = of->jobs > 0 ? of->entitled : 0;
        o->dirty = true;
    }
}
