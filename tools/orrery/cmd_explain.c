/* orrery explain: what a code means; and why a job of a finished run lived as it did. */
#include "cmd.h"
#include "json.h"
#include "module.h"
#include "report/codes.h"
#include "report/json.h"
#include "report/life.h"
#include "rerun.h"
#include "study/account.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- codes ------------------------------------------------------------------------------------------------------- */

static bool code_at(size_t i, orr_code_about *out)
{
    if (orr_code_at(i, out))
        return true;
    const orr_verify_rule *rule = orr_verify_rules();
    for (size_t k = orr_code_count(); rule->name && k < i; k++)
        rule++;
    *out = (orr_code_about){rule->name, "rule of orrery verify", rule->text,
                            "A finding of `orrery verify` names the time, the job and the resource. If the files were not "
                            "changed after the run, it is a bug of ours."};
    return rule->name != NULL;
}

static void list_codes(orr_text *t)
{
    orr_code_about c;
    for (size_t i = 0; code_at(i, &c); i++)
        orr_text_addf(t, "%-24s %s\n", c.code, c.what);
}

static void code_text(const orr_code_about *c, orr_text *t)
{
    orr_text_addf(t, "%s%s: %s\n\n", t->n ? "\n" : "", c->code, c->what);
    help_wrap(t, 0, 0, c->sentence);
    orr_text_addf(t, "\n");
    help_wrap(t, 0, 0, c->more);
}

static cJSON *code_json(const orr_code_about *c)
{
    cJSON *o = cJSON_CreateObject();
    json_text(o, "code", c->code);
    json_text(o, "kind", c->what);
    json_text(o, "meaning", c->sentence);
    json_text(o, "more", c->more);
    return o;
}

static int no_code(app *a, const char *code)
{
    const char *names[512];
    size_t n = 0;
    orr_code_about c;
    orr_error e = {0};
    for (size_t i = 0; n < 512 && code_at(i, &c); i++)
        names[n++] = c.code;
    orr_error_set(&e, ORR_E_BAD_VALUE, "neither a code nor a folder of results");
    orr_error_text(&e, code, strlen(code));
    const char *near = orr_nearest(code, names, n);
    if (near)
        orr_error_hint(&e, "did you mean \"%s\"?", near);
    else
        orr_error_hint(&e, "`orrery explain` lists the codes; a job is told of by `orrery explain DIR --job ID`");
    return say_error(&a->say, &e);
}

static int explain_code(app *a, const char *code)
{
    orr_text t = {0};
    cJSON *list = cJSON_CreateArray();
    orr_code_about c;
    for (size_t i = 0; code_at(i, &c); i++)
        if (strcmp(c.code, code) == 0) {
            code_text(&c, &t);
            cJSON_AddItemToArray(list, code_json(&c));
        }
    const bool found = t.n > 0;
    cJSON *document = cJSON_CreateObject();
    json_text(document, "schema", "orrery.codes/1");
    cJSON_AddItemToObject(document, "codes", list);
    if (found && a->set->json)
        json_print(document);
    else
        cJSON_Delete(document);
    if (found && !a->set->json)
        print_text(&t);
    orr_text_fini(&t);
    return found ? 0 : no_code(a, code);
}

static int explain_all_codes(app *a)
{
    orr_text t = {0};
    if (!a->set->json) {
        list_codes(&t);
        print_text(&t);
        orr_text_fini(&t);
        return 0;
    }
    cJSON *document = cJSON_CreateObject();
    json_text(document, "schema", "orrery.codes/1");
    cJSON *list = json_array(document, "codes");
    orr_code_about c;
    for (size_t i = 0; code_at(i, &c); i++)
        cJSON_AddItemToArray(list, code_json(&c));
    json_print(document);
    return 0;
}

/* ---- what the policy says ---------------------------------------------------------------------------------------- */

typedef struct accounts {
    orr_account *waits; /* one a wait that took time */
    size_t n;
    orr_error why_not;  /* set: the policy was not asked */
} accounts;

static bool is_wait(const orr_life_step *s)
{
    return s->kind == ORR_LIFE_WAIT && s->to > s->from;
}

static accounts list_waits(const orr_life *life)
{
    accounts x = {.waits = orr_xcalloc(life->steps.n + 1, sizeof *x.waits)};
    for (size_t i = 0; i < life->steps.n; i++)
        if (is_wait(&life->steps.at[i]))
            x.waits[x.n++] = (orr_account){.from = life->steps.at[i].from, .to = life->steps.at[i].to};
    return x;
}

static orr_err ask(app *a, rerun *r, orr_registry *registry, const char *manifest, const char *job, accounts *x)
{
    settings set = *a->set;
    orr_case c = orr_case_default();
    orr_err err = rerun_read(r, manifest, &c, &set, &x->why_not);
    orr_stock *stock = orr_stock_create(registry);
    if (!err)
        err = rerun_check(r, &c, stock, &x->why_not);
    if (!err)
        err = orr_account_ask(&c, stock, job, x->waits, x->n, &x->why_not);
    orr_stock_destroy(stock);
    return err;
}

/* Where the inputs aren't there any more the log alone has to do. */
static void ask_policy(app *a, const orr_verify_target *target, const char *job, accounts *x)
{
    int status = 0;
    rerun r = {0};
    orr_text path = {0};
    if (!a->set->rerun || !target->beside.summary || x->n == 0)
        return;
    orr_registry *registry = module_registry(&a->say, &a->set->plugins, &status);
    orr_text_addf(&path, "%.*smanifest.json", (int)(strlen(target->log) - strlen(ORR_LOG_NAME)), target->log);
    if (registry)
        (void)!ask(a, &r, registry, path.at, job, x);
    rerun_fini(&r);
    orr_registry_destroy(registry);
    orr_text_fini(&path);
}

static void accounts_text(const orr_life *life, const accounts *x, orr_text *t)
{
    size_t k = 0;
    char buf[ORR_TIME_BUF];
    if (x->why_not.code) {
        orr_text_addf(t, "\nthe policy itself was not asked: %s\n", x->why_not.message);
        return;
    }
    for (size_t i = 0; i < life->steps.n; i++) {
        if (!is_wait(&life->steps.at[i]))
            continue;
        const orr_account *w = &x->waits[k++];
        if (!w->first[0])
            continue;
        orr_time_clock(w->from, buf);
        orr_text_addf(t, "\nin the policy's words, of the wait from %s on:\n  at first: %s\n", buf, w->first);
        if (strcmp(w->first, w->last) != 0)
            orr_text_addf(t, "  at last:  %s\n", w->last);
    }
}

static void accounts_json(cJSON *object, const accounts *x)
{
    json_text(object, "policy_not_asked", x->why_not.code ? x->why_not.message : NULL);
    cJSON *list = json_array(object, "policy_says");
    for (size_t i = 0; i < x->n; i++) {
        cJSON *o = json_append_object(list);
        orr_json_time(o, "from", x->waits[i].from);
        orr_json_time(o, "to", x->waits[i].to);
        json_text(o, "first", x->waits[i].first);
        json_text(o, "last", x->waits[i].last);
    }
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

static void tell_life(const orr_life *life, const accounts *x, const char *name, bool several, orr_text *t)
{
    if (several)
        orr_text_addf(t, "%s== %s\n\n", t->n ? "\n" : "", name);
    orr_life_text(life, t);
    accounts_text(life, x, t);
}

static void life_json(cJSON *list, const orr_life *life, const accounts *x, const char *name)
{
    cJSON *o = json_append_object(list);
    json_text(o, "result", name);
    cJSON_AddItemToObject(o, "life", orr_life_json(life));
    accounts_json(o, x);
}

/* `list` NULL: for people, into `t`. */
static int explain_one(app *a, const orr_verify_target *target, bool several, orr_text *t, cJSON *list)
{
    orr_error e = {0};
    orr_life *life = orr_life_read(target->log, a->set->job, &e);
    if (!life)
        return say_error(&a->say, &e);
    accounts x = list_waits(life);
    ask_policy(a, target, life->id, &x);
    if (list)
        life_json(list, life, &x, target->name);
    else
        tell_life(life, &x, target->name, several, t);
    free(x.waits);
    orr_life_destroy(life);
    return 0;
}

static int explain_job(app *a, const orr_verify_targets *targets)
{
    int status = 0;
    orr_text t = {0};
    cJSON *document = a->set->json ? cJSON_CreateObject() : NULL;
    if (document)
        json_text(document, "schema", "orrery.life/1");
    cJSON *list = document ? json_array(document, "lives") : NULL;
    for (size_t i = 0; i < targets->list.n && !status; i++)
        status = explain_one(a, &targets->list.at[i], targets->list.n > 1, &t, list);
    if (!status && document)
        json_print(document);
    else
        cJSON_Delete(document);
    if (!status && !document)
        print_text(&t);
    orr_text_fini(&t);
    return status;
}

static int explain_result(app *a, const char *path)
{
    orr_verify_targets targets = {0};
    orr_error e = {0};
    int status;
    if (orr_verify_find(path, &targets, &e))
        status = say_error(&a->say, &e);
    else
        status = explain_job(a, &targets);
    orr_verify_targets_fini(&targets);
    return status;
}

int cmd_explain(app *a)
{
    if (a->set->job && a->operand_count)
        return explain_result(a, a->operands[0]);
    if (a->set->job) {
        orr_error e = {0};
        orr_error_set(&e, ORR_E_MISSING, "--job needs the folder of a result, or a log");
        orr_error_hint(&e, "`orrery run ... -o DIR` makes one; then `orrery explain DIR --job ID`");
        return say_error(&a->say, &e);
    }
    return a->operand_count ? explain_code(a, a->operands[0]) : explain_all_codes(a);
}
