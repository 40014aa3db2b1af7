/* The life of a job in lines: a word that says what happened, a time, and what is known of it. */
#include "report/life.h"

#include <stdio.h>
#include <string.h>

enum { TIME = 16, COLUMN = 29 };

static void human(orr_text *out, orr_time t)
{
    char buf[ORR_TIME_BUF];
    orr_time_human(t, buf);
    orr_text_addf(out, "%s", buf);
}

/* The head of a line: what, and when. */
static void head(orr_text *out, const char *what, orr_time at)
{
    char buf[ORR_TIME_BUF];
    orr_time_clock(at, buf);
    orr_text_addf(out, "%-11s %s", what, buf);
}

/* What is known of it, behind the time. */
static void gap(orr_text *out)
{
    size_t line = out->n;
    while (line > 0 && out->at[line - 1] != '\n')
        line--;
    orr_text_addf(out, "%*s", (int)(COLUMN > out->n - line ? COLUMN - (out->n - line) : 1), "");
}

/* A line that says how long something took. */
static void part(orr_text *out, orr_time length)
{
    char buf[ORR_TIME_BUF];
    orr_time_human(length, buf);
    orr_text_addf(out, "%12s%-*s ", "", TIME, buf);
}

static void count(orr_text *out, uint64_t n, const char *one, const char *many)
{
    char buf[ORR_DOUBLE_BUF];
    orr_format_count(n, buf);
    orr_text_addf(out, "%s %s", buf, n == 1 ? one : many);
}

static void name_some(orr_text *out, const orr_life_jobs *jobs)
{
    for (uint64_t i = 0; i < jobs->count && i < ORR_LIFE_NAMED; i++)
        orr_text_addf(out, "%s%s", i ? ", " : "", jobs->id[i]);
    if (jobs->count > ORR_LIFE_NAMED)
        orr_text_addf(out, ", …");
}

/* ---- the job ---- */

static void request(orr_text *out, const orr_life *l)
{
    orr_text_addf(out, "job %s: ", l->id);
    count(out, (uint64_t)l->gpus, "GPU", "GPUs");
    if (l->min_gpus != l->max_gpus)
        orr_text_addf(out, " (%d to %d)", l->min_gpus, l->max_gpus);
    if (l->milli < 1000)
        orr_text_addf(out, ", %d thousandths of each", l->milli);
    if (l->types[0])
        orr_text_addf(out, " of %s", l->types);
    if (l->vc[0])
        orr_text_addf(out, ", VC %s", l->vc);
    if (l->user[0])
        orr_text_addf(out, ", user %s", l->user);
    if (l->name[0])
        orr_text_addf(out, ", %s", l->name);
    orr_text_addf(out, "; by itself it runs for ");
    human(out, l->duration);
    orr_text_addf(out, "\n\n");
}

static void submitted(orr_text *out, const orr_life *l)
{
    head(out, "submitted", l->submit);
    if (l->after) {
        gap(out);
        orr_text_addf(out, "when ");
        count(out, l->after, "job that it waited for had ended", "jobs that it waited for had ended");
    }
    orr_text_addf(out, "\n");
}

/* ---- waits ---- */

static void what_for(orr_text *out, const orr_life *l, const orr_life_step *s)
{
    if (s->busy) {
        part(out, s->busy);
        if (l->milli < 1000)
            orr_text_addf(out, "less than %d thousandths of a GPU were free in all\n", l->min_gpus * l->milli);
        else if (l->min_gpus > 1)
            orr_text_addf(out, "fewer than %d GPUs were free\n", l->min_gpus);
        else
            orr_text_addf(out, "no GPU was free\n");
    }
    if (s->pieces) {
        part(out, s->pieces);
        orr_text_addf(out, "enough were free, but in pieces: %s\n",
                      l->milli < 1000 ? "no GPU had as much left" : "not on as few nodes as the gang needs");
    }
    if (s->room) {
        part(out, s->room);
        orr_text_addf(out, "there was room, and the policy let it wait\n");
    }
}

static void who_else(orr_text *out, const orr_life_step *s)
{
    orr_text_addf(out, "%12swhen it began %lld of %lld GPUs were held, by ", "", (long long)s->held, (long long)s->gpus);
    count(out, s->running, "job", "jobs");
    orr_text_addf(out, "; ");
    count(out, s->ahead, "earlier job queued\n", "earlier jobs queued\n");
    if (!s->overtakers.count)
        return;
    orr_text_addf(out, "%12s", "");
    count(out, s->overtakers.count, "later job started meanwhile: ", "later jobs started meanwhile: ");
    name_some(out, &s->overtakers);
    orr_text_addf(out, "\n");
}

static void wait_text(orr_text *out, const orr_life *l, const orr_life_step *s)
{
    if (s->to == s->from && !s->open)
        return;
    head(out, s->open ? "waits" : "waited", s->from);
    gap(out);
    human(out, s->to - s->from);
    orr_text_addf(out, s->open ? ", and waits still\n" : "\n");
    what_for(out, l, s);
    who_else(out, s);
}

/* ---- runs ---- */

static void run_head(orr_text *out, const orr_life_step *s)
{
    head(out, s->open ? "runs" : "ran", s->from);
    gap(out);
    human(out, s->to - s->from);
    orr_text_addf(out, " on %s", s->where);
    if (s->nodes > 1)
        orr_text_addf(out, " (%d GPUs on %d nodes)", s->run_gpus, s->nodes);
    if (s->rate < 1 || s->rate > 1) {
        char rate[ORR_DOUBLE_BUF];
        orr_format_double(s->rate, rate);
        orr_text_addf(out, ", at a rate of %s", rate);
    }
    orr_text_addf(out, "\n");
}

static void speeds(orr_text *out, const orr_life_step *s)
{
    char slowest[ORR_DOUBLE_BUF], fastest[ORR_DOUBLE_BUF];
    orr_format_double(s->slowest, slowest);
    orr_format_double(s->fastest, fastest);
    orr_text_addf(out, "%12s", "");
    count(out, s->speeds, "change of speed for what others did", "changes of speed for what others did");
    orr_text_addf(out, ": rates from %s to %s\n", slowest, fastest);
}

static void interrupted(orr_text *out, const orr_life_step *s)
{
    head(out, "interrupted", s->to);
    gap(out);
    orr_text_addf(out, "%s was lost; work lost ", s->node);
    human(out, s->lost);
    orr_text_addf(out, "\n");
}

static void run_text(orr_text *out, const orr_life_step *s)
{
    run_head(out, s);
    if (s->pay) {
        part(out, s->pay);
        orr_text_addf(out, "of it paid at the start, without progress\n");
    }
    if (s->speeds)
        speeds(out, s);
    if (strcmp(s->end, "interrupted") == 0)
        interrupted(out, s);
    if (strcmp(s->end, "preempted") != 0)
        return;
    head(out, "preempted", s->to - s->saving);
    gap(out);
    if (s->takers.count) {
        orr_text_addf(out, "its GPUs went to ");
        name_some(out, &s->takers);
    } else {
        orr_text_addf(out, "nobody was given its GPUs at once");
    }
    orr_text_addf(out, "; saving ");
    human(out, s->saving);
    orr_text_addf(out, ", work lost ");
    human(out, s->lost);
    orr_text_addf(out, "\n");
}

/* ---- the end ---- */

static void ended(orr_text *out, const orr_life *l)
{
    if (l->end == ORR_TIME_NONE) {
        head(out, "stop", l->stopped);
        gap(out);
        orr_text_addf(out, "the run ended (%s); the job was %s\n", l->stop, l->state);
        return;
    }
    head(out, l->state, l->end);
    if (l->reason[0] || l->deadline != ORR_TIME_NONE)
        gap(out);
    if (l->reason[0])
        orr_text_addf(out, "%s", l->reason);
    if (l->deadline != ORR_TIME_NONE)
        orr_text_addf(out, "%sdeadline %s", l->reason[0] ? "; " : "", l->end <= l->deadline ? "met" : "missed");
    orr_text_addf(out, "\n");
}

static void sums(orr_text *out, const orr_life *l)
{
    const bool over = l->end != ORR_TIME_NONE;
    if (l->steps.n == 1 && over)
        return; /* it never had GPUs */
    orr_text_addf(out, "\n%s ", over ? "jct" : "so far");
    human(out, l->waited + l->held);
    orr_text_addf(out, " = ");
    human(out, l->waited);
    orr_text_addf(out, " waiting + ");
    human(out, l->held);
    orr_text_addf(out, " with GPUs");
    if (l->paid) {
        orr_text_addf(out, " (");
        human(out, l->paid);
        orr_text_addf(out, " of it without progress)");
    }
    if (over && l->duration > 0) {
        orr_text_addf(out, "; slowdown %.2f", orr_time_seconds(l->waited + l->held) / orr_time_seconds(l->duration));
    }
    orr_text_addf(out, "\n");
}

void orr_life_text(const orr_life *life, orr_text *out)
{
    request(out, life);
    submitted(out, life);
    for (size_t i = 0; i < life->steps.n; i++) {
        const orr_life_step *s = &life->steps.at[i];
        if (s->kind == ORR_LIFE_WAIT)
            wait_text(out, life, s);
        else
            run_text(out, s);
    }
    ended(out, life);
    sums(out, life);
}
