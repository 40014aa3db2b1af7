/* orrery check BASELINE: what its cases give now against what they should, for people and for the services that run it.
 * Reports are written whatever the verdict; the exit status is that of the verdict unless a report can't be written. */
#define _POSIX_C_SOURCE 200809L
#include "cmd.h"
#include "module.h"
#include "origin.h"
#include "progress.h"
#include "signals.h"
#include "study/baseline_update.h"
#include "study/check_out.h"
#include "study/moved.h"
#include "study/wall.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct checking {
    app *a;
    const char *file;
    orr_registry *registry;
    orr_baseline baseline;
    orr_check check;
    orr_check_options options;
    bool live;        /* a line of progress is wanted */
    bool shown;
    double last;
} checking;

/* ---- progress ---- */

static bool tick(void *self, size_t done, size_t all)
{
    checking *k = self;
    const double now = orr_wall_seconds();
    if (k->live && now - k->last >= 0.1) {
        fprintf(stderr, "\rcheck: %zu of %zu runs\x1b[K", done, all);
        fflush(stderr);
        k->shown = true;
        k->last = now;
    }
    return !signals_interrupted();
}

static void take_line_away(checking *k)
{
    if (k->shown)
        fputs("\r\x1b[K", stderr);
    k->shown = false;
}

/* ---- what may be asked ---- */

static orr_err check_settings(const settings *s, orr_error *e)
{
    if (s->update && !s->message) {
        orr_error_set(e, ORR_E_MISSING, "an update needs a reason: -m REASON");
        orr_error_hint(e, "it is kept in the baseline, for whoever reviews the change");
        return ORR_E_MISSING;
    }
    if (s->message && !s->update)
        return orr_error_set(e, ORR_E_CONFLICT, "--message is the reason of an update: it goes with --update");
    if (s->message && !orr_utf8_valid(s->message, strlen(s->message)))
        return orr_error_set(e, ORR_E_BAD_VALUE, "--message isn't UTF-8");
    return ORR_OK;
}

/* ---- messages ---- */

static void say_problems(checking *k, const orr_check_problems *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        orr_error e = {0};
        orr_error_set(&e, ORR_E_NOT_COMPARABLE, "%s%s%s", name, *name ? ": " : "", list->at[i].text);
        orr_error_at(&e, k->file, list->at[i].line, list->at[i].column);
        say_error(&k->a->say, &e);
    }
}

static void say_all_problems(checking *k)
{
    say_problems(k, &k->check.general, "");
    for (size_t i = 0; i < k->check.n; i++)
        say_problems(k, &k->check.cases[i].problems, k->check.cases[i].from->name);
}

/* ---- reports ---- */

static int write_report(checking *k, const char *path, const orr_text *text)
{
    orr_error e = {0};
    return orr_report_write(path, text, &e) ? say_error(&k->a->say, &e) : 0;
}

/* Files that a service gives to add to. */
static int append_to(checking *k, const char *variable, const orr_text *text)
{
    const char *path = getenv(variable);
    if (!path || !*path)
        return 0;
    FILE *f = fopen(path, "a");
    bool written = f && fwrite(text->at, 1, text->n, f) == text->n;
    if (f && fclose(f))
        written = false;
    if (written)
        return 0;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_WRITE, "the file of $%s can't be written: %s", variable, strerror(errno));
    orr_error_at(&e, path, 0, 0);
    return say_error(&k->a->say, &e);
}

static int write_files(checking *k)
{
    const settings *s = k->a->set;
    orr_text t = {0};
    int status = 0;
    if (s->junit) {
        orr_check_junit(&k->check, s->strict, &t);
        keep_first(&status, write_report(k, s->junit, &t));
        orr_text_clear(&t);
    }
    if (s->markdown_file) {
        orr_check_table(&k->check, ORR_TABLE_MARKDOWN, s->strict, s->verbose, &t);
        keep_first(&status, write_report(k, s->markdown_file, &t));
        orr_text_clear(&t);
    }
    if (s->metrics_file) {
        orr_check_openmetrics(&k->check, &t);
        keep_first(&status, write_report(k, s->metrics_file, &t));
    }
    orr_text_fini(&t);
    return status;
}

static int tell_github(checking *k)
{
    const settings *s = k->a->set;
    orr_text t = {0};
    int status = 0;
    orr_check_table(&k->check, ORR_TABLE_MARKDOWN, s->strict, false, &t);
    orr_text_addf(&t, "\n");
    keep_first(&status, append_to(k, "GITHUB_STEP_SUMMARY", &t));
    orr_text_clear(&t);
    orr_check_github_output(&k->check, s->strict, &t);
    keep_first(&status, append_to(k, "GITHUB_OUTPUT", &t));
    orr_text_fini(&t);
    return status;
}

/* Workflow commands are lines among others, so they would spoil a document. */
static int print(checking *k)
{
    const settings *s = k->a->set;
    const bool commands = s->github && !s->json && !s->csv;
    orr_error e = {0};
    orr_text t = {0};
    if (commands)
        orr_text_addf(&t, "::group::orrery check\n");
    if (s->json)
        (void)!orr_check_json(&k->check, s->strict, &t, &e);
    else
        orr_check_table(&k->check, s->csv ? ORR_TABLE_CSV : ORR_TABLE_TEXT, s->strict, s->verbose, &t);
    if (commands) {
        orr_text_addf(&t, "::endgroup::\n");
        orr_check_github(&k->check, s->strict, &t);
    }
    print_text(&t);
    orr_text_fini(&t);
    return e.code ? say_error(&k->a->say, &e) : 0;
}

static int report(checking *k)
{
    const settings *s = k->a->set;
    int status = 0;
    say_all_problems(k);
    keep_first(&status, print(k));
    keep_first(&status, write_files(k));
    if (s->github)
        keep_first(&status, tell_github(k));
    return status ? status : orr_check_status(&k->check, s->strict);
}

/* ---- updating ---- */

static int tell_update(checking *k, const orr_update *u)
{
    if (u->numbers + u->inputs + u->times == 0) {
        printf("%s is up to date: %zu numbers of %zu cases\n", k->file, k->check.numbers, k->check.selected);
        return 0;
    }
    printf("%s: %zu of %zu numbers and %zu digests of inputs are new\n", k->file, u->numbers, k->check.numbers,
           u->inputs);
    if (u->times)
        printf("the time of %zu %s is noted\n", u->times, u->times == 1 ? "case" : "cases");
    return 0;
}

static int write_update(checking *k, orr_error *e)
{
    char date[16], commit[72];
    orr_update u;
    origin_date(date);
    origin_commit(k->file, commit);
    const orr_update_note note = {date, commit, k->a->set->message};
    orr_err err = orr_baseline_update(&k->check, &note, &u, e);
    if (!err && u.numbers + u.inputs + u.times)
        err = orr_report_write(k->file, &u.text, e);
    const int status = err ? say_error(&k->a->say, e) : tell_update(k, &u);
    if (!err && *k->baseline.reference)
        printf("the event %s of %zu %s kept in %s\n", k->check.runs == 1 ? "log" : "logs", k->check.runs,
               k->check.runs == 1 ? "run is" : "runs are", k->baseline.reference);
    orr_update_fini(&u);
    return status;
}

/* References come first: when they can't be written the numbers stay, too. */
static int update(checking *k)
{
    orr_error e = {0};
    if (k->check.problems) {
        say_all_problems(k);
        printf("nothing is updated: not every case could be run\n");
        return 2;
    }
    if (orr_reference_write(&k->check, &k->options, &e))
        return say_error(&k->a->say, &e);
    return write_update(k, &e);
}

/* ---- which jobs moved ---- */

static orr_err scratch_failed(const char *folder, orr_error *e)
{
    orr_error_set(e, ORR_E_CREATE, "no folder for temporary files can be made: %s", strerror(errno));
    orr_error_at(e, folder, 0, 0);
    return ORR_E_CREATE;
}

static orr_err find_moved(checking *k, orr_error *e)
{
    const char *tmp = getenv("TMPDIR");
    orr_text scratch = {0};
    orr_err err = ORR_OK;
    if (k->a->set->jobs_diff == 0 || k->a->set->update)
        return ORR_OK;
    orr_text_addf(&scratch, "%s/orrery-check-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(scratch.at)) {
        err = orr_moved_find(&k->check, &k->options, (size_t)k->a->set->jobs_diff, scratch.at, e);
        rmdir(scratch.at);
    } else {
        err = scratch_failed(scratch.at, e);
    }
    orr_text_fini(&scratch);
    return err;
}

/* ---- the command ---- */

static void set_options(checking *k)
{
    const settings *s = k->a->set;
    k->live = progress_is_live(k->a);
    k->options = (orr_check_options){.only = s->check_cases.at,
                                     .only_count = s->check_cases.n,
                                     .jobs = s->check_wall ? 1 : (int)s->parallel, /* alone, to be timed */
                                     .update = s->update,
                                     .wall_runs = s->check_wall ? (int)s->wall_runs : 0,
                                     .wall_factor = s->wall_factor,
                                     .registry = k->registry,
                                     .tick = tick,
                                     .self = k};
}

static int run(checking *k)
{
    const settings *s = k->a->set;
    orr_error e = {0};
    set_options(k);
    signals_run();
    orr_err err = orr_check_run(&k->check, &k->baseline, &k->options, &e);
    if (!err)
        err = find_moved(k, &e);
    take_line_away(k);
    if (err)
        return say_error(&k->a->say, &e);
    return s->update ? update(k) : report(k);
}

int cmd_check(app *a)
{
    checking k = {.a = a, .file = a->operands[0]};
    orr_error e = {0};
    int status = 0;
    if (check_settings(a->set, &e))
        return say_error(&a->say, &e);
    k.registry = module_registry(&a->say, &a->set->plugins, &status);
    if (!k.registry)
        return status;
    if (orr_baseline_read(&k.baseline, k.file, &e))
        status = say_error(&a->say, &e);
    else
        status = run(&k);
    orr_check_fini(&k.check);
    orr_baseline_fini(&k.baseline);
    orr_registry_destroy(k.registry);
    return status;
}
