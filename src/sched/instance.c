/* Module instances: made from a text, with settings, memory, a random stream, and for a policy its placer and
 * estimator. */
#include "predict/history.h"
#include "predict/ridge.h"
#include "predict/rolling.h"
#include "sched/ctx.h"
#include "sched/timers.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct head { /* what every descriptor begins with */
    ORR_HEAD;
} head;

static const head *head_of(const orr_ctx *ctx)
{
    return (const head *)&ctx->desc;
}

static bool is_policy(const orr_ctx *ctx)
{
    return ctx->kind == ORR_KIND_ORDER || ctx->kind == ORR_KIND_POLICY;
}

const char *orr_ctx_name(const orr_ctx *ctx, char *buf, size_t size)
{
    orr_module_shown_name(ctx->module, buf, size);
    return buf;
}

uint32_t orr_ctx_needs(const orr_ctx *ctx)
{
    return head_of(ctx)->needs;
}

/* ---- settings ---------------------------------------------------------------------------------------------------- */

static const orr_knob *find_knob(const orr_knob *table, const char *name)
{
    for (const orr_knob *k = table; k && k->name; k++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

static orr_err unknown_knob(const orr_ctx *ctx, const char *name, orr_error *e)
{
    char shown[64];
    const char *names[128];
    size_t n = 0;
    for (const orr_knob *k = head_of(ctx)->knobs; k && k->name && n < 64; k++)
        names[n++] = k->name;
    for (const orr_knob *k = ctx->kind == ORR_KIND_ORDER ? orr_order_knobs() : NULL; k && k->name && n < 128; k++)
        names[n++] = k->name;
    orr_error_set(e, ORR_E_UNKNOWN_KNOB, "%s has no knob '%s'", orr_ctx_name(ctx, shown, sizeof shown), name);
    const char *near = orr_nearest(name, names, n);
    if (near)
        orr_error_hint(e, "did you mean '%s'? `orrery policies %s` lists them", near, shown);
    else
        orr_error_hint(e, "`orrery policies %s` lists its knobs", shown);
    return ORR_E_UNKNOWN_KNOB;
}

static orr_err set_knob(orr_ctx *ctx, const char *name, const char *value, orr_error *e)
{
    const orr_knob *k = find_knob(head_of(ctx)->knobs, name);
    if (k) {
        ctx->given |= (uint64_t)1 << ((k - head_of(ctx)->knobs) & 63);
        return orr_knob_set(k, ctx->knobs, value, &ctx->arena, e);
    }
    if (ctx->kind == ORR_KIND_ORDER && (k = find_knob(orr_order_knobs(), name)) != NULL)
        return orr_knob_set(k, &ctx->rules, value, &ctx->arena, e);
    return unknown_knob(ctx, name, e);
}

/* "a=1,b=2"; changed in place. */
static orr_err apply_settings(orr_ctx *ctx, char *text, orr_error *e)
{
    for (char *item = text; item && *item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = '\0';
        char *equals = strchr(item, '=');
        if (!equals) {
            orr_error_set(e, ORR_E_BAD_VALUE, "'%s' is no setting", item);
            orr_error_hint(e, "write KNOB=VALUE");
            return ORR_E_BAD_VALUE;
        }
        *equals = '\0';
        orr_err err = set_knob(ctx, item, equals + 1, e);
        if (err)
            return err;
        item = comma;
    }
    return ORR_OK;
}

static orr_err apply_defaults(orr_ctx *ctx, orr_error *e)
{
    orr_err err = ORR_OK;
    for (const orr_knob *k = head_of(ctx)->knobs; k && k->name && !err; k++)
        if (k->fallback)
            err = orr_knob_set(k, ctx->knobs, k->fallback, &ctx->arena, e);
    if (ctx->kind != ORR_KIND_ORDER)
        return err;
    for (const orr_knob *k = orr_order_knobs(); k->name && !err; k++)
        err = orr_knob_set(k, &ctx->rules, orr_order_knob_default(&ctx->desc.order, k), &ctx->arena, e);
    return err;
}

/* Knobs without a default must be given; tables have fewer than 64. */
static orr_err check_given(const orr_ctx *ctx, orr_error *e)
{
    const orr_knob *table = head_of(ctx)->knobs;
    for (const orr_knob *k = table; k && k->name; k++) {
        char shown[64];
        if (k->fallback || ctx->given >> ((k - table) & 63) & 1)
            continue;
        orr_error_set(e, ORR_E_MISSING, "%s needs the knob %s", orr_ctx_name(ctx, shown, sizeof shown), k->name);
        orr_error_hint(e, "%s", k->doc);
        return ORR_E_MISSING;
    }
    return ORR_OK;
}

static orr_err find_preset(const orr_ctx *ctx, const char *name, const orr_preset **out, orr_error *e)
{
    char shown[64];
    const char *names[64];
    size_t n = 0;
    for (const orr_preset *p = head_of(ctx)->presets; p && p->name && n < 64; p++) {
        if (strcmp(p->name, name) == 0) {
            *out = p;
            return ORR_OK;
        }
        names[n++] = p->name;
    }
    orr_error_set(e, ORR_E_UNKNOWN_PRESET, "%s has no preset '%s'", orr_ctx_name(ctx, shown, sizeof shown), name);
    const char *near = orr_nearest(name, names, n);
    orr_error_hint(e, near ? "did you mean '%s'?" : "`orrery policies %s` lists its presets", near ? near : shown);
    return ORR_E_UNKNOWN_PRESET;
}

/* A preset's settings may name a placer and an estimator, which count unless the user names others. */
static orr_err apply_preset(orr_ctx *ctx, const char *name, orr_spec *spec, orr_error *e)
{
    const orr_preset *preset = NULL;
    orr_err err = find_preset(ctx, name, &preset, e);
    orr_spec parts;
    if (err || (err = orr_spec_parse(preset->settings, &parts, e)) != ORR_OK)
        return err;
    err = apply_settings(ctx, parts.policy, e);
    if (!err && spec && !spec->placer && parts.placer) {
        spec->placer = parts.placer;
        parts.placer = NULL;
    }
    if (!err && spec && !spec->estimator && parts.estimator) {
        spec->estimator = parts.estimator;
        parts.estimator = NULL;
    }
    orr_spec_fini(&parts);
    return err;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void copy_descriptor(orr_ctx *ctx)
{
    size_t n = ctx->module->descriptor_size;
    memcpy(&ctx->desc, ctx->module->descriptor, n < sizeof ctx->desc ? n : sizeof ctx->desc);
    memcpy(ctx->know, head_of(ctx)->know, sizeof ctx->know);
}

static const char *stream_name(orr_kind kind)
{
    return kind == ORR_KIND_PLACER ? "placer" : kind == ORR_KIND_ESTIMATOR ? "estimator" : kind >= ORR_KIND_BATCHER ? "serve" : "policy";
}

static void give_memory(orr_ctx *ctx, size_t *priv_size)
{
    const head *h = head_of(ctx);
    ctx->knobs = orr_arena_alloc(&ctx->arena, h->knobs_size + 1u);
    ctx->state = orr_arena_alloc(&ctx->arena, h->state_size + 1u);
    ctx->priv_offset = *priv_size;
    *priv_size += ((size_t)h->job_size + 15) & ~(size_t)15;
    const char *stream = stream_name(ctx->kind);
    ctx->rng = orr_rng_create(ctx->world->seed, stream);
    ctx->key = orr_hash64(ctx->world->seed, stream, strlen(stream));
}

/* One module from "NAME[:PRESET][,KNOB=VALUE…]". `spec` (may be NULL) receives a preset's placer and estimator. */
static orr_ctx *make(orr_world *world, const orr_registry *registry, orr_kind kind, const char *text, orr_spec *spec,
                     size_t *priv_size, orr_error *e)
{
    char name[64], preset[64] = "";
    size_t n = strcspn(text, ",:");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), text);
    const orr_module *module = orr_registry_find(registry, kind, name, e);
    if (!module)
        return NULL;
    orr_ctx *ctx = orr_xcalloc(1, sizeof *ctx);
    *ctx = (orr_ctx){.world = world, .module = module, .kind = module->kind};
    copy_descriptor(ctx);
    give_memory(ctx, priv_size);
    orr_err err = apply_defaults(ctx, e);
    text += n;
    if (!err && *text == ':') {
        n = strcspn(++text, ",");
        snprintf(preset, sizeof preset, "%.*s", (int)(n < sizeof preset ? n : sizeof preset - 1), text);
        err = apply_preset(ctx, preset, spec, e);
        text += n;
    }
    if (!err && *text == ',') {
        char *settings = orr_xstrdup(text + 1);
        err = apply_settings(ctx, settings, e);
        free(settings);
    }
    if (!err)
        err = check_given(ctx, e);
    if (!err)
        return ctx;
    orr_ctx_destroy(ctx);
    return NULL;
}

static orr_err refuse(const orr_ctx *ctx, const char *what, orr_know level, orr_know bound, const char *whose, orr_error *e)
{
    char shown[64];
    orr_error_set(e, ORR_E_KNOWLEDGE, "%s would use %s at level %s, %s %s", orr_ctx_name(ctx, shown, sizeof shown), what,
                  orr_know_name(level), whose, orr_know_name(bound));
    orr_error_hint(e, "choose an estimator of a lower level (+PLACER~ESTIMATOR) or raise --know");
    return ORR_E_KNOWLEDGE;
}

orr_err orr_ctx_check_knowledge(const orr_ctx *ctx, orr_error *e)
{
    orr_know granted = ctx->world->granted;
    orr_know level = ctx->estimator_ctx->desc.estimator.level;
    if (ctx->know[ORR_Q_DURATION] && level > (orr_know)ctx->know[ORR_Q_DURATION])
        return refuse(ctx, "durations", level, ctx->know[ORR_Q_DURATION], "but declares", e);
    if (ctx->know[ORR_Q_DURATION] && level > granted)
        return refuse(ctx, "durations", level, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_SERVICE] && ORR_KNOW_OBSERVED > granted)
        return refuse(ctx, "attained service", ORR_KNOW_OBSERVED, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_LIMIT] && ORR_KNOW_DECLARED > granted)
        return refuse(ctx, "declared limits", ORR_KNOW_DECLARED, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_RECORD] && ORR_KNOW_ORACLE > granted)
        return refuse(ctx, "the record", ORR_KNOW_ORACLE, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_RATE] && ORR_KNOW_OBSERVED > granted)
        return refuse(ctx, "rates", ORR_KNOW_OBSERVED, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_LOAD] && ORR_KNOW_HISTORY > granted)
        return refuse(ctx, "forecasts of the load", ORR_KNOW_HISTORY, granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_SCALING] > granted)
        return refuse(ctx, "how jobs scale", ctx->know[ORR_Q_SCALING], granted, "but the scenario grants", e);
    if (ctx->know[ORR_Q_PROFILE] && ORR_KNOW_PROFILED > granted)
        return refuse(ctx, "profiles", ORR_KNOW_PROFILED, granted, "but the scenario grants", e);
    return ORR_OK;
}

static orr_err add_parts(orr_ctx *ctx, const orr_registry *registry, const orr_spec *spec, size_t *priv_size, orr_error *e)
{
    bool order = ctx->kind == ORR_KIND_ORDER;
    const char *placer = order ? ctx->desc.order.placer : ctx->desc.policy.placer;
    const char *estimator = order ? ctx->desc.order.estimator : ctx->desc.policy.estimator;
    if (spec->placer)
        placer = spec->placer;
    if (spec->estimator)
        estimator = spec->estimator;
    ctx->placer_ctx = make(ctx->world, registry, ORR_KIND_PLACER, placer ? placer : "consolidate", NULL, priv_size, e);
    if (!ctx->placer_ctx)
        return ORR_E_UNKNOWN_POLICY;
    ctx->estimator_ctx =
        make(ctx->world, registry, ORR_KIND_ESTIMATOR, estimator ? estimator : "oracle", NULL, priv_size, e);
    if (!ctx->estimator_ctx)
        return ORR_E_UNKNOWN_POLICY;
    if (spec->estimator && !ctx->know[ORR_Q_DURATION]) {
        char shown[64];
        return orr_error_set(e, ORR_E_CONFLICT, "%s asks for no durations: an estimator changes nothing",
                             orr_ctx_name(ctx, shown, sizeof shown));
    }
    if (ctx->kind == ORR_KIND_ORDER && ctx->rules.backfill && !ctx->know[ORR_Q_DURATION]) {
        char shown[64];
        orr_error_set(e, ORR_E_CONFLICT, "%s asks for no durations, and backfill needs them",
                      orr_ctx_name(ctx, shown, sizeof shown));
        orr_error_hint(e, "easy and conservative are fifo with backfill");
        return ORR_E_CONFLICT;
    }
    return ORR_OK;
}

orr_ctx *orr_ctx_create(orr_world *world, const orr_registry *registry, const char *text, size_t *priv_size, orr_error *e)
{
    orr_spec spec;
    if (orr_spec_parse(text, &spec, e))
        return NULL;
    orr_ctx *ctx = make(world, registry, ORR_KIND_POLICY, spec.policy, &spec, priv_size, e);
    if (ctx && add_parts(ctx, registry, &spec, priv_size, e)) {
        orr_ctx_destroy(ctx);
        ctx = NULL;
    }
    orr_spec_fini(&spec);
    return ctx;
}

static void describe_one(const orr_ctx *ctx, orr_text *out);

orr_ctx *orr_ctx_create_seat(orr_world *world, const orr_registry *registry, const char *text, orr_error *e)
{
    size_t none = 0;
    orr_ctx *ctx = make(world, registry, ORR_KIND_SERVE, text, NULL, &none, e);
    for (int q = 0; ctx && q < ORR_SQ_COUNT; q++) {
        if (ctx->know[q] <= world->granted)
            continue;
        refuse(ctx, orr_serve_quantity_name((orr_serve_quantity)q), ctx->know[q], world->granted, "but the scenario grants", e);
        orr_ctx_destroy(ctx);
        ctx = NULL;
    }
    return ctx;
}

void orr_ctx_describe_seat(const orr_ctx *ctx, orr_text *out)
{
    describe_one(ctx, out);
}

void orr_ctx_destroy(orr_ctx *ctx)
{
    if (!ctx)
        return;
    if (ctx->begun && ctx->kind == ORR_KIND_POLICY && ctx->desc.policy.fini)
        ctx->desc.policy.fini(ctx);
    orr_mlfq_fini(ctx->mlfq);
    orr_list_destroy(ctx->list);
    orr_rounds_destroy(ctx->rounds);
    orr_leases_destroy(ctx->leases);
    orr_share_rounds_destroy(ctx->share_rounds);
    orr_turns_destroy(ctx->turns);
    orr_elastic_destroy(ctx->elastic);
    orr_near_destroy(ctx->near);
    orr_scores_destroy(ctx->scores);
    orr_targets_destroy(ctx->targets);
    orr_timers_free(&ctx->timers);
    orr_history_destroy(ctx->history);
    orr_rolling_destroy(ctx->rolling);
    orr_ridge_destroy(ctx->ridge);
    orr_ctx_destroy(ctx->placer_ctx);
    orr_ctx_destroy(ctx->estimator_ctx);
    gsl_rng_free(ctx->rng);
    orr_arena_fini(&ctx->arena);
    free(ctx);
}

static void describe_one(const orr_ctx *ctx, orr_text *out)
{
    char shown[64];
    orr_text_addf(out, "%s", orr_ctx_name(ctx, shown, sizeof shown));
    for (const orr_knob *k = head_of(ctx)->knobs; k && k->name; k++) {
        orr_text_addf(out, ",%s=", k->name);
        orr_knob_format(k, ctx->knobs, out);
    }
    for (const orr_knob *k = ctx->kind == ORR_KIND_ORDER ? orr_order_knobs() : NULL; k && k->name; k++) {
        orr_text_addf(out, ",%s=", k->name);
        orr_knob_format(k, &ctx->rules, out);
    }
}

void orr_ctx_describe(const orr_ctx *ctx, orr_text *out)
{
    describe_one(ctx, out);
    orr_text_addf(out, "+");
    describe_one(ctx->placer_ctx, out);
    if (!is_policy(ctx) || !ctx->know[ORR_Q_DURATION])
        return;
    orr_text_addf(out, "~");
    describe_one(ctx->estimator_ctx, out);
}
