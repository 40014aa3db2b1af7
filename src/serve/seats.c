/* Who sits where: modules named, made, and put on their seats. */
#include "serve/serving.h"

#include <stdio.h>

typedef struct seat_head { /* what all serving kinds begin with */
    ORR_SERVE_HEAD;
} seat_head;

static const seat_head *head_of(const orr_ctx *ctx)
{
    return (const seat_head *)(const void *)&ctx->desc;
}

static const char *const seat_names[ORR_SEATS] = {"batcher", "dropper", "selector", "router",
                                                  "scaler",  "cache",   "serve"};

static orr_err taken(const orr_serving *s, orr_serve_seat seat, const orr_ctx *by, orr_error *e)
{
    char one[64], other[64];
    orr_error_set(e, ORR_E_CONFLICT, "%s and %s both want to be the %s", orr_ctx_name(s->seats[seat], one, sizeof one),
                  orr_ctx_name(by, other, sizeof other), seat_names[seat]);
    orr_error_hint(e, "a seat has one owner: leave one of them out");
    return ORR_E_CONFLICT;
}

/* What a `serve` module brings gives way to a module of the seat's own kind, unless it owns the seat. */
static bool may_replace(const orr_serving *s, orr_serve_seat seat, const orr_ctx *by)
{
    const orr_ctx *now = s->seats[seat];
    if (!now || now->kind != ORR_KIND_SERVE || by->kind == ORR_KIND_SERVE)
        return !now;
    return !(now->desc.serve.owns >> seat & 1);
}

static orr_err sit(orr_serving *s, orr_serve_seat seat, orr_ctx *ctx, const void *table, orr_error *e)
{
    if (!table)
        return ORR_OK;
    if (!may_replace(s, seat, ctx)) {
        /* one that was named for the seat before a `serve` that only brings it as a default stays */
        if (ctx->kind == ORR_KIND_SERVE && s->seats[seat]->kind != ORR_KIND_SERVE &&
            !(ctx->desc.serve.owns >> seat & 1))
            return ORR_OK;
        return taken(s, seat, ctx, e);
    }
    s->seats[seat] = ctx;
    switch (seat) {
    case ORR_SEAT_BATCHER:
        s->batcher = table;
        break;
    case ORR_SEAT_DROPPER:
        s->dropper = table;
        break;
    case ORR_SEAT_SELECTOR:
        s->selector = table;
        break;
    case ORR_SEAT_ROUTER:
        s->router = table;
        break;
    case ORR_SEAT_SCALER:
        s->scaler = table;
        break;
    case ORR_SEAT_CACHE:
        s->cache = table;
        break;
    case ORR_SEAT_SERVE:
    case ORR_SEATS:
        s->serve = table;
        break;
    }
    return ORR_OK;
}

static orr_err sit_all(orr_serving *s, orr_ctx *ctx, orr_error *e)
{
    const orr_serve *v = &ctx->desc.serve;
    const void *tables[ORR_SEATS] = {v->batcher, v->dropper, v->selector, v->router, v->scaler, v->cache, v};
    orr_err err = ORR_OK;
    for (int i = 0; i < ORR_SEATS && !err; i++)
        err = sit(s, (orr_serve_seat)i, ctx, tables[i], e);
    return err;
}

static orr_err sit_one(orr_serving *s, orr_ctx *ctx, orr_error *e)
{
    switch (ctx->kind) {
    case ORR_KIND_BATCHER:
        return sit(s, ORR_SEAT_BATCHER, ctx, &ctx->desc.batcher, e);
    case ORR_KIND_DROPPER:
        return sit(s, ORR_SEAT_DROPPER, ctx, &ctx->desc.dropper, e);
    case ORR_KIND_SELECTOR:
        return sit(s, ORR_SEAT_SELECTOR, ctx, &ctx->desc.selector, e);
    case ORR_KIND_ROUTER:
        return sit(s, ORR_SEAT_ROUTER, ctx, &ctx->desc.router, e);
    case ORR_KIND_SCALER:
        return sit(s, ORR_SEAT_SCALER, ctx, &ctx->desc.scaler, e);
    case ORR_KIND_CACHE:
        return sit(s, ORR_SEAT_CACHE, ctx, &ctx->desc.cache, e);
    default:
        return sit_all(s, ctx, e);
    }
}

/* Each module has memory of its own behind that of those named before it. */
static orr_err add_memory(orr_serving *s, orr_ctx *ctx, orr_error *e)
{
    const seat_head *h = head_of(ctx);
    ctx->serving = s;
    s->preempts |= (h->flags & ORR_SERVE_PREEMPTS) != 0;
    s->loads_itself |= (h->flags & ORR_SERVE_LOADS) != 0;
    s->lends |= (h->flags & ORR_SERVE_LENDS) != 0;
    s->tells_rates |= (ctx->kind == ORR_KIND_SERVE && ctx->desc.serve.on_event) ||
                      (ctx->kind == ORR_KIND_SCALER && ctx->desc.scaler.on_event);
    ctx->priv_service = s->service_priv;
    ctx->priv_replica = s->replica_priv;
    ctx->priv_req = s->req_priv;
    s->service_priv += (h->service_priv + 15u) & ~15u;
    s->replica_priv += (h->replica_priv + 15u) & ~15u;
    s->req_priv += (h->req_priv + 7u) & ~7u;
    if (h->req_priv <= 16)
        return ORR_OK;
    char name[64];
    return orr_error_set(e, ORR_E_PLUGIN_DESCRIPTOR, "module '%s' wants more than 16 bytes a request",
                         orr_ctx_name(ctx, name, sizeof name));
}

static orr_err add(orr_serving *s, const orr_registry *registry, const char *text, orr_error *e)
{
    orr_ctx *ctx = orr_ctx_create_seat(s->world, registry, text, e);
    if (!ctx)
        return e->code ? e->code : ORR_E_UNKNOWN_POLICY;
    ORR_VEC_PUSH(&s->modules, ctx);
    orr_err err = add_memory(s, ctx, e);
    if (err || (err = sit_one(s, ctx, e)) != ORR_OK)
        return err;
    if (s->modules.n > 1)
        orr_text_addf(&s->text, "+");
    orr_ctx_describe_seat(ctx, &s->text);
    return ORR_OK;
}

orr_err orr_serving_seat(orr_serving *s, const orr_registry *registry, const char *text, orr_error *e)
{
    char *copy = orr_xstrdup(text ? text : ""), *next = copy;
    orr_err err = ORR_OK;
    while (!err && next && *next) {
        char *item = next;
        next = strchr(item, '+');
        if (next)
            *next++ = '\0';
        err = add(s, registry, item, e);
    }
    free(copy);
    return err;
}

bool orr_serving_is_eager(const orr_serving *s, const orr_sv_service *v)
{
    const orr_batcher *b = s->batcher;
    const bool cache = v->spec->cache.items > 0;
    return cache || (b && (b->on_arrive || b->order != ORR_QUEUE_FIFO || (b->flags & ORR_BATCHER_ASK_EMPTY))) ||
           (s->dropper && s->dropper->admit) || (s->selector && s->selector->select) || (s->router && s->router->route);
}
