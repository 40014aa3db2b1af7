/* orrery convert FILE --to FORMAT: a trace in another format, and a receipt of what that format can't hold. The receipt
 * is drawn up before anything is written, so that --strict leaves no file behind. */
#include "cmd.h"
#include "json.h"
#include "scenario.h"
#include "trace/write.h"

typedef struct conversion {
    const orr_writer *writer;
    orr_trace *trace;
    orr_receipt receipt;
} conversion;

/* ---- the receipt as notes ---- */

typedef enum kind { LOST, CHANGED, ROUNDED, MADE_UP, KINDS } kind;
static const char *const codes[KINDS] = {"lost", "changed", "rounded", "made-up"};
static const char *const words[KINDS] = {"lost", "changed", "rounded to whole seconds", "made up"};

static uint64_t count_of(const orr_loss *l, kind k)
{
    const uint64_t counts[KINDS] = {l->lost, l->changed, l->rounded, l->filled};
    return counts[k];
}

/* All columns and attributes from the i-th on that it happened to equally often, as one note. */
static void say_alike(app *a, const conversion *c, kind k, size_t i)
{
    const orr_loss *all = c->receipt.losses.at;
    const uint64_t jobs = count_of(&all[i], k);
    char count[ORR_DOUBLE_BUF];
    orr_text t = {0};
    bool attributes = false;
    for (size_t n = i; n < c->receipt.losses.n; n++) {
        if (count_of(&all[n], k) != jobs)
            continue;
        orr_text_addf(&t, "%s%s%s", t.n ? ", " : "", all[n].attribute && !attributes ? "attribute " : "", all[n].name);
        attributes |= all[n].attribute;
    }
    orr_format_count(jobs, count);
    say_note(&a->say, codes[k], orr_trace_name(c->trace), 0, "%s in %s %s%s: %s", words[k], count,
             jobs == 1 ? "job" : "jobs", strchr(t.at, ',') ? " each" : "", t.at);
    orr_text_fini(&t);
}

static void say_losses(app *a, const conversion *c, kind k)
{
    const orr_loss *all = c->receipt.losses.at;
    for (size_t i = 0; i < c->receipt.losses.n; i++) {
        bool told = count_of(&all[i], k) == 0;
        for (size_t before = 0; before < i && !told; before++)
            told = count_of(&all[before], k) == count_of(&all[i], k);
        if (!told)
            say_alike(a, c, k, i);
    }
}

static void say_unwritten(app *a, const conversion *c)
{
    char count[ORR_DOUBLE_BUF];
    for (size_t i = 0; i < c->receipt.unwritten.n; i++) {
        const orr_unwritten *u = &c->receipt.unwritten.at[i];
        orr_format_count(u->jobs, count);
        say_warning(&a->say, "not-written", orr_trace_name(c->trace), 0, "left out %s %s: %s", count,
                    u->jobs == 1 ? "job" : "jobs", u->why);
    }
}

static void say_receipt(app *a, const conversion *c)
{
    const orr_receipt *r = &c->receipt;
    char count[ORR_DOUBLE_BUF];
    say_unwritten(a, c);
    for (kind k = LOST; k < KINDS; k++)
        say_losses(a, c, k);
    if (r->origin)
        say_note(&a->say, r->origin_assumed ? "origin-assumed" : "calendar", orr_trace_name(c->trace), 0, "%s",
                 r->origin);
    if (!r->withdrawn)
        return;
    orr_format_count(r->withdrawn, count);
    say_note(&a->say, "lost", orr_trace_name(c->trace), 0, "%s %s never ran and %s not written", count,
             r->withdrawn == 1 ? "job" : "jobs", r->withdrawn == 1 ? "is" : "are");
}

/* ---- and as JSON ---- */

static void add_loss(cJSON *array, const orr_loss *l)
{
    cJSON *row = json_append_object(array);
    json_text(row, l->attribute ? "attribute" : "column", l->name);
    json_count(row, "lost", l->lost);
    json_count(row, "rounded", l->rounded);
    json_count(row, "changed", l->changed);
    json_count(row, "made_up", l->filled);
}

static void print_document(const app *a, const conversion *c)
{
    const orr_receipt *r = &c->receipt;
    cJSON *document = cJSON_CreateObject();
    json_text(document, "schema", "orrery.conversion/1");
    json_text(document, "input", orr_trace_name(c->trace));
    json_text(document, "from", orr_trace_format(c->trace));
    json_text(document, "output", a->set->out);
    json_text(document, "to", c->writer->format);
    json_count(document, "records", r->jobs);
    json_count(document, "written", r->written);
    json_count(document, "never_ran", r->withdrawn);
    json_text(document, "calendar", r->origin);
    cJSON_AddBoolToObject(document, "loses", orr_receipt_loses(r));
    cJSON *unwritten = json_array(document, "not_written");
    for (size_t i = 0; i < r->unwritten.n; i++) {
        cJSON *row = json_append_object(unwritten);
        json_text(row, "why", r->unwritten.at[i].why);
        json_count(row, "jobs", r->unwritten.at[i].jobs);
    }
    cJSON *losses = json_array(document, "not_held");
    for (size_t i = 0; i < r->losses.n; i++)
        add_loss(losses, &r->losses.at[i]);
    json_print(document);
}

/* ---- the command ---- */

static orr_err check(const settings *s, orr_error *e)
{
    if (!s->convert_to) {
        orr_error_set(e, ORR_E_MISSING, "convert needs a format to write: --to NAME");
        orr_error_hint(e, "`orrery help convert to` lists them");
        return ORR_E_MISSING;
    }
    if (s->json && strcmp(s->out, "-") == 0)
        return orr_error_set(e, ORR_E_CONFLICT, "the trace and its receipt can't both go to stdout: give -o a file");
    return ORR_OK;
}

/* Under --strict any loss, under --werror only what was warned of. */
static bool is_refused(const settings *s, const orr_receipt *r)
{
    return (s->strict && orr_receipt_loses(r)) || (s->werror && r->unwritten.n > 0);
}

static orr_err refuse(const app *a, const conversion *c, orr_error *e)
{
    orr_error_set(e, ORR_E_STRICT, "%s can't hold all of this trace, and --%s makes that an error", c->writer->format,
                  a->set->strict ? "strict" : "werror");
    orr_error_at(e, orr_trace_name(c->trace), 0, 0);
    return ORR_E_STRICT;
}

static orr_err convert(app *a, conversion *c, orr_error *e)
{
    orr_err err = orr_receipt_of(c->writer, c->trace, &c->receipt, e);
    if (err)
        return err;
    say_receipt(a, c);
    if (is_refused(a->set, &c->receipt))
        return refuse(a, c, e);
    err = orr_write_as(c->writer, c->trace, a->set->out, e);
    if (!err && a->set->json)
        print_document(a, c);
    return err;
}

int cmd_convert(app *a)
{
    orr_error e = {0};
    conversion c = {0};
    int status = 0;
    if (check(a->set, &e) || !(c.writer = orr_writer_named(a->set->convert_to, &e)))
        return say_error(&a->say, &e);
    c.trace = scenario_trace(a, a->operands[0], &status);
    if (!c.trace)
        return status;
    if (convert(a, &c, &e))
        status = say_error(&a->say, &e);
    orr_receipt_fini(&c.receipt);
    orr_trace_destroy(c.trace);
    return status;
}
