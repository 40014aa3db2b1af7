#include "run.h"

#include "progress.h"
#include "signals.h"
#include "study/pool.h"
#include "study/wall.h"
#include <stdio.h>
#include <stdlib.h>

enum { LOOK_EVERY = 32 }; /* instants between two looks at the real clock */
#define LIVE_EVERY 0.1
#define PLAIN_EVERY 30.0

/* ---- one run ---- */

typedef struct watch {
    progress line;
    bool alone; /* the line of progress is its own */
    orr_time max_wall;
    uint32_t instants;
} watch;

/* Looks at the real clock: progress, and the limit of real time. */
static void look(watch *w, orr_sim *sim)
{
    const double now = orr_wall_seconds();
    if (w->alone && signals_take_progress())
        progress_once(&w->line, sim, now);
    if (w->alone)
        progress_tick(&w->line, sim, now);
    if (w->max_wall != ORR_TIME_MAX && now - w->line.began >= orr_time_seconds(w->max_wall))
        orr_sim_interrupt(sim, ORR_STOP_LIMIT);
}

static bool more(void *self, orr_sim *sim)
{
    watch *w = self;
    if (w->instants++ % LOOK_EVERY == 0)
        look(w, sim);
    return !signals_interrupted();
}

/* For the report, where 0 says that there is none: a limit of no time at all shows as the least that there is. */
static double max_wall_of(const settings *s)
{
    return s->max_wall == ORR_TIME_MAX ? 0 : s->max_wall == 0 ? 1e-9 : orr_time_seconds(s->max_wall);
}

static orr_err do_piece(void *self, size_t i, orr_text *out, orr_error *e)
{
    runs *r = self;
    const run *one = &r->at[i];
    watch w = {.alone = !r->side_by_side, .max_wall = r->a->set->max_wall};
    const orr_case_hooks hooks = {.dir = one->dir,
                                  .no_log = !r->a->set->log,
                                  .no_wall = !r->a->set->wall,
                                  .more = more,
                                  .more_self = &w,
                                  .max_wall_s = max_wall_of(r->a->set),
                                  .argc = r->argc,
                                  .argv = r->argv,
                                  .extras = r->extras,
                                  .extra_count = r->extra_count,
                                  .write = r->write};
    orr_case_result result;
    progress_begin(&w.line, r->a, one->setup.policy);
    orr_err err = orr_case_run(&one->setup, r->stock, &hooks, &result, e);
    progress_end(&w.line);
    if (err)
        return err;
    *e = (orr_error){0}; /* how it ended is part of the result */
    orr_case_result_pack(&result, out);
    orr_case_result_fini(&result);
    return ORR_OK;
}

/* ---- what came of them ---- */

static void tell_rejections(const run *one, app *a)
{
    for (size_t i = 0; i < one->result.rejected_count; i++) {
        const orr_report_count *r = &one->result.rejected[i];
        char count[ORR_DOUBLE_BUF];
        orr_format_count(r->count, count);
        say_warning(&a->say, "jobs-rejected", NULL, 0, "%s: %s %s rejected: %s", one->setup.policy, count,
                    r->count == 1 ? "job was" : "jobs were", r->name);
    }
}

static int tell(const run *one, app *a)
{
    int status = 0;
    if (one->error.code) {
        orr_error e = one->error;
        if (!*e.text && !*e.file)
            orr_error_text(&e, one->setup.policy, strlen(one->setup.policy));
        return say_error(&a->say, &e);
    }
    if (one->result.error.code)
        status = say_error(&a->say, &one->result.error);
    tell_rejections(one, a);
    for (size_t i = 0; i < one->result.failed_count; i++)
        keep_first(&status, say_error(&a->say, &one->result.failed[i]));
    return status;
}

static void take_line_away(runs *r)
{
    if (r->shown)
        fputs("\r\x1b[K", stderr);
    r->shown = false;
}

/* Those that ended before their turn wait for it. */
static void tell_in_order(runs *r)
{
    for (; r->told < r->n && r->at[r->told].over; r->told++) {
        take_line_away(r);
        keep_first(&r->status, tell(&r->at[r->told], r->a));
    }
}

static bool done(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    runs *r = self;
    run *one = &r->at[i];
    if (error)
        one->error = *error;
    else
        (void)!orr_case_result_unpack(&one->setup, r->stock, bytes, &one->result, &one->error);
    one->over = true;
    r->ended++;
    tell_in_order(r);
    return !signals_interrupted();
}

/* ---- how far all of them have come ---- */

static void show(runs *r, bool rewrite)
{
    fprintf(stderr, rewrite ? "\rrun: %zu of %zu policies\x1b[K" : "run: %zu of %zu policies\n", r->ended, r->n);
    fflush(stderr);
    r->shown = rewrite;
}

static bool tick(void *self)
{
    runs *r = self;
    const double now = orr_wall_seconds();
    const bool live = progress_is_live(r->a), plain = !live && r->a->set->verbose;
    if (r->side_by_side && signals_take_progress())
        show(r, false);
    if (r->side_by_side && (live || plain) && now - r->last >= (live ? LIVE_EVERY : PLAIN_EVERY)) {
        r->last = now;
        show(r, live);
    }
    return !signals_interrupted();
}

int runs_do(runs *r, int jobs)
{
    orr_error e = {0};
    size_t *list = orr_xcalloc(r->n + 1, sizeof *list);
    const orr_pool_work work = {.self = r, .piece = do_piece, .done = done, .tick = tick};
    for (size_t i = 0; i < r->n; i++)
        list[i] = i;
    r->side_by_side = jobs != 1 && r->n > 1;
    r->last = orr_wall_seconds();
    signals_run();
    if (orr_pool_run(&work, list, r->n, r->side_by_side ? jobs : 1, &e))
        keep_first(&r->status, say_error(&r->a->say, &e));
    take_line_away(r);
    free(list);
    return signals_interrupted() ? 130 : r->status;
}

void runs_fini(runs *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->at[i].dir);
        orr_case_result_fini(&r->at[i].result);
    }
    free(r->at);
}
