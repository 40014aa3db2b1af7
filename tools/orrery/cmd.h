/* The commands: one row each in the table of main.c, one file cmd_<name>.c each. A command prints its results on
 * stdout, everything else through `say`, and returns the exit status. */
#ifndef ORRERY_TOOL_CMD_H
#define ORRERY_TOOL_CMD_H

#include "opt.h"
#include "say.h"
#include "term.h"

typedef struct app {
    const settings *set;
    const char *const *operands;
    size_t operand_count;
    int argc; /* as typed, for the manifest */
    char **argv;
    term out;
    say say;
} app;

typedef struct command {
    const char *name; /* NULL ends the table */
    uint32_t bit;
    const char *purpose;     /* one line, also in the list of commands */
    const char *usage;       /* what follows `orrery NAME` */
    const char *examples[5]; /* three or four that run on files of the repository */
    const char *exits;       /* the exit codes it uses, blank separated */
    const char *more;        /* where to read more */
    size_t operands_min, operands_max;
    const char *no_operand_hint; /* for an operand too many; NULL: nothing to say */
    int (*run)(app *a);
} command;

const command *command_table(void);
const command *command_find(const char *name);
/* The error for a name that no command has. */
orr_err command_unknown(const char *name, orr_error *e);

int cmd_run(app *a);
int cmd_compare(app *a);
int cmd_check(app *a);
int cmd_verify(app *a);
int cmd_sweep(app *a);
int cmd_policies(app *a);
int cmd_describe(app *a);
int cmd_convert(app *a);
int cmd_synth(app *a);
int cmd_survey(app *a);
int cmd_plan(app *a);
int cmd_version(app *a);
int cmd_explain(app *a);
int cmd_help(app *a);

/* Help as text: of everything (NULL) or of one command; of one option; and the screen for a bare `orrery`. */
void help_text(const command *c, orr_text *out);
void help_option(const command *c, const opt *o, orr_text *out);
void help_summary(orr_text *out);
/* Words of `s` between column `indent` and the 80th; the first line starts at column `at`. Ends the line. */
void help_wrap(orr_text *t, int at, int indent, const char *s);

/* The first status that isn't 0 is the one that a command ends with. */
void keep_first(int *status, int other);
/* Puts a text on stdout. Errors are found when the program ends. */
void print_text(const orr_text *text);
/* The same, with lines cut to the width of a terminal; a pipe gets all. Counts code points. */
void print_cut(const orr_text *text, const term *out);

#endif
