/* orrery survey [FILE|NAME...]: puts published claims to the test, all of those beside the presets unless some are
 * named. */
#include "cmd.h"
#include "json.h"
#include "module.h"
#include "signals.h"

#include "config/presets.h"
#include "study/survey.h"
#include <stdio.h>
#include <stdlib.h>

typedef ORR_VEC(orr_claim *) claims;

/* ---- which ---- */

static int add_claim(app *a, const char *what, claims *list)
{
    orr_error e = {0};
    orr_claim *c = orr_claim_find(what, &e);
    if (!c)
        return say_error(&a->say, &e);
    ORR_VEC_PUSH(list, c);
    return 0;
}

static int add_folder(app *a, claims *list)
{
    orr_text dir = {0};
    orr_error e = {0};
    char **names;
    int status = 0;
    orr_claim_dir(&dir);
    const size_t n = orr_preset_names(dir.at, &names);
    for (size_t i = 0; i < n; i++) {
        orr_text path = {0};
        orr_text_addf(&path, "%s/%s.yaml", dir.at, names[i]);
        const int one = add_claim(a, path.at, list);
        status = status ? status : one;
        orr_text_fini(&path);
    }
    if (n == 0) {
        orr_error_set(&e, ORR_E_OPEN, "there are no claims in '%s'", dir.at);
        status = say_error(&a->say, &e);
    }
    orr_preset_names_free(names, n);
    orr_text_fini(&dir);
    return status;
}

/* All wrong files are told before anything runs. */
static int choose(app *a, claims *list)
{
    int status = a->operand_count ? 0 : add_folder(a, list);
    for (size_t i = 0; i < a->operand_count; i++) {
        const int one = add_claim(a, a->operands[i], list);
        status = status ? status : one;
    }
    return status;
}

/* ---- listing ---- */

static void list_json(const claims *list)
{
    cJSON *document = cJSON_CreateObject();
    json_text(document, "schema", "orrery.claims/1");
    cJSON *array = json_array(document, "claims");
    for (size_t i = 0; i < list->n; i++) {
        const orr_claim *c = list->at[i];
        cJSON *object = json_append_object(array);
        json_text(object, "name", c->name);
        json_text(object, "file", c->file);
        json_text(object, "system", c->system);
        json_text(object, "survey", c->survey);
        json_text(object, c->serve[0] ? "serve" : "policy", orr_claim_subject(c));
        json_text(object, "claim", c->claim);
    }
    json_print(document);
}

static orr_table_form form_of(const settings *s)
{
    return s->csv ? ORR_TABLE_CSV : s->markdown ? ORR_TABLE_MARKDOWN : ORR_TABLE_TEXT;
}

static void list_table(const app *a, const claims *list)
{
    static const char *const heads[] = {"name", "system", "survey", "policy", "claim"};
    orr_grid *grid = orr_grid_create();
    orr_text t = {0};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        orr_grid_column(grid, heads[i], heads[i], false);
    for (size_t i = 0; i < list->n; i++) {
        const orr_claim *c = list->at[i];
        const char *cells[] = {c->name, c->system, c->survey, orr_claim_subject(c), c->claim};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
            orr_grid_cell(grid, cells[k], NULL);
    }
    orr_grid_print(grid, form_of(a->set), &t);
    print_cut(&t, &a->out);
    orr_text_fini(&t);
    orr_grid_destroy(grid);
}

static int print_list(const app *a, const claims *list)
{
    if (a->set->json)
        list_json(list);
    else
        list_table(a, list);
    return 0;
}

/* ---- testing ---- */

static int print_json(app *a, const orr_survey *survey)
{
    orr_text t = {0};
    orr_error e = {0};
    if (orr_survey_json(survey, &t, &e))
        return say_error(&a->say, &e);
    print_text(&t);
    orr_text_fini(&t);
    return 0;
}

static void print_table(const app *a, const orr_survey *survey)
{
    orr_text t = {0}, told = {0};
    orr_survey_table(survey, form_of(a->set), &t);
    print_cut(&t, &a->out);
    if (form_of(a->set) == ORR_TABLE_TEXT) {
        orr_text_addf(&told, "\n");
        orr_survey_tell(survey, &told);
        print_text(&told);
    }
    orr_text_fini(&t);
    orr_text_fini(&told);
}

static bool go_on(void *self)
{
    (void)self;
    return !signals_interrupted();
}

static int test(app *a, const claims *list)
{
    orr_error e = {0};
    orr_survey survey;
    int status = 0;
    orr_registry *registry = module_registry(&a->say, &a->set->plugins, &status);
    if (!registry)
        return status;
    const orr_survey_options options = {.registry = registry, .jobs = (int)a->set->parallel, .tick = go_on};
    signals_run();
    if (orr_survey_run(list->at, list->n, &options, &survey, &e))
        status = say_error(&a->say, &e);
    else if (a->set->json)
        status = print_json(a, &survey);
    else
        print_table(a, &survey);
    if (!status)
        status = orr_survey_status(&survey);
    orr_survey_fini(&survey);
    orr_registry_destroy(registry);
    return status;
}

int cmd_survey(app *a)
{
    claims list = {0};
    int status = choose(a, &list);
    if (!status)
        status = a->set->list ? print_list(a, &list) : test(a, &list);
    for (size_t i = 0; i < list.n; i++)
        orr_claim_destroy(list.at[i]);
    ORR_VEC_FREE(&list);
    return status;
}
