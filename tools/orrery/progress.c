#include "progress.h"

#include "base/text.h"
#include "study/wall.h"
#include <stdlib.h>

#define LIVE_EVERY 0.1
#define PLAIN_EVERY 30.0

bool progress_is_live(const app *a)
{
    const char *ci = getenv("CI");
    return a->say.to.terminal && !a->set->quiet && !(ci && *ci);
}

void progress_begin(progress *p, const app *a, const char *what)
{
    *p = (progress){.what = what, .live = progress_is_live(a)};
    p->width = a->say.to.width;
    p->plain = !p->live && a->set->verbose;
    p->began = p->last = orr_wall_seconds();
}

static uint64_t ended(const orr_sim_counts *c)
{
    return c->done + c->failed + c->killed + c->rejected;
}

static void line_of(const progress *p, const orr_sim *sim, double now, orr_text *t)
{
    const orr_sim_counts c = orr_sim_count(sim);
    char clock[ORR_TIME_BUF], some[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF], rate[ORR_DOUBLE_BUF];
    const double spent = now - p->began > 0 ? now - p->began : 1e-9;
    orr_time_clock(orr_sim_now(sim), clock);
    orr_format_count(ended(&c), some);
    orr_format_count(c.trace, all);
    orr_format_count((uint64_t)((double)c.events / spent), rate);
    orr_text_addf(t, "%s: %s  %s of %s jobs  %s events/s", p->what, clock, some, all, rate);
    if (ended(&c) && spent > 1)
        orr_text_addf(t, "  about %.0f s left", spent * (double)(c.trace - ended(&c)) / (double)ended(&c));
}

static void show(progress *p, const orr_sim *sim, double now, bool rewrite)
{
    orr_text t = {0};
    line_of(p, sim, now, &t);
    if (rewrite)
        fprintf(stderr, "\r%.*s\x1b[K", p->width - 1, t.at);
    else
        fprintf(stderr, "%s\n", t.at);
    fflush(stderr);
    p->shown = rewrite;
    orr_text_fini(&t);
}

void progress_tick(progress *p, const orr_sim *sim, double now)
{
    if (!p->live && !p->plain)
        return;
    if (now - p->last < (p->live ? LIVE_EVERY : PLAIN_EVERY))
        return;
    p->last = now;
    show(p, sim, now, p->live);
}

void progress_once(progress *p, const orr_sim *sim, double now)
{
    show(p, sim, now, false);
}

void progress_end(progress *p)
{
    if (p->shown)
        fputs("\r\x1b[K", stderr);
    p->shown = false;
}
