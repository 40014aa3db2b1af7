/* The command line: finds the command, parses by the table of options, runs it, and turns what happened into an exit
 * status. Results go to stdout, everything else to stderr. */
#include "cmd.h"
#include "formats.h"
#include "signals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static const command table[] = {
    {.name = "run",
     .bit = CMD_RUN,
     .purpose = "replay a trace on a cluster under one or more policies",
     .usage = "-t FILE -c WHAT -p SPEC [options] | EXPERIMENT.yaml [options]\n"
              "  orrery run --services FILE -c WHAT [--serve SPEC] [options]",
     .examples = {"orrery run -t traces/philly-2k.csv -c nodes=8,gpus=8 -p fifo",
                  "orrery run -t traces/philly-2k.csv -c nodes=8,gpus=8 -p fifo -p srtf",
                  "orrery run -t traces/philly-2k.csv -c nodes=8,gpus=8 -p las -o out",
                  "orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve aimd"},
     .exits = "0 64 65 66 70 71 73 74 75 76 130 141",
     .more =
         "`orrery help run OPTION` says more about one option, `orrery policies` what can stand behind -p. Columns of "
         "traces: traces/README.md. Keys of cluster files: configs/README.md.",
     .operands_max = 1,
     .no_operand_hint = "one experiment at a time; traces are given by -t, clusters by -c, policies by -p",
     .run = cmd_run},
    {.name = "compare",
     .bit = CMD_COMPARE,
     .purpose = "set results side by side, metric by metric and job by job",
     .usage = "[options] DIR|POLICY...",
     .examples = {"orrery compare fifo srtf -t traces/philly-2k.csv -c nodes=8,gpus=8",
                  "orrery compare las fifo -t traces/tiny.csv -c nodes=2,gpus=4 --metric 'jct.*'",
                  "orrery compare fifo srtf -t traces/tiny.csv -c nodes=2,gpus=4 --fail jct.mean:+0"},
     .exits = "0 1 2 64 65 66 70 71 73 74 75 76 130 141",
     .more = "An operand that is a folder is what `orrery run -o` made: a result, or several. Any other is a policy, run "
             "on -t and -c. Metrics: src/metrics/README.md.",
     .operands_min = 1,
     .operands_max = SIZE_MAX,
     .run = cmd_compare},
    {.name = "check",
     .bit = CMD_CHECK,
     .purpose = "fail when a change moves results that a baseline expects",
     .usage = "[options] BASELINE.yaml",
     .examples = {"orrery check tests/baseline/policies.yaml",
                  "orrery check tests/baseline/policies.yaml --case fifo -v",
                  "orrery check tests/baseline/policies.yaml --junit check.xml"},
     .exits = "0 1 2 64 65 66 71 73 74 130 141",
     .more = "Exit 1: something regressed or changed. Exit 2: something can't be compared. Keys of baselines and "
             "examples for CI services: configs/README.md.",
     .operands_min = 1,
     .operands_max = 1,
     .no_operand_hint = "one baseline at a time; a report is named by its option",
     .run = cmd_check},
    {.name = "sweep",
     .bit = CMD_SWEEP,
     .purpose = "run a grid of cases over all cores, and say which wins where",
     .usage = "[options] PLAN.yaml | --merge [options] DIR...",
     .examples = {"orrery sweep configs/experiments/sweep-small.yaml",
                  "orrery sweep configs/experiments/sweep-small.yaml --list",
                  "orrery sweep configs/experiments/sweep-small.yaml --shard 1/2 -o s1"},
     .exits = "0 2 64 65 66 70 71 73 74 75 76 130 141",
     .more = "A cell that fails is a result with an error; the first of them gives the exit code (76: it stalled or broke "
             "the contract), after all have run. Exit 2: the folder is of another plan or of other inputs, or --merge "
             "misses cells. Keys of plans: configs/README.md. Batch systems: tools/batch/README.md.",
     .operands_min = 1,
     .operands_max = SIZE_MAX,
     .run = cmd_sweep},
    {.name = "verify",
     .bit = CMD_VERIFY,
     .purpose = "prove finished schedules from their event logs alone",
     .usage = "[options] DIR|FILE...",
     .examples = {"orrery verify out", "orrery verify out/fifo out/srtf --json", "orrery verify out/events.orrlog"},
     .exits = "0 1 2 64 65 66 74 141",
     .more = "Exit 1: a schedule breaks a rule, or a file beside its log says something else. Exit 2: there is no log, "
             "or it is cut. Rules: src/verify/README.md.",
     .operands_min = 1,
     .operands_max = SIZE_MAX,
     .run = cmd_verify},
    {.name = "policies",
     .bit = CMD_POLICIES,
     .purpose = "list policies, placers and estimators, or tell about one",
     .usage = "[options] [NAME]",
     .examples = {"orrery policies", "orrery policies tiresias", "orrery policies --kind place --json"},
     .exits = "0 64 74 76 141",
     .more = "policies/README.md tells how to write one.",
     .operands_max = 1,
     .no_operand_hint = "one name at a time",
     .run = cmd_policies},
    {.name = "describe",
     .bit = CMD_DESCRIBE,
     .purpose = "say what a trace or cluster file holds, or a result",
     .usage = "[options] FILE|DIR...",
     .examples = {"orrery describe traces/philly-2k.csv", "orrery describe -c nodes=8,gpus=8 traces/philly-2k.csv",
                  "orrery describe --json traces/philly-2k.csv"},
     .exits = "0 64 65 66 73 74 141",
     .more = "Columns of traces: traces/README.md. Keys of cluster files: configs/README.md.",
     .operands_min = 1,
     .operands_max = SIZE_MAX,
     .run = cmd_describe},
    {.name = "convert",
     .bit = CMD_CONVERT,
     .purpose = "write a trace in another format, and tell what that can't hold",
     .usage = "--to NAME [options] FILE",
     .examples = {"orrery convert traces/tiny.csv --to helios",
                  "orrery convert traces/philly-2k.csv --to swf --from 2d --until 4d",
                  "orrery convert traces/trials-1k.csv --to pollux -o pollux.csv --json"},
     .exits = "0 64 65 66 73 74 141",
     .more = "traces/README.md says, format by format, what is kept and by which rules.",
     .operands_min = 1,
     .operands_max = 1,
     .no_operand_hint = "one trace at a time; the output file is given by -o",
     .run = cmd_convert},
    {.name = "synth",
     .bit = CMD_SYNTH,
     .purpose = "make a synthetic trace",
     .usage = "[options]",
     .examples = {"orrery synth --shape helios --vcs 3 --users 20",
                  "orrery synth --fit traces/philly-2k.csv --seed 2",
                  "orrery synth --requests 1000 --services 9 --service-zipf 1"},
     .exits = "0 64 65 66 73 74 141",
     .more = "traces/README.md has the commands that made the samples.",
     .no_operand_hint = "the output file is given by -o",
     .run = cmd_synth},
    {.name = "survey",
     .bit = CMD_SURVEY,
     .purpose = "put published claims about the policies to the test",
     .usage = "[options] [FILE|NAME...]",
     .examples = {"orrery survey", "orrery survey --list", "orrery survey tiresias-fifo --json"},
     .exits = "0 1 2 64 65 66 71 74 76 130 141",
     .more = "Exit 1: a claim fails. Exit 2: one can't be told, or none was tested. configs/survey/README.md tells how to "
             "write one.",
     .operands_max = SIZE_MAX,
     .run = cmd_survey},
    {.name = "plan",
     .bit = CMD_PLAN,
     .purpose = "find the smallest cluster that meets targets",
     .usage = "-t FILE -p SPEC --target EXPR [options]",
     .examples = {"orrery plan -t traces/philly-2k.csv -p easy --target 'wait_first.p95 < 10min'",
                  "orrery plan -t traces/philly-2k.csv -p edf --target 'deadline_met >= 60%'",
                  "orrery plan -t traces/helios-5k.csv -p las --target 'jct.mean < 5h' --split vc"},
     .exits = "0 1 64 65 66 70 71 74 76 130 141",
     .more = "Exit 1: no size tried is enough. `orrery help plan OPTION` says more about one option. Metrics: "
             "src/metrics/README.md.",
     .no_operand_hint = "the trace is given by -t, a target by --target",
     .run = cmd_plan},
    {.name = "explain",
     .bit = CMD_EXPLAIN,
     .purpose = "say why a job lived as it did, or what a code means",
     .usage = "[CODE] | DIR --job ID [options]",
     .examples = {"orrery explain", "orrery explain trace-missing-column", "orrery explain stalled --json"},
     .exits = "0 2 64 65 66 74 141",
     .more = "`orrery run ... -o DIR` writes the log that a job's life is told from.",
     .operands_max = 1,
     .no_operand_hint = "one result or one code at a time",
     .run = cmd_explain},
    {.name = "version",
     .bit = CMD_VERSION,
     .purpose = "print version, interface, libraries and formats",
     .usage = "[options]",
     .examples = {"orrery version", "orrery version --json"},
     .exits = "0 64 74 141",
     .more = "README.md tells how to build another one.",
     .run = cmd_version},
    {.name = "help",
     .bit = CMD_HELP,
     .purpose = "tell about everything, one command, or one option",
     .usage = "[COMMAND [OPTION]]",
     .examples = {"orrery help", "orrery help run", "orrery help run clock"},
     .exits = "0 64 74 141",
     .more = "README.md tells about the whole.",
     .operands_max = 2,
     .run = cmd_help},
    {0},
};

const command *command_table(void)
{
    return table;
}

const command *command_find(const char *name)
{
    for (const command *c = table; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

static uint32_t bit_of(const char *name)
{
    const command *c = command_find(name);
    return c ? c->bit : 0;
}

orr_err command_unknown(const char *name, orr_error *e)
{
    const char *names[24];
    size_t n = 0;
    for (const command *c = table; c->name; c++)
        names[n++] = c->name;
    orr_error_set(e, ORR_E_UNKNOWN_COMMAND, "there is no command of this name");
    orr_error_text(e, name, strlen(name));
    const char *near = orr_nearest(name, names, n);
    if (near)
        orr_error_hint(e, "did you mean %s?", near);
    else
        orr_error_hint(e, "`orrery help` lists the commands");
    return ORR_E_UNKNOWN_COMMAND;
}

void keep_first(int *status, int other)
{
    if (!*status)
        *status = other;
}

void print_text(const orr_text *text)
{
    if (text->n)
        fwrite(text->at, 1, text->n, stdout);
}

void print_cut(const orr_text *text, const term *out)
{
    int column = 0;
    for (const char *c = text->n ? text->at : ""; *c; c++) {
        const bool begins = ((unsigned char)*c & 0xc0) != 0x80;
        column += begins;
        if (*c == '\n')
            column = 0;
        if (!out->terminal || column <= out->width)
            putchar(*c);
    }
}

/* ---- what can be said of any command line ---- */

static orr_err check_exclusive(const settings *s, orr_error *e)
{
    if (s->json + s->csv + s->markdown > 1)
        return orr_error_set(e, ORR_E_CONFLICT, "--json, --csv and --markdown exclude each other");
    if (s->quiet && s->verbose)
        return orr_error_set(e, ORR_E_CONFLICT, "--quiet and --verbose exclude each other");
    return ORR_OK;
}

static orr_err check_operands(const command *c, const app *a, orr_error *e)
{
    if (a->operand_count < c->operands_min) {
        orr_error_set(e, ORR_E_USAGE, "%s needs an operand", c->name);
        orr_error_hint(e, "usage: orrery %s %s", c->name, c->usage);
        return ORR_E_USAGE;
    }
    if (a->operand_count <= c->operands_max)
        return ORR_OK;
    const char *extra = a->operands[c->operands_max];
    orr_error_set(e, ORR_E_USAGE, "%s does not take this operand", c->name);
    orr_error_text(e, extra, strlen(extra));
    if (c->no_operand_hint)
        orr_error_hint(e, "%s", c->no_operand_hint);
    return ORR_E_USAGE;
}

/* ---- dispatch ---- */

static int bare(void)
{
    orr_text t = {0};
    help_summary(&t);
    fputs(t.at, stderr);
    orr_text_fini(&t);
    return 64;
}

static int print_help(const command *c)
{
    orr_text t = {0};
    help_text(c, &t);
    print_text(&t);
    orr_text_fini(&t);
    return 0;
}

static int dispatch(app *a, const parsed *p)
{
    orr_error e = {0};
    const command *c = p->command ? command_find(p->command) : NULL;
    if (p->command && !c) {
        command_unknown(p->command, &e);
        return say_error(&a->say, &e);
    }
    if (p->set.help)
        return print_help(c);
    if (p->set.version)
        return cmd_version(a);
    if (!c)
        return bare();
    if (check_exclusive(&p->set, &e) || formats_check(p->set.format, &e) || check_operands(c, a, &e))
        return say_error(&a->say, &e);
    return c->run(a);
}

/* A full disk behind stdout shows only when the last of it is written. */
static int finish(app *a, int status)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status == orr_err_exit_status(ORR_E_WRITE))
        return status;
    orr_error e = {0};
    orr_error_set(&e, ORR_E_WRITE, "writing to stdout failed: %s", errno ? strerror(errno) : "an earlier write failed");
    const int failed = say_error(&a->say, &e);
    return status ? status : failed;
}

int main(int argc, char **argv)
{
    parsed p;
    orr_error e = {0};
    signals_start();
    const orr_err err = opt_parse(argc, argv, bit_of, &p, &e);
    app a = {.set = &p.set, .operands = p.operands.at, .operand_count = p.operands.n, .argc = argc, .argv = argv};
    a.out = term_of(stdout, p.set.color);
    a.say = (say){.to = term_of(stderr, p.set.color), .quiet = p.set.quiet};
    const int status = finish(&a, err ? say_error(&a.say, &e) : dispatch(&a, &p));
    say_fini(&a.say);
    parsed_fini(&p);
    return status;
}
