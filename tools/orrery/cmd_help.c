/* orrery help [COMMAND [OPTION]] */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>

static int unknown_option_of(app *a, const command *c, const char *name)
{
    orr_error e = {0};
    orr_error_set(&e, ORR_E_UNKNOWN_OPTION, "there is no option --%s for %s", name, c->name);
    const char *meant = opt_meant(c->bit, name);
    if (meant)
        orr_error_hint(&e, "did you mean %s?", meant);
    else
        orr_error_hint(&e, "`orrery %s --help` lists the options", c->name);
    return say_error(&a->say, &e);
}

/* An option was taken for a command: run has most of them. */
static void hint_option(const char *name, orr_error *e)
{
    name += strspn(name, "-");
    if (!opt_find(CMD_RUN, name, strlen(name)))
        return;
    e->hint[0] = '\0';
    orr_error_hint(e, "`orrery help run %s` tells of the option --%s", name, name);
}

int cmd_help(app *a)
{
    orr_text t = {0};
    orr_error e = {0};
    const command *c = NULL;
    if (a->operand_count > 0 && !(c = command_find(a->operands[0]))) {
        command_unknown(a->operands[0], &e);
        hint_option(a->operands[0], &e);
        return say_error(&a->say, &e);
    }
    if (a->operand_count > 1) {
        const char *name = a->operands[1];
        name += strspn(name, "-");
        const opt *o = opt_find(c->bit, name, strlen(name));
        if (!o)
            return unknown_option_of(a, c, name);
        help_option(c, o, &t);
    } else {
        help_text(c, &t);
    }
    print_text(&t);
    orr_text_fini(&t);
    return 0;
}
