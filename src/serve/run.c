/* The loop: one instant after another. */
#include "serve/iter.h"
#include "serve/nodes.h"
#include "serve/preempt.h"
#include "serve/weights.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- violations -------------------------------------------------------------------------------------------------- */

void orr_serving_violation(orr_serving *s, orr_err code, const char *fmt, ...)
{
    char what[160];
    va_list args;
    s->violations++;
    s->world->violations++;
    if (s->world->skip_violations)
        return;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    orr_world_fault(s->world, code, NULL, "%s", what);
}

/* ---- who is asked at the end of the instant --------------------------------------------------------------------- */

void orr_serving_touch(orr_serving *s, orr_exec_id exec)
{
    orr_sv_exec *e = &s->execs.at[exec];
    if (e->touched)
        return;
    e->touched = true;
    ORR_VEC_PUSH(&s->touched, exec);
}

void orr_serving_wake(orr_serving *s, orr_exec_id exec, orr_time at)
{
    orr_sv_exec *e = &s->execs.at[exec];
    if (e->wake && e->wake_at <= at && e->wake_at > s->now)
        return;
    e->wake_at = at;
    if (orr_queue_move(s->queue, e->wake, at))
        return;
    s->asked_for++;
    e->wake = orr_queue_add(
        s->queue, &(orr_queued){.at = at, .class_ = ORR_CLASS_TIMER, .kind = ORR_SV_WAKE, .cookie = (uint64_t)exec});
}

static int by_number(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void form_touched(orr_serving *s)
{
    while (s->touched.n) {
        if (s->touched.n > 1)
            qsort(s->touched.at, s->touched.n, sizeof *s->touched.at, by_number);
        const size_t n = s->touched.n;
        for (size_t i = 0; i < n && !s->world->fault.code; i++) {
            s->execs.at[s->touched.at[i]].touched = false;
            orr_serving_form(s, s->touched.at[i]);
        }
        /* those that came meanwhile lie behind */
        memmove(s->touched.at, s->touched.at + n, (s->touched.n - n) * sizeof *s->touched.at);
        s->touched.n -= n;
        if (s->world->fault.code)
            return;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* The top of the heap stays where it is until it's known whether the slot runs something new at once: then it is moved,
 * and that is all. */
static void batch_ends(orr_serving *s, const orr_queued *event)
{
    const orr_exec_id exec = (orr_exec_id)(event->cookie >> 32);
    const uint32_t slot = (uint32_t)event->cookie;
    orr_queue_cancel(s->queue, s->execs.at[exec].at.at[slot].event);
    s->execs.at[exec].at.at[slot].event = 0;
    if (s->execs.at[exec].at.at[slot].stops)
        orr_serving_stopped(s, exec, slot);
    else
        orr_serving_batch_done(s, exec, slot);
}

static void dispatch(orr_serving *s, const orr_queued *event)
{
    orr_sv_service *v;
    switch ((orr_sv_event)event->kind) {
    case ORR_SV_PHASE:
        orr_serving_phase_done(s, (orr_replica_id)event->cookie);
        break;
    case ORR_SV_ARRIVE:
        v = &s->services.at[event->cookie];
        v->arrive = 0;
        ORR_VEC_PUSH(&s->due, v->id);
        break;
    case ORR_SV_WAKE:
        s->asked_for--;
        s->execs.at[event->cookie].wake = 0;
        orr_serving_touch(s, (orr_exec_id)event->cookie);
        break;
    default:
        orr_serving_dispatch_more(s, event);
        break;
    }
}

/* Those of one instant by service. */
static void arrivals(orr_serving *s)
{
    if (s->due.n > 1)
        qsort(s->due.at, s->due.n, sizeof *s->due.at, by_number);
    const size_t n = s->due.n;
    for (size_t i = 0; i < n; i++)
        orr_serving_arrivals(s, &s->services.at[s->due.at[i]]);
    memmove(s->due.at, s->due.at + n, (s->due.n - n) * sizeof *s->due.at);
    s->due.n -= n;
}

static void events_of(orr_serving *s, orr_time at, orr_class most)
{
    for (;;) {
        const orr_queued *head = orr_queue_peek(s->queue);
        const bool now = head && head->at == at && head->class_ <= most;
        if (s->due.n && !(now && head->class_ <= ORR_CLASS_SUBMIT)) {
            arrivals(s);
            continue;
        }
        if (!now || s->world->fault.code)
            return;
        orr_queued event = *head;
        s->events++;
        if (event.kind == ORR_SV_BATCH) {
            batch_ends(s, &event);
        } else {
            orr_queue_pop(s->queue, &event);
            dispatch(s, &event);
        }
    }
}

/* Machines that will be taken away some day don't keep a run alive; periods, timers and wakes do while somebody is
 * expected. */
orr_time orr_serving_next(orr_serving *s)
{
    const orr_queued *head = orr_queue_peek(s->queue);
    const size_t left = orr_queue_count(s->queue);
    if (s->markets_due && left == s->markets_due)
        return ORR_TIME_MAX;
    if (head && left == s->periodic + s->asked_for && !s->due.n && !orr_serving_expects(s))
        return ORR_TIME_MAX;
    return head ? head->at : ORR_TIME_MAX;
}

void orr_serving_begin(orr_serving *s, orr_time at)
{
    s->now = at;
    s->running = true;
    events_of(s, at, ORR_CLASS_CAPACITY);
}

enum { ROUNDS_MOST = 1000000 };

void orr_serving_finish(orr_serving *s, orr_time at)
{
    s->now = at;
    for (uint32_t rounds = 0; !s->world->fault.code; rounds++) {
        orr_serving_house(s);
        events_of(s, at, ORR_CLASS_DECIDE);
        if (s->store)
            orr_serving_weights_settle(s);
        orr_serving_control(s);
        form_touched(s);
        if (orr_serving_next(s) != at && !(s->store && s->store->missed.n))
            return;
        if (rounds == ROUNDS_MOST)
            orr_serving_violation(s, ORR_E_NO_PROGRESS, "serving goes on and on in one instant");
    }
}

void orr_serving_run(orr_serving *s, orr_time until)
{
    orr_time at;
    s->running = true;
    while (!s->stirred && (at = orr_serving_next(s)) < until && !s->world->fault.code)
        orr_serving_finish(s, at);
}

void orr_serving_close(orr_serving *s, orr_time at)
{
    const orr_time end = at > s->now ? at : s->now;
    s->now = at > s->now ? at - 1 : s->now; /* what would have happened at `at` didn't */
    for (size_t i = 0; i < s->services.n; i++) /* who came while all were busy is counted */
        orr_serving_catch_up(s, &s->services.at[i]);
    for (size_t i = 0; i < s->variants.n; i++)
        orr_serving_expire(s, &s->variants.at[i].central);
    for (size_t i = 0; i < s->replicas.n; i++)
        orr_serving_expire(s, &s->replicas.at[i].queue);
    s->now = end;
    for (size_t i = 0; i < s->execs.n; i++) /* sets may have run for a long time */
        if (orr_serving_iter_on(&s->execs.at[i]))
            orr_serving_iter_settle(s, (orr_exec_id)i);
}
