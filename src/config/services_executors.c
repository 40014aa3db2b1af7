/* What there is to run it: executors, or replicas of services as a shorter form of the same; how machines are
 * bought; and what neighbours on a GPU do to each other. */
#include "config/services.h"

#include <math.h>
#include <stdio.h>

#define MAX_COUNT 1000000

typedef struct ask_entry {
    const char *name, *type, *market, *variant, *slice;
    int64_t gpus, slots, count;
    double share;
    bool shared_slots;
    const orr_yaml *hosts;
} ask_entry;

typedef struct market_entry {
    const char *name, *type;
    double price;
    orr_time mean_life, notice;
} market_entry;

typedef struct contention_entry {
    const char *a, *b;
    double slowdown;
} contention_entry;

/* clang-format off */
#define AT(member) offsetof(ask_entry, member)
#define ASK_KEYS \
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0, "GPU type, as the cluster names it; left out, any.", NULL}, \
    {"gpus", ORR_KEY_INT, AT(gpus), "", 1, 100000, "GPUs: more than one is a pipeline or a group that works as one. " \
     "Left out, as the first profile that fits.", NULL}, \
    {"share", ORR_KEY_REAL, AT(share), "1", 0, 1, "Part of the one GPU, in thousandths.", NULL}, \
    {"slice", ORR_KEY_TEXT, AT(slice), "", 0, 0, "In place of a share, a MIG instance: `1g`, `1g+` with twice the " \
     "memory, `2g`, `3g`, `4g`, `7g`, or as its maker names it, `3g.40gb`. It needs nodes with `mig: on`.", NULL}, \
    {"slots", ORR_KEY_INT, AT(slots), "1", 1, 1024, "Batches that run at once.", NULL}, \
    {"shared_slots", ORR_KEY_BOOL, AT(shared_slots), "off", 0, 0, "Batches that run at once slow each other down: n of " \
     "them run at 1/n of their speed each (processor sharing).", NULL}, \
    {"count", ORR_KEY_INT, AT(count), "1", 1, MAX_COUNT, "So many of them.", NULL}, \
    {"market", ORR_KEY_TEXT, AT(market), "", 0, 0, \
     "How it is bought: one of `markets`; left out, it stands there.", NULL}
static const orr_key ask_keys[] = {
    {"hosts", ORR_KEY_TEXTS, AT(hosts), NULL, 1, 100000,
     "Variants that live on it, as SERVICE/VARIANT, or SERVICE for its first; of a service with `copies`, one of them "
     "or all.", NULL},
    {"name", ORR_KEY_TEXT, AT(name), "", 0, 0, "Its name; left out, made of what it hosts and a number.", NULL},
    ASK_KEYS,
    {0},
};
const orr_keys orr_exec_ask_keys = {
    .title = "An element of `executors`",
    .doc = "Executors of a kind. They are placed before the first arrival, in this order, each on the fullest node "
           "that has room.",
    .at = ask_keys,
};

static const orr_key replica_keys[] = {
    {"variant", ORR_KEY_TEXT, AT(variant), "", 0, 0, "The variant; left out, the first.", NULL},
    ASK_KEYS,
    {0},
};
#undef AT
const orr_keys orr_replica_keys = {
    .title = "An element of `replicas`",
    .doc = "Executors that host one variant of the service and nothing else.",
    .at = replica_keys,
};

#define AT(member) offsetof(market_entry, member)
static const orr_key market_keys[] = {
    {"name", ORR_KEY_TEXT, AT(name), NULL, 0, 0, "`on-demand`, `spot` or any other.", NULL},
    {"type", ORR_KEY_TEXT, AT(type), "", 0, 0, "GPU type; left out, any.", NULL},
    {"price", ORR_KEY_REAL, AT(price), NULL, 0, 1000000000, "Money for a GPU and hour.", NULL},
    {"mean_life", ORR_KEY_DURATION, AT(mean_life), "inf", 1, INT64_MAX, "Until it is taken away, exponential.", NULL},
    {"notice", ORR_KEY_DURATION, AT(notice), "0", 0, INT64_MAX - 1, "Told so long before.", NULL},
    {0},
};
#undef AT
const orr_keys orr_market_keys = {
    .title = "An element of `markets`",
    .doc = "A way to buy machines, of one GPU type or of any.",
    .at = market_keys,
};

static const orr_key contention_keys[] = {
    {"a", ORR_KEY_TEXT, offsetof(contention_entry, a), "", 0, 0, "SERVICE/VARIANT; left out, any.", NULL},
    {"b", ORR_KEY_TEXT, offsetof(contention_entry, b), "", 0, 0, "The same, or `job`: training beside it.", NULL},
    {"slowdown", ORR_KEY_REAL, offsetof(contention_entry, slowdown), NULL, 1, 1000,
     "How many times longer `a` takes beside `b`.", NULL},
    {0},
};
const orr_keys orr_contention_keys = {
    .title = "An element of `contention`",
    .doc = "Two on one GPU. Without it they don't slow each other.",
    .at = contention_keys,
};
/* clang-format on */

typedef ORR_VEC(orr_hosted_ask) hosted;
typedef ORR_VEC(orr_exec_ask) asks;

/* ---- names ---- */

static int32_t variant_named(const orr_service *s, const char *name, size_t n)
{
    for (int32_t k = 0; k < s->variant_count; k++)
        if (strlen(s->variants[k].name) == n && memcmp(s->variants[k].name, name, n) == 0)
            return k;
    return -1;
}

static bool is_named(const char *name, const char *text, size_t n)
{
    return strlen(name) == n && memcmp(name, text, n) == 0;
}

static void push_host(const orr_services_reader *r, int32_t service, const char *variant, hosted *out)
{
    const int32_t k = variant ? variant_named(&r->drafts.at[service].service, variant, strlen(variant)) : 0;
    if (k >= 0)
        ORR_VEC_PUSH(out, ((orr_hosted_ask){service, k}));
}

/* Hosts of this text: SERVICE or SERVICE/VARIANT; the name that copies share means all of them. */
static void find_hosts(const orr_services_reader *r, const char *text, hosted *out)
{
    const size_t n = strcspn(text, "/");
    const char *variant = text[n] ? text + n + 1 : NULL;
    const int32_t exact = orr_services_find(r, text, n);
    if (exact >= 0) {
        push_host(r, exact, variant, out);
        return;
    }
    for (size_t i = 0; i < r->drafts.n; i++)
        if (is_named(r->drafts.at[i].base, text, n))
            push_host(r, (int32_t)i, variant, out);
}

static orr_err unknown_host(const orr_services_reader *r, const orr_yaml *at)
{
    const orr_err err = orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "no service has a variant '%.80s'", at->text);
    orr_names *names = orr_names_create();
    char text[256];
    for (size_t i = 0; i < r->drafts.n && i < 10000; i++)
        for (int32_t k = 0; k < r->drafts.at[i].service.variant_count; k++) {
            const orr_service *s = &r->drafts.at[i].service;
            const int n = snprintf(text, sizeof text, "%.120s/%.120s", s->name, s->variants[k].name);
            orr_names_id(names, text, (size_t)n);
        }
    const uint32_t n = orr_names_count(names);
    const char **texts = orr_xcalloc(n + 1, sizeof *texts);
    for (uint32_t i = 0; i < n; i++)
        texts[i] = orr_names_text(names, i);
    const char *nearest = orr_nearest(at->text, texts, n);
    if (nearest)
        orr_error_hint(r->e, "did you mean '%s'?", nearest);
    else
        orr_error_hint(r->e, "write SERVICE/VARIANT");
    free(texts);
    orr_names_destroy(names);
    return err;
}

/* ---- one kind of executors ---- */

/* Where the number of GPUs is left out, the first profile that fits has it. */
static const orr_exec_profile *profile_for(const orr_variant *v, const orr_exec_ask *ask)
{
    const orr_exec_profile *p = ask->gpus ? orr_variant_profile(v, ask->gpu_type, ask->milli, ask->gpus) : NULL;
    for (int32_t i = 0; i < v->profile_count && !p && !ask->gpus; i++)
        p = orr_variant_profile(v, ask->gpu_type, ask->milli, v->profiles[i].gpus);
    return p;
}

static orr_err no_profile(const orr_services_reader *r, const orr_yaml *at, const orr_exec_ask *ask, int32_t host)
{
    const orr_service *s = &r->drafts.at[ask->hosts[host].service].service;
    char gpus[32] = "", share[32] = "";
    if (ask->gpus)
        snprintf(gpus, sizeof gpus, "%d GPU%s of ", (int)ask->gpus, ask->gpus == 1 ? "" : "s");
    if (ask->milli < 1000)
        snprintf(share, sizeof share, " and a share of %g", ask->milli / 1000.0);
    return orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "'%.60s/%.60s' has no profile for %s%s%.40s%s", s->name,
                         s->variants[ask->hosts[host].variant].name, gpus, ask->gpu_type[0] ? "type " : "any type",
                         ask->gpu_type, share);
}

/* Each host must have a profile for these GPUs; without `gpus` the first one's says how many there are. */
static orr_err check_hosts(const orr_services_reader *r, const orr_yaml *at, orr_exec_ask *ask)
{
    for (int32_t i = 0; i < ask->host_count; i++) {
        const orr_service *s = &r->drafts.at[ask->hosts[i].service].service;
        const orr_exec_profile *p = profile_for(&s->variants[ask->hosts[i].variant], ask);
        if (!p)
            return no_profile(r, at, ask, i);
        ask->gpus = ask->gpus ? ask->gpus : p->gpus;
    }
    return ORR_OK;
}

static bool has_market(const orr_services *s, const char *name)
{
    bool any = !name[0];
    for (int32_t i = 0; i < s->market_count; i++)
        any = any || strcmp(s->markets[i].name, name) == 0;
    return any;
}

static orr_err make_ask(const orr_services_reader *r, const orr_yaml *map, const ask_entry *entry, orr_exec_ask *out)
{
    int32_t milli = (int32_t)lround(1000 * entry->share);
    const orr_err err = orr_services_slice(r, map, entry->type, &milli);
    if (err)
        return err;
    *out = (orr_exec_ask){.name = entry->name ? entry->name : "",
                          .gpu_type = entry->type,
                          .gpus = (int32_t)entry->gpus,
                          .milli = milli,
                          .slice = entry->slice,
                          .count = (int32_t)entry->count,
                          .slots = (int32_t)entry->slots,
                          .shared_slots = entry->shared_slots,
                          .market = entry->market,
                          .said = orr_services_said(r, map)};
    if (out->milli < 1)
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "share"), ORR_E_NUMBER, r->e,
                             "'share' should be a thousandth at least");
    if (out->milli < 1000 && out->gpus > 1)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "a share is of one GPU");
    if (!has_market(r->out, out->market))
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "market"), ORR_E_SYNTAX, r->e, "'markets' has no '%.80s'",
                             out->market);
    return ORR_OK;
}

static orr_err settle_hosts(const orr_services_reader *r, const orr_yaml *map, const hosted *hosts, orr_exec_ask *ask)
{
    orr_hosted_ask *kept = orr_arena_alloc(&r->memory->arena, hosts->n * sizeof *kept);
    memcpy(kept, hosts->at, hosts->n * sizeof *kept);
    ask->hosts = kept;
    ask->host_count = (int32_t)hosts->n;
    const orr_err err = check_hosts(r, map, ask);
    if (err || ask->milli == 1000 || ask->gpus == 1)
        return err;
    return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "a share is of one GPU, and the profile is of %d",
                         (int)ask->gpus);
}

/* ---- `executors` ---- */

static int by_place(const void *a, const void *b)
{
    const orr_hosted_ask *x = a, *y = b;
    if (x->service != y->service)
        return (x->service > y->service) - (x->service < y->service);
    return (x->variant > y->variant) - (x->variant < y->variant);
}

/* Hosts stay in the order of the file; a sorted copy tells whether one stands twice. */
static bool stands_twice(const hosted *hosts)
{
    bool twice = false;
    orr_hosted_ask *sorted = orr_xcalloc(hosts->n, sizeof *sorted);
    memcpy(sorted, hosts->at, hosts->n * sizeof *sorted);
    qsort(sorted, hosts->n, sizeof *sorted, by_place);
    for (size_t i = 1; i < hosts->n; i++)
        twice = twice || by_place(&sorted[i - 1], &sorted[i]) == 0;
    free(sorted);
    return twice;
}

static orr_err read_hosts(const orr_services_reader *r, const orr_yaml *list, hosted *out)
{
    size_t n = list->kind == ORR_YAML_LIST ? list->count : 1;
    for (const orr_yaml *v = orr_services_first(list); n--; v = v->next) {
        const size_t before = out->n;
        find_hosts(r, v->text, out);
        if (out->n == before)
            return unknown_host(r, v);
    }
    return stands_twice(out) ? orr_yaml_fail(r->doc, list, ORR_E_SYNTAX, r->e, "one of 'hosts' stands twice") : ORR_OK;
}

static orr_err read_executor(orr_services_reader *r, const orr_yaml *map, orr_names *names, asks *out)
{
    ask_entry entry;
    orr_exec_ask ask;
    hosted hosts = {0};
    orr_schema_defaults(&orr_exec_ask_keys, &entry);
    orr_err err = orr_schema_read(&orr_exec_ask_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = make_ask(r, map, &entry, &ask);
    if (!err)
        err = read_hosts(r, entry.hosts, &hosts);
    if (!err)
        err = settle_hosts(r, map, &hosts, &ask);
    if (!err && ask.name[0] && orr_names_find(names, ask.name, strlen(ask.name)) >= 0)
        err = orr_yaml_fail(r->doc, orr_yaml_member(map, "name"), ORR_E_SYNTAX, r->e, "two executors have this name");
    orr_names_id(names, err ? "" : ask.name, err ? 0 : strlen(ask.name));
    if (!err)
        ORR_VEC_PUSH(out, ask);
    ORR_VEC_FREE(&hosts);
    return err;
}

/* ---- `replicas` ---- */

static orr_err push_replica(const orr_services_reader *r, const orr_yaml *map, int32_t service, const ask_entry *entry,
                            asks *out)
{
    const orr_service *s = &r->drafts.at[service].service;
    const int32_t k = entry->variant[0] ? variant_named(s, entry->variant, strlen(entry->variant)) : 0;
    hosted one = {0};
    orr_exec_ask ask;
    if (k < 0)
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "variant"), ORR_E_SYNTAX, r->e,
                             "'%.80s' has no variant '%.80s'", s->name, entry->variant);
    ORR_VEC_PUSH(&one, ((orr_hosted_ask){service, k}));
    orr_err err = make_ask(r, map, entry, &ask);
    if (!err)
        err = settle_hosts(r, map, &one, &ask);
    if (!err)
        ORR_VEC_PUSH(out, ask);
    ORR_VEC_FREE(&one);
    return err;
}

static orr_err read_replica(const orr_services_reader *r, const orr_yaml *map, int32_t service, asks *out)
{
    ask_entry entry = {.name = ""};
    orr_schema_defaults(&orr_replica_keys, &entry);
    const orr_err err = orr_schema_read(&orr_replica_keys, r->doc, map, &entry, r->e);
    return err ? err : push_replica(r, map, service, &entry, out);
}

static orr_err read_replicas(const orr_services_reader *r, int32_t service, asks *out)
{
    const orr_yaml *v = r->drafts.at[service].replicas;
    if (v && v->kind == ORR_YAML_MAP)
        return orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "'replicas' should be a number, or a list of maps");
    if (v && v->kind == ORR_YAML_SCALAR) {
        ask_entry entry = {.name = ""};
        orr_schema_defaults(&orr_replica_keys, &entry);
        const orr_err err = orr_services_scalar(r, v, ORR_KEY_INT, 0, MAX_COUNT, &entry.count);
        return err || !entry.count ? err : push_replica(r, v, service, &entry, out);
    }
    orr_err err = ORR_OK;
    for (const orr_yaml *each = v ? v->first : NULL; each && !err; each = each->next)
        err = read_replica(r, each, service, out);
    return err;
}

static const orr_service_draft *with_replicas(const orr_services_reader *r)
{
    for (size_t i = 0; i < r->drafts.n; i++)
        if (r->drafts.at[i].replicas)
            return &r->drafts.at[i];
    return NULL;
}

orr_err orr_services_read_executors(orr_services_reader *r, const orr_yaml *list)
{
    const orr_service_draft *draft = with_replicas(r);
    asks found = {0};
    orr_err err = ORR_OK;
    if (list && draft)
        return orr_yaml_fail_key(r->doc, draft->replicas, ORR_E_SYNTAX, r->e,
                                 "'replicas' and 'executors' don't go together");
    orr_names *names = orr_names_create();
    for (const orr_yaml *v = list ? list->first : NULL; v && !err; v = v->next)
        err = read_executor(r, v, names, &found);
    for (size_t i = 0; i < r->drafts.n && draft && !err; i++)
        err = read_replicas(r, (int32_t)i, &found);
    orr_names_destroy(names);
    orr_exec_ask *kept = orr_arena_alloc(&r->memory->arena, found.n * sizeof *kept);
    if (found.n)
        memcpy(kept, found.at, found.n * sizeof *kept);
    r->out->executors = kept;
    r->out->executor_count = (int32_t)found.n;
    ORR_VEC_FREE(&found);
    return err;
}

/* ---- markets ---- */

static orr_err read_market(const orr_services_reader *r, const orr_yaml *map, orr_market *out)
{
    market_entry entry;
    orr_schema_defaults(&orr_market_keys, &entry);
    orr_err err = orr_schema_read(&orr_market_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = orr_services_name(r, orr_yaml_member(map, "name"));
    *out = (orr_market){entry.name, entry.type, entry.price, entry.mean_life, entry.notice};
    return err;
}

orr_err orr_services_read_markets(orr_services_reader *r, const orr_yaml *list)
{
    if (!list)
        return ORR_OK;
    orr_market *markets = orr_arena_alloc(&r->memory->arena, list->count * sizeof *markets);
    orr_err err = ORR_OK;
    int32_t n = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next, n++) {
        err = read_market(r, v, &markets[n]);
        for (int32_t k = 0; k < n && !err; k++)
            if (strcmp(markets[k].name, markets[n].name) == 0 && strcmp(markets[k].gpu_type, markets[n].gpu_type) == 0)
                err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "this market stands twice");
    }
    r->out->markets = markets;
    r->out->market_count = n;
    return err;
}

/* ---- contention ---- */

static orr_err check_side(const orr_services_reader *r, const orr_yaml *at, bool job)
{
    hosted found = {0};
    if (!at || (job && strcmp(at->text, "job") == 0))
        return ORR_OK;
    if (strchr(at->text, '/'))
        find_hosts(r, at->text, &found);
    const bool known =
        found.n == 1 && is_named(r->drafts.at[found.at[0].service].service.name, at->text, strcspn(at->text, "/"));
    ORR_VEC_FREE(&found);
    return known ? ORR_OK : unknown_host(r, at);
}

static orr_err read_pair(const orr_services_reader *r, const orr_yaml *map, orr_contention *out)
{
    contention_entry entry;
    orr_schema_defaults(&orr_contention_keys, &entry);
    orr_err err = orr_schema_read(&orr_contention_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = check_side(r, orr_yaml_member(map, "a"), false);
    if (!err)
        err = check_side(r, orr_yaml_member(map, "b"), true);
    *out = (orr_contention){entry.a, entry.b, entry.slowdown};
    return err;
}

orr_err orr_services_read_contention(orr_services_reader *r, const orr_yaml *list)
{
    if (!list)
        return ORR_OK;
    orr_contention *pairs = orr_arena_alloc(&r->memory->arena, list->count * sizeof *pairs);
    orr_names *seen = orr_names_create();
    orr_text both = {0};
    orr_err err = ORR_OK;
    int32_t n = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next, n++) {
        err = read_pair(r, v, &pairs[n]);
        if (err)
            break;
        orr_text_clear(&both);
        orr_text_addf(&both, "%s %s", pairs[n].a, pairs[n].b);
        if (orr_names_find(seen, both.at, both.n) >= 0)
            err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "this pair stands twice");
        orr_names_id(seen, both.at, both.n);
    }
    orr_text_fini(&both);
    orr_names_destroy(seen);
    r->out->contention = pairs;
    r->out->contention_count = n;
    return err;
}
