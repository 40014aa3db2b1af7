/* orrery sweep: the cells of a plan over all cores; shards of them; their joining. What is run and kept lives in
 * src/study; here are the forms in which it is asked and told. */
#include "cmd.h"
#include "module.h"
#include "signals.h"

#include "report/json.h"
#include "study/folder.h"
#include "study/shard.h"
#include "study/sweep.h"
#include "study/sweep_inputs.h"
#include "study/sweep_report.h"
#include "study/wall.h"
#include <stdio.h>
#include <stdlib.h>

/* What is wrong in a file is wrong data, even where the same words on the command line would be wrong usage. */
static int tell(app *a, const orr_error *e)
{
    const int status = say_error(&a->say, e);
    return status == 64 && e->file[0] ? 65 : status;
}

/* ---- progress ---- */

#define LIVE_EVERY 0.1
#define PLAIN_EVERY 30.0

typedef struct ticker {
    bool live, plain, shown;
    int width;
    double began, last; /* real seconds */
} ticker;

static void ticker_begin(ticker *t, const app *a)
{
    const char *ci = getenv("CI");
    const bool quiet = a->set->quiet || (ci && *ci);
    *t = (ticker){.live = a->say.to.terminal && !quiet, .width = a->say.to.width};
    t->plain = !t->live && a->set->verbose;
    t->began = t->last = orr_wall_seconds();
}

static void line_of(const orr_sweep_progress *p, double spent, orr_text *t)
{
    char some[ORR_DOUBLE_BUF], all[ORR_DOUBLE_BUF];
    const size_t left = p->cells - p->found - p->done;
    orr_format_count(p->found + p->done, some);
    orr_format_count(p->cells, all);
    orr_text_addf(t, "%s of %s cells", some, all);
    if (p->failed)
        orr_text_addf(t, ", %zu failed", p->failed);
    if (p->done && spent > 1)
        orr_text_addf(t, "  %.3g cells/s  about %.0f s left", (double)p->done / spent,
                      spent * (double)left / (double)p->done);
}

static void show(ticker *w, const orr_sweep_progress *p, bool rewrite)
{
    orr_text t = {0};
    line_of(p, orr_wall_seconds() - w->began, &t);
    if (rewrite)
        fprintf(stderr, "\r%.*s\x1b[K", w->width - 1, t.at);
    else
        fprintf(stderr, "%s%s\n", w->shown ? "\r\x1b[K" : "", t.at);
    fflush(stderr);
    w->shown = rewrite;
    orr_text_fini(&t);
}

static bool tick(void *self, const orr_sweep_progress *p)
{
    ticker *w = self;
    const double now = orr_wall_seconds();
    if (signals_take_progress())
        show(w, p, false);
    if ((w->live || w->plain) && now - w->last >= (w->live ? LIVE_EVERY : PLAIN_EVERY)) {
        w->last = now;
        show(w, p, w->live);
    }
    return !signals_interrupted();
}

static void ticker_end(const ticker *w)
{
    if (w->shown)
        fputs("\r\x1b[K", stderr);
}

/* ---- results ---- */

static orr_err print_lines(const orr_sweep_plan *plan, const orr_cells *cells, orr_error *e)
{
    orr_text line = {0};
    orr_err err = ORR_OK;
    for (size_t cell = 1; cell <= plan->cells && !err; cell++) {
        if (!orr_cells_has(cells, cell))
            continue;
        err = orr_cells_line(cells, cell, &line, e);
        orr_text_add(&line, "\n", 1);
        print_text(&line);
    }
    orr_text_fini(&line);
    return err;
}

static orr_err print_csv(const orr_sweep_plan *plan, const orr_sweep_results *results, orr_error *e)
{
    orr_output *out = orr_output_create("-", e);
    if (!out)
        return ORR_E_CREATE;
    orr_sweep_cells_csv(plan, results, out);
    return orr_output_commit(out, e);
}

static void print_tables(const app *a, const orr_sweep_plan *plan, const orr_sweep_results *results)
{
    orr_text t = {0};
    orr_sweep_tables(plan, results, a->set->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT, &t);
    print_text(&t);
    orr_text_fini(&t);
}

static void print_shard(const app *a, const orr_cells *cells)
{
    printf("shard %s: %zu cells in %s; `orrery sweep --merge` joins the shards\n", a->set->shard,
           orr_cells_count(cells), a->set->out);
}

static orr_err print_results(const app *a, const orr_sweep_plan *plan, const orr_cells *cells,
                             const orr_sweep_results *results, orr_error *e)
{
    if (a->set->json)
        return print_lines(plan, cells, e);
    if (a->set->csv)
        return print_csv(plan, results, e);
    if (a->set->shard)
        print_shard(a, cells);
    else
        print_tables(a, plan, results);
    return ORR_OK;
}

/* ---- cells that failed ---- */

static void message_of(const orr_cells *cells, size_t cell, orr_text *out)
{
    orr_text line = {0};
    orr_error e = {0};
    if (orr_cells_line(cells, cell, &line, &e) == ORR_OK) {
        cJSON *document = cJSON_ParseWithLength(line.at, line.n);
        const cJSON *error = cJSON_GetObjectItemCaseSensitive(document, "error");
        const cJSON *message = cJSON_GetObjectItemCaseSensitive(error, "message");
        orr_text_addf(out, "%s", cJSON_IsString(message) ? message->valuestring : "");
        cJSON_Delete(document);
    }
    orr_text_fini(&line);
}

/* The first one, by number, gives the status; the table names them all. */
static int tell_failed(app *a, const orr_cells *cells, const orr_sweep_results *results)
{
    size_t cell = 1;
    orr_text message = {0};
    orr_error e = {0};
    if (!results->failed)
        return 0;
    while (!results->states[cell - 1].code)
        cell++;
    message_of(cells, cell, &message);
    orr_error_set(&e, results->states[cell - 1].code, "cell %zu failed: %s", cell, message.n ? message.at : "");
    if (results->failed > 1)
        orr_error_hint(&e, "it is the first of %zu; the table, or --json, names all", results->failed);
    orr_text_fini(&message);
    return say_error(&a->say, &e);
}

/* All cells are there, or all of the shard. */
static int finish(app *a, const orr_sweep_plan *plan, const orr_cells *cells)
{
    orr_error e = {0};
    orr_sweep_results results = {0};
    int status = 0;
    orr_err err = orr_sweep_results_load(plan, cells, &results, &e);
    if (!err && a->set->out && !a->set->shard)
        err = orr_sweep_write(a->set->out, plan, &results, &e);
    if (!err)
        err = print_results(a, plan, cells, &results, &e);
    status = err ? tell(a, &e) : tell_failed(a, cells, &results);
    orr_sweep_results_fini(&results);
    return status;
}

/* ---- running ---- */

static void tell_found(app *a, const orr_sweep_progress *p)
{
    if (p->found)
        say_note(&a->say, "sweep-resumed", a->set->out, 0, "%zu of %zu cells were finished already", p->found,
                 p->cells);
}

static int run(app *a, const orr_sweep_plan *plan, const orr_sweep_options *options)
{
    orr_error e = {0};
    orr_sweep *sweep = orr_sweep_create(plan, options, &e);
    if (!sweep)
        return tell(a, &e);
    tell_found(a, orr_sweep_progress_of(sweep));
    signals_run();
    const orr_err err = orr_sweep_run(sweep, &e);
    ticker_end(options->self);
    if (err == ORR_E_INTERRUPTED && a->set->out)
        orr_error_hint(&e, "the same command goes on from there");
    const int status = err ? tell(a, &e) : finish(a, plan, orr_sweep_cells(sweep));
    orr_sweep_destroy(sweep);
    return status;
}

static int run_all(app *a, const orr_sweep_plan *plan, const orr_registry *registry)
{
    ticker w;
    orr_error e = {0};
    orr_sweep_options options = {.registry = registry,
                                 .plugins = a->set->plugins.at,
                                 .plugin_count = a->set->plugins.n,
                                 .dir = a->set->out,
                                 .force = a->set->force,
                                 .jobs = (int)a->set->parallel,
                                 .self = &w,
                                 .tick = tick,
                                 .interrupted = signals_interrupted};
    if (a->set->shard && orr_shard_parse(a->set->shard, &options.shard, &options.shards, &e))
        return tell(a, &e);
    ticker_begin(&w, a);
    return run(a, plan, &options);
}

/* ---- one cell, as `run` does it ---- */

static bool keep_going(void *self, orr_sim *sim)
{
    (void)self, (void)sim;
    return !signals_interrupted();
}

static void print_one(const app *a, const orr_case_result *result)
{
    const settings *s = a->set;
    orr_text t = {0};
    if (s->json)
        orr_text_add(&t, result->summary.at, result->summary.n);
    else
        orr_report_table(result->report, 1,
                         s->csv        ? ORR_TABLE_CSV
                         : s->markdown ? ORR_TABLE_MARKDOWN
                                       : ORR_TABLE_TEXT,
                         &t);
    print_text(&t);
    orr_text_fini(&t);
}

static int run_case(app *a, const orr_case *c, orr_stock *stock)
{
    orr_error e = {0};
    orr_case_result result = {0};
    const orr_case_hooks hooks = {
        .dir = a->set->out, .more = keep_going, .argc = a->argc, .argv = (const char *const *)a->argv};
    signals_run();
    orr_err err = orr_case_run(c, stock, &hooks, &result, &e);
    if (!err) {
        print_one(a, &result);
        err = result.code;
    }
    orr_case_result_fini(&result);
    return err ? tell(a, &e) : 0;
}

static orr_err check_cell(const app *a, const orr_sweep_plan *plan, const orr_registry *registry, orr_error *e)
{
    const settings *s = a->set;
    if (s->cell > plan->cells)
        return orr_error_set(e, ORR_E_BAD_VALUE, "there is no cell %llu: the plan has %zu", (unsigned long long)s->cell,
                             plan->cells);
    const orr_err err = orr_sweep_check(plan, registry, e);
    return err || !s->out ? err : orr_folder_check(s->out, s->force, e);
}

static int run_cell(app *a, const orr_sweep_plan *plan, const orr_registry *registry)
{
    uint32_t at[ORR_SWEEP_AXES];
    orr_arena arena = {0};
    orr_error e = {0};
    orr_case c;
    orr_sweep_inputs inputs = {0};
    orr_stock *stock = orr_stock_create(registry);
    orr_err err = check_cell(a, plan, registry, &e);
    if (!err)
        err = orr_sweep_load(plan, stock, (size_t)a->set->cell, &inputs, &e);
    if (!err) {
        orr_sweep_cell(plan, (size_t)a->set->cell, at);
        err = orr_sweep_case(plan, at, &arena, &c, &e);
    }
    const int status = err ? tell(a, &e) : run_case(a, &c, stock);
    orr_stock_destroy(stock);
    orr_sweep_inputs_fini(&inputs);
    orr_arena_fini(&arena);
    return status;
}

/* ---- the cells, listed ---- */

static void list_line(const orr_sweep_plan *plan, size_t cell, const uint32_t *at)
{
    cJSON *axes = orr_sweep_axes_json(plan, at);
    char *text = cJSON_PrintUnformatted(axes);
    printf("{\"cell\":%zu,\"axes\":%s}\n", cell, text);
    cJSON_free(text);
    cJSON_Delete(axes);
}

static void list_row(const orr_sweep_plan *plan, size_t cell, const uint32_t *at, orr_grid *grid)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", cell);
    orr_grid_cell(grid, number, NULL);
    for (size_t i = 0; i < plan->axes.n; i++)
        orr_grid_cell(grid, orr_sweep_value(plan, i, at), NULL);
}

static int list(app *a, const orr_sweep_plan *plan)
{
    const settings *s = a->set;
    orr_error e = {0};
    orr_text t = {0};
    orr_sweep_options which = {0};
    if (s->shard && orr_shard_parse(s->shard, &which.shard, &which.shards, &e))
        return tell(a, &e);
    orr_grid *grid = orr_grid_create();
    orr_grid_column(grid, "cell", "cell", true);
    for (size_t i = 0; i < plan->axes.n; i++)
        orr_grid_column(grid, plan->axes.at[i].key, plan->axes.at[i].key, false);
    for (size_t cell = 1; cell <= plan->cells; cell++) {
        uint32_t at[ORR_SWEEP_AXES];
        if (!orr_sweep_covers(&which, cell))
            continue;
        orr_sweep_cell(plan, cell, at);
        if (s->json)
            list_line(plan, cell, at);
        else
            list_row(plan, cell, at, grid);
    }
    if (!s->json)
        orr_grid_print(grid, s->csv ? ORR_TABLE_CSV : s->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT, &t);
    print_text(&t);
    orr_text_fini(&t);
    orr_grid_destroy(grid);
    return 0;
}

/* ---- the command ---- */

static orr_err check(const app *a, orr_error *e)
{
    const settings *s = a->set;
    if (s->merge && (s->shard || s->cell || s->list_cells))
        return orr_error_set(e, ORR_E_CONFLICT, "--merge joins whole shards: it takes no --shard, --cell or --list");
    if (s->shard && s->cell)
        return orr_error_set(e, ORR_E_CONFLICT, "--shard and --cell exclude each other");
    if (!s->merge && a->operand_count > 1) {
        orr_error_set(e, ORR_E_USAGE, "one plan at a time");
        orr_error_text(e, a->operands[1], strlen(a->operands[1]));
        orr_error_hint(e, "--merge takes several folders");
        return ORR_E_USAGE;
    }
    if (s->shard && !s->out && !s->json && !s->csv && !s->list_cells) {
        orr_error_set(e, ORR_E_MISSING, "a shard has no table of its own");
        orr_error_hint(e, "keep its cells with -o DIR, or print them with --json");
        return ORR_E_MISSING;
    }
    return ORR_OK;
}

static int merge(app *a)
{
    orr_error e = {0};
    orr_sweep_plan *plan = NULL;
    orr_cells *cells = NULL;
    if (orr_shards_merge(a->operands, a->operand_count, a->set->out, a->set->force, &plan, &cells, &e))
        return tell(a, &e);
    const int status = finish(a, plan, cells);
    orr_cells_close(cells);
    orr_sweep_plan_destroy(plan);
    return status;
}

static orr_sweep_plan *read_plan(const char *path, orr_error *e)
{
    char *data = NULL;
    size_t size = 0;
    orr_sweep_plan *plan = NULL;
    orr_input *in = orr_input_open(path, e);
    if (!in)
        return NULL;
    if (orr_input_all(in, &data, &size, e) == ORR_OK)
        plan = orr_sweep_plan_read(path, data, size, e);
    orr_input_close(in);
    free(data);
    return plan;
}

static int with_plan(app *a, const orr_sweep_plan *plan)
{
    int status = 0;
    if (a->set->list_cells)
        return list(a, plan);
    orr_registry *registry = module_registry(&a->say, &a->set->plugins, &status);
    if (registry)
        status = a->set->cell ? run_cell(a, plan, registry) : run_all(a, plan, registry);
    orr_registry_destroy(registry);
    return status;
}

int cmd_sweep(app *a)
{
    orr_error e = {0};
    if (check(a, &e))
        return tell(a, &e);
    if (a->set->merge)
        return merge(a);
    orr_sweep_plan *plan = read_plan(a->operands[0], &e);
    if (!plan)
        return tell(a, &e);
    const int status = with_plan(a, plan);
    orr_sweep_plan_destroy(plan);
    return status;
}
