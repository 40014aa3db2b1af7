/* One piece of work is one case with one seed: its summary comes back as text, and all judging happens here, in the
 * order of the file, so that nothing depends on who finished first. */
#include "study/check.h"

#include "study/moved.h"
#include "study/numbers.h"
#include "study/pool.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const orr_check_usual[] = {"measured",        "jct.mean", "jct.p50",   "jct.p99",     "wait_first.mean",
                                       "wait_total.mean", "makespan", "gpu_alloc", "preemptions", "rho_worst",
                                       NULL};
static const char *const usual_served[] = {"requests.arrived", "requests.answered", "slo_attain", "latency.mean",
                                           "latency.p99",      "latency_all.p99",   "batch_mean", "exec_busy", NULL};

/* ---- problems ---- */

static void add_problem(orr_check *c, orr_check_problems *to, int line, int column, const char *fmt, ...)
    ORR_PRINTF(5, 6);
static void add_problem(orr_check *c, orr_check_problems *to, int line, int column, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    for (size_t i = 0; i < to->n; i++) /* the same with every seed */
        if (to->at[i].line == line && strcmp(to->at[i].text, text) == 0)
            return;
    ORR_VEC_PUSH(to, ((orr_check_problem){line, column, orr_xstrdup(text)}));
    c->problems++;
}

/* An error of the case's inputs or of its run, told at the case. */
static void add_error(orr_check *c, orr_check_case *k, const orr_error *e)
{
    const orr_yaml *at = k->from->at;
    add_problem(c, &k->problems, at->line, at->column, "%s%s%s%s%s%s%s [%s]", e->file, *e->file ? ": " : "", e->message,
                *e->text ? ": " : "", e->text, *e->hint ? "; " : "", e->hint, orr_err_name(e->code));
}

/* ---- which cases ---- */

static orr_err unknown_case(const orr_baseline *b, const char *name, orr_error *e)
{
    ORR_VEC(const char *) names = {0};
    for (size_t i = 0; i < b->cases.n; i++)
        ORR_VEC_PUSH(&names, b->cases.at[i].name);
    orr_error_set(e, ORR_E_BAD_VALUE, "the baseline has no case of this name");
    orr_error_text(e, name, strlen(name));
    const char *near = orr_nearest(name, names.at, names.n);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    ORR_VEC_FREE(&names);
    return ORR_E_BAD_VALUE;
}

static orr_err select_cases(orr_check *c, const orr_check_options *o, orr_error *e)
{
    for (size_t i = 0; i < c->n; i++)
        c->cases[i].selected = !o->only;
    for (size_t i = 0; i < o->only_count; i++) {
        size_t k = 0;
        while (k < c->n && strcmp(c->cases[k].from->name, o->only[i]) != 0)
            k++;
        if (k == c->n)
            return unknown_case(c->baseline, o->only[i], e);
        c->cases[k].selected = true;
    }
    for (size_t i = 0; i < c->n; i++)
        c->selected += c->cases[i].selected;
    return ORR_OK;
}

/* ---- inputs ---- */

static const orr_baseline_input *recorded(const orr_baseline_case *from, const char *name)
{
    for (size_t i = 0; i < from->inputs.n; i++)
        if (strcmp(from->inputs.at[i].name, name) == 0)
            return &from->inputs.at[i];
    return NULL;
}

static const orr_check_input *read_now(const orr_check_case *k, const char *name)
{
    for (size_t i = 0; i < k->inputs.n; i++)
        if (strcmp(k->inputs.at[i].name, name) == 0)
            return &k->inputs.at[i];
    return NULL;
}

/* What isn't a file has no digest. */
static void add_input(orr_check_case *k, const char *name, const char *digest)
{
    orr_check_input input = {.name = name};
    if (!*digest)
        return;
    snprintf(input.digest, sizeof input.digest, "%s", digest);
    ORR_VEC_PUSH(&k->inputs, input);
}

static void list_inputs(orr_check_case *k, const orr_trace *trace, const orr_cluster_spec *cluster,
                        const orr_services *services)
{
    const orr_trace_input *files;
    const size_t n = orr_trace_inputs(trace, &files);
    add_input(k, "trace", orr_trace_digest(trace));
    add_input(k, "cluster", orr_cluster_spec_digest(cluster));
    for (size_t i = 1; i < n; i++)
        add_input(k, files[i].path, files[i].digest);
    if (services)
        add_input(k, "services", services->digest);
}

static void compare_inputs(orr_check *c, orr_check_case *k)
{
    const orr_baseline_case *from = k->from;
    for (size_t i = 0; i < k->inputs.n; i++) {
        const orr_check_input *now = &k->inputs.at[i];
        const orr_baseline_input *then = recorded(from, now->name);
        if (!then)
            add_problem(c, &k->problems, from->at->line, from->at->column,
                        "its inputs lack the SHA-256 of the %s, which is %s", now->name, now->digest);
        else if (strcmp(then->digest, now->digest) != 0)
            add_problem(c, &k->problems, then->at->line, then->at->column,
                        "the %s is not what the numbers were made of: SHA-256 %.12s... instead of %.12s...", now->name,
                        now->digest, then->digest);
    }
    for (size_t i = 0; i < from->inputs.n; i++) {
        const orr_baseline_input *then = &from->inputs.at[i];
        if (!read_now(k, then->name))
            add_problem(c, &k->problems, then->at->line, then->at->column, "the input %s isn't read any more",
                        then->name);
    }
}

static void prepare(orr_check *c, orr_check_case *k, orr_stock *stock, bool update)
{
    orr_error e = {0};
    const orr_case *setup = &k->from->setup;
    const orr_trace *trace = orr_stock_trace(stock, setup, &e);
    const orr_cluster_spec *cluster = trace ? orr_stock_cluster(stock, setup, &e) : NULL;
    const orr_services *services = NULL;
    if (!cluster || orr_stock_services(stock, setup, &services, &e)) {
        add_error(c, k, &e);
        return;
    }
    list_inputs(k, trace, cluster, services);
    if (update)
        return;
    if (k->from->expect.n)
        compare_inputs(c, k);
    else
        add_problem(c, &k->problems, k->from->at->line, k->from->at->column,
                    "it expects nothing yet; --update fills it in");
}

/* ---- running ---- */

typedef struct piece {
    orr_check_case *of;
    size_t seed;
} piece;

typedef struct work {
    orr_check *check;
    const orr_check_options *options;
    orr_stock *stock;
    ORR_VEC(piece) pieces;
    size_t done;
    bool stopped;
} work;

/* Leaves the summary in `out`, and the time it took in `least` if nothing took less. */
static orr_err run_once(const work *w, const orr_case *setup, double *least, orr_text *out, orr_error *e)
{
    orr_case_result result = {0};
    const double began = orr_wall_seconds();
    orr_err err = orr_case_run(setup, w->stock, NULL, &result, e);
    if (err)
        return err;
    *least = fmin(*least, orr_wall_seconds() - began);
    orr_text_clear(out);
    orr_text_add(out, result.summary.at, result.summary.n);
    err = result.code;
    orr_case_result_fini(&result);
    return err;
}

static orr_err run_piece(void *self, size_t i, orr_text *out, orr_error *e)
{
    const work *w = self;
    const piece *p = &w->pieces.at[i];
    orr_case setup = p->of->from->setup;
    double least = INFINITY;
    orr_err err = ORR_OK;
    setup.seed = p->of->from->seeds.at[p->seed];
    for (int run = 0; run < (w->options->wall_runs ? w->options->wall_runs : 1) && !err; run++)
        err = run_once(w, &setup, &least, out, e);
    if (!err && w->options->wall_runs)
        orr_text_addf(out, "\n%.9f", least);
    return err;
}

/* A line of JSON, and the seconds behind it where they were asked for. */
static void take_bytes(const work *w, const piece *p, const orr_text *bytes)
{
    const char *end = w->options->wall_runs ? strrchr(bytes->at, '\n') : NULL;
    double seconds = 0;
    p->of->summaries[p->seed] = cJSON_ParseWithLength(bytes->at, bytes->n);
    if (end && orr_parse_double(end + 1, strlen(end + 1), &seconds))
        p->of->wall_s += seconds;
}

static bool piece_done(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    work *w = self;
    const piece *p = &w->pieces.at[i];
    w->done++;
    if (error && error->code == ORR_E_INTERRUPTED)
        w->stopped = true;
    else if (error)
        add_error(w->check, p->of, error);
    else
        take_bytes(w, p, bytes);
    return !w->stopped;
}

static bool piece_tick(void *self)
{
    work *w = self;
    if (w->options->tick && !w->options->tick(w->options->self, w->done, w->pieces.n))
        w->stopped = true;
    return !w->stopped;
}

static orr_err run_pieces(work *w, orr_error *e)
{
    size_t *list = orr_xcalloc(w->pieces.n + 1, sizeof *list);
    for (size_t i = 0; i < w->pieces.n; i++)
        list[i] = i;
    const orr_pool_work pool = {w, run_piece, piece_done, piece_tick};
    const orr_err err = orr_pool_run(&pool, list, w->pieces.n, w->options->jobs, e);
    free(list);
    if (err)
        return err;
    return w->stopped ? orr_error_set(e, ORR_E_INTERRUPTED, "interrupted: nothing was compared") : ORR_OK;
}

static orr_err run_cases(orr_check *c, const orr_check_options *o, orr_error *e)
{
    work w = {.check = c, .options = o, .stock = orr_stock_create(o->registry)};
    for (size_t i = 0; i < c->n; i++) {
        orr_check_case *k = &c->cases[i];
        if (k->selected)
            prepare(c, k, w.stock, o->update);
        for (size_t s = 0; k->selected && k->problems.n == 0 && s < k->from->seeds.n; s++)
            ORR_VEC_PUSH(&w.pieces, ((piece){k, s}));
    }
    const orr_err err = run_pieces(&w, e);
    c->runs = w.pieces.n;
    ORR_VEC_FREE(&w.pieces);
    orr_stock_destroy(w.stock);
    return err;
}

/* ---- judging ---- */

static void add_unknown(orr_check *c, orr_check_case *k, const orr_check_number *x)
{
    char near[64] = "";
    const bool found = orr_numbers_nearest(k->summaries[0], x->key, near);
    const orr_yaml *at = x->expected ? x->expected->at : k->from->at;
    add_problem(c, &k->problems, x->expected ? at->key_line : at->line, x->expected ? at->key_column : at->column,
                "no number of the result has the key %s%s%s%s", x->key, found ? "; did you mean " : "", near,
                found ? "?" : "");
}

static bool look_up(orr_check *c, orr_check_case *k, orr_check_number *x)
{
    const size_t n = k->from->seeds.n;
    x->got = orr_arena_alloc(&c->arena, n * sizeof *x->got);
    for (size_t i = 0; i < n; i++)
        if (!orr_numbers_get(k->summaries[i], x->key, &x->got[i])) {
            add_unknown(c, k, x);
            return false;
        }
    return true;
}

/* Why a judgement couldn't be made, which has one of two reasons. */
static void add_undefined(orr_check *c, orr_check_case *k, const orr_check_number *x)
{
    const orr_expected *w = x->expected;
    const size_t seeds = k->from->seeds.n;
    const bool alone = seeds == 1;
    for (size_t i = 0; i < seeds; i++) {
        if (isnan(w->values[i]) == isnan(x->got[i]))
            continue;
        char seed[48] = "";
        if (!alone)
            snprintf(seed, sizeof seed, " with seed %llu", (unsigned long long)k->from->seeds.at[i]);
        add_problem(c, &k->problems, w->value->line, w->value->column, "%s is %s%s, and wasn't expected to be", x->key,
                    isnan(x->got[i]) ? "undefined" : "defined", seed);
        return;
    }
}

static bool is_whole(double v)
{
    return isnan(v) || floor(v) == v;
}

static bool all_whole(const orr_check_number *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!is_whole(x->got[i]) || (x->expected && !is_whole(x->expected->values[i])))
            return false;
    return true;
}

static void judge_number(orr_check *c, orr_check_case *k, orr_check_number *x)
{
    const size_t seeds = k->from->seeds.n;
    const orr_expected *w = x->expected;
    if (w->n != seeds) {
        add_problem(c, &k->problems, w->value->line, w->value->column, "%s has %zu %s for %zu %s", x->key, w->n,
                    w->n == 1 ? "number" : "numbers", seeds, seeds == 1 ? "seed" : "seeds");
        return;
    }
    const bool counts = strcmp(x->unit, "count") == 0 && all_whole(x, seeds);
    x->tolerance = orr_baseline_tolerance(c->baseline, k->from, w, counts);
    x->judgement = orr_judge(w->values, x->got, seeds, x->direction, &x->tolerance);
    if (x->judgement.verdict == ORR_VERDICT_NOT_COMPARABLE)
        add_undefined(c, k, x);
}

static void keep_number(orr_check *c, orr_check_case *k, const orr_check_number *x)
{
    const orr_verdict verdict = x->judgement.verdict;
    ORR_VEC_PUSH(&k->numbers, *x);
    c->counts[verdict]++;
    c->numbers++;
    k->verdict = verdict > k->verdict ? verdict : k->verdict;
}

static void add_number(orr_check *c, orr_check_case *k, const char *key, const orr_expected *expected, bool update)
{
    orr_check_number x = {.expected = expected, .key = key, .unit = orr_numbers_unit(key),
                          .direction = expected ? expected->direction : orr_numbers_direction(key)};
    x.judgement = orr_judge(NULL, NULL, 0, x.direction, &x.tolerance);
    const bool known = look_up(c, k, &x);
    if (known && !update)
        judge_number(c, k, &x);
    keep_number(c, k, &x);
}

static void add_usual(orr_check *c, orr_check_case *k)
{
    const orr_baseline *b = c->baseline;
    for (size_t i = 0; i < b->metrics.n; i++)
        add_number(c, k, b->metrics.at[i], NULL, true);
    const char *const *usual = orr_case_has_jobs(&k->from->setup) ? orr_check_usual : usual_served;
    for (size_t i = 0; b->metrics.n == 0 && usual[i]; i++)
        add_number(c, k, usual[i], NULL, true);
}

static bool is_complete(const orr_check_case *k)
{
    for (size_t i = 0; i < k->from->seeds.n; i++)
        if (!k->summaries[i])
            return false;
    return true;
}

static void check_measured(orr_check *c, orr_check_case *k)
{
    const orr_yaml *at = k->from->at;
    double measured = 0;
    const bool jobs = orr_case_has_jobs(&k->from->setup);
    for (size_t i = 0; i < k->from->seeds.n; i++)
        if (!orr_numbers_get(k->summaries[i], jobs ? "measured" : "requests.arrived", &measured) || measured <= 0) {
            add_problem(c, &k->problems, at->line, at->column, "no %s was measured", jobs ? "job" : "request");
            return;
        }
}

/* ---- real time ---- */

static void note_wall(orr_check_case *k, const char *why, const char *more)
{
    orr_text t = {0};
    orr_text_addf(&t, "%s%s", why, more);
    k->wall_note = t.at;
}

static void judge_wall(orr_check *c, orr_check_case *k, double factor)
{
    const orr_baseline_case *from = k->from;
    if (!from->wall.key) {
        note_wall(k, "no time is kept of it; --update --wall keeps one", "");
        return;
    }
    if (strcmp(from->wall_class, c->machine) != 0) {
        note_wall(k, "its time is that of another kind of machine: ", from->wall_class);
        return;
    }
    const size_t seeds = from->seeds.n;
    orr_check_number x = {.expected = &from->wall, .key = ORR_WALL_RUN, .unit = "s", .direction = ORR_BETTER_LOWER,
                          .tolerance = {.said = true, .rel = factor - 1},
                          .got = orr_arena_alloc(&c->arena, seeds * sizeof *x.got)};
    for (size_t i = 0; i < seeds; i++)
        x.got[i] = k->wall_s; /* of all of them together */
    x.judgement = orr_judge(from->wall.values, x.got, 1, x.direction, &x.tolerance);
    keep_number(c, k, &x);
}

static void judge_case(orr_check *c, orr_check_case *k, const orr_check_options *o)
{
    const bool update = o->update;
    if (k->problems.n == 0 && is_complete(k)) {
        check_measured(c, k);
        for (size_t i = 0; i < k->from->expect.n; i++)
            add_number(c, k, k->from->expect.at[i].key, &k->from->expect.at[i], update);
        if (update && k->from->expect.n == 0)
            add_usual(c, k);
        if (o->wall_runs && !update)
            judge_wall(c, k, o->wall_factor);
    }
    if (k->problems.n)
        k->verdict = ORR_VERDICT_NOT_COMPARABLE;
}

void orr_check_judge(orr_check *c, const orr_check_options *options)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->cases[i].selected)
            judge_case(c, &c->cases[i], options);
    if (c->n == 0)
        add_problem(c, &c->general, 0, 0, "the baseline has no cases");
    else if (c->selected == 0)
        add_problem(c, &c->general, 0, 0, "no case is selected");
}

/* ---- the whole ---- */

void orr_check_init(orr_check *c, const orr_baseline *b)
{
    *c = (orr_check){.baseline = b, .file = b->doc.file, .n = b->cases.n};
    c->cases = orr_xcalloc(c->n + 1, sizeof *c->cases);
    for (size_t i = 0; i < c->n; i++) {
        c->cases[i].from = &b->cases.at[i];
        c->cases[i].summaries = orr_xcalloc(b->cases.at[i].seeds.n + 1, sizeof(cJSON *));
    }
}

orr_err orr_check_run(orr_check *c, const orr_baseline *b, const orr_check_options *o, orr_error *e)
{
    orr_check_init(c, b);
    if (o->wall_runs)
        orr_wall_class(c->machine);
    orr_err err = select_cases(c, o, e);
    if (!err)
        err = run_cases(c, o, e);
    if (!err)
        orr_check_judge(c, o);
    return err;
}

int orr_check_status(const orr_check *c, bool strict)
{
    if (c->problems || c->numbers == 0)
        return 2;
    if (c->counts[ORR_VERDICT_REGRESSED] || c->counts[ORR_VERDICT_CHANGED])
        return 1;
    return strict && c->counts[ORR_VERDICT_IMPROVED] ? 1 : 0;
}

static void problems_fini(orr_check_problems *p)
{
    for (size_t i = 0; i < p->n; i++)
        free(p->at[i].text);
    ORR_VEC_FREE(p);
}

static void case_fini(orr_check_case *k)
{
    for (size_t i = 0; i < k->from->seeds.n; i++)
        cJSON_Delete(k->summaries[i]);
    for (size_t i = 0; i < k->moved.n; i++)
        orr_moved_fini(&k->moved.at[i]);
    free(k->summaries);
    free(k->wall_note);
    ORR_VEC_FREE(&k->moved);
    ORR_VEC_FREE(&k->inputs);
    ORR_VEC_FREE(&k->numbers);
    problems_fini(&k->problems);
}

void orr_check_fini(orr_check *c)
{
    for (size_t i = 0; i < c->n; i++)
        case_fini(&c->cases[i]);
    problems_fini(&c->general);
    free(c->cases);
    orr_arena_fini(&c->arena);
}
