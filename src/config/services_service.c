/* One service: its classes, limits and cache, and which others it asks. */
#include "config/services.h"

#include <math.h>
#include <stdio.h>

#define MAX_COPIES 100000

typedef struct service_entry {
    const char *name;
    orr_time slo, timeout, reply;
    const orr_yaml *classes, *cache, *start, *to, *arrivals, *variants, *replicas;
    int64_t bound, retries, copies;
    double alike;
} service_entry;

typedef struct class_entry {
    const char *name;
    orr_time slo;
    double part, weight;
    int64_t priority;
} class_entry;

typedef struct edge_entry {
    const char *service;
    double fan_out;
    int64_t bytes;
    orr_time budget;
} edge_entry;

typedef struct cache_entry {
    int64_t items, bytes, item_bytes;
    orr_time hit;
} cache_entry;

typedef struct start_entry {
    orr_time machine, container;
} start_entry;

/* clang-format off */
#define MAX_BYTES ((int64_t)1 << 50)
#define MAX_TIME (10000 * ORR_DAY)

#define AT(member) offsetof(service_entry, member)
static const orr_key service_keys[] = {
    {"name", ORR_KEY_TEXT, AT(name), NULL, 0, 0, "Its name, without blanks, `,` and `/`.", NULL},
    {"variants", ORR_KEY_LIST, AT(variants), NULL, 1, 1000, "Models that can answer.", &orr_variant_keys},
    {"slo", ORR_KEY_DURATION, AT(slo), "inf", 1, INT64_MAX, "From arrival to answer.", NULL},
    {"classes", ORR_KEY_LIST, AT(classes), "", 1, 64,
     "In place of `slo`: requests with different ones.", &orr_service_class_keys},
    {"arrivals", ORR_KEY_MAP, AT(arrivals), "", 0, 0,
     "Who asks (below); without it only other services.", &orr_source_keys},
    {"to", ORR_KEY_LIST, AT(to), "", 0, 10000, "Services that its answers ask.", &orr_service_edge_keys},
    {"replicas", ORR_KEY_ANY, AT(replicas), "", 0, 0,
     "Executors that host it alone: a number, which is of the first variant on GPUs as its profile wants them, or a "
     "list of maps (below). Not together with `executors`.", NULL},
    {"copies", ORR_KEY_INT, AT(copies), "0", 0, MAX_COPIES,
     "Instead of this service so many, NAME-1 and so on, alike in all; 0: just this.", NULL},
    {"bound", ORR_KEY_INT, AT(bound), "0", 0, 1000000000000,
     "Requests that may wait in one queue; one more is dropped. 0: any number.", NULL},
    {"timeout", ORR_KEY_DURATION, AT(timeout), "inf", 0, 0,
     "A client leaves when it has waited so long for its batch.", NULL},
    {"retries", ORR_KEY_INT, AT(retries), "1", 0, 1000,
     "How often a request whose batch was lost goes back to its queue; then it is lost.", NULL},
    {"reply", ORR_KEY_DURATION, AT(reply), "0", 0, MAX_TIME,
     "From the end of its batch until an answer is with its client.", NULL},
    {"alike", ORR_KEY_REAL, AT(alike), "0", 0, 1,
     "How much the same requests are answered wrongly by all variants.", NULL},
    {"cache", ORR_KEY_MAP, AT(cache), "", 0, 0, "A cache of its answers (below).", &orr_service_cache_keys},
    {"start", ORR_KEY_MAP, AT(start), "", 0, 0,
     "What a new replica waits for before its weights are loaded (below).", &orr_service_start_keys},
    {0},
};
#undef AT
const orr_keys orr_service_keys = {
    .title = "An element of `services`",
    .doc = "What is asked for, by whom, and what can answer.",
    .at = service_keys,
};

#define AT(member) offsetof(class_entry, member)
static const orr_key class_keys[] = {
    {"name", ORR_KEY_TEXT, AT(name), NULL, 0, 0, "Its name.", NULL},
    {"slo", ORR_KEY_DURATION, AT(slo), "inf", 1, INT64_MAX, "From arrival to answer.", NULL},
    {"part", ORR_KEY_REAL, AT(part), "", 0, 1,
     "Of all requests. Parts sum to 1; where no class states one, they are equal.", NULL},
    {"priority", ORR_KEY_INT, AT(priority), "0", -1000000, 1000000,
     "Greater goes first where a queue is by priority.", NULL},
    {"weight", ORR_KEY_REAL, AT(weight), "1", 0, 1000000, "Of its share where a queue is fair; above 0.", NULL},
    {0},
};
#undef AT
const orr_keys orr_service_class_keys = {
    .title = "An element of `classes`",
    .doc = "Requests of one SLO. Which class a request is of is drawn.",
    .at = class_keys,
};

#define AT(member) offsetof(edge_entry, member)
static const orr_key edge_keys[] = {
    {"service", ORR_KEY_TEXT, AT(service), NULL, 0, 0, "The service that is asked.", NULL},
    {"fan_out", ORR_KEY_REAL, AT(fan_out), "1", 0, 1000000,
     "Requests an answer makes, in the mean: its whole part always, and one more with the probability of the rest. "
     "Above 0.", NULL},
    {"bytes", ORR_KEY_BYTES, AT(bytes), "0", 0, MAX_BYTES, "Sent with each; 0: at once.", NULL},
    {"budget", ORR_KEY_DURATION, AT(budget), "inf", 1, INT64_MAX,
     "Deadline of that stage from its own arrival; `inf`: that of the whole, from end to end.", NULL},
    {0},
};
#undef AT
const orr_keys orr_service_edge_keys = {
    .title = "An element of `to`",
    .doc = "An answer asks another service. No service comes back to itself that way.",
    .at = edge_keys,
};

#define AT(member) offsetof(cache_entry, member)
static const orr_key cache_keys[] = {
    {"items", ORR_KEY_INT, AT(items), "0", 0, INT64_MAX,
     "Answers that it holds; left out: as many as fit into `bytes`.", NULL},
    {"bytes", ORR_KEY_BYTES, AT(bytes), "0", 0, MAX_BYTES, "Its size, with `item_bytes`.", NULL},
    {"item_bytes", ORR_KEY_BYTES, AT(item_bytes), "0", 0, MAX_BYTES,
     "Of an answer; 0: answers are counted alone.", NULL},
    {"hit", ORR_KEY_DURATION, AT(hit), "0", 0, MAX_TIME, "What an answer from it takes.", NULL},
    {0},
};
#undef AT
const orr_keys orr_service_cache_keys = {
    .title = "`cache`",
    .doc = "Answers that were given, by what was asked (`inputs` of `arrivals`).",
    .at = cache_keys,
};

static const orr_key start_keys[] = {
    {"machine", ORR_KEY_DURATION, offsetof(start_entry, machine), "0", 0, MAX_TIME, "Until there is a machine.", NULL},
    {"container", ORR_KEY_DURATION, offsetof(start_entry, container), "0", 0, MAX_TIME,
     "Until the container runs.", NULL},
    {0},
};
const orr_keys orr_service_start_keys = {
    .title = "`start`",
    .doc = "The first phases of a new replica, one after the other.",
    .at = start_keys,
};
/* clang-format on */

/* ---- classes ---- */

static orr_err read_class(const orr_services_reader *r, const orr_yaml *map, orr_slo_class *out)
{
    class_entry entry;
    orr_schema_defaults(&orr_service_class_keys, &entry);
    orr_err err = orr_schema_read(&orr_service_class_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = orr_services_name(r, orr_yaml_member(map, "name"));
    if (!err && !(entry.weight > 0))
        err = orr_yaml_fail(r->doc, orr_yaml_member(map, "weight"), ORR_E_NUMBER, r->e, "'weight' should be above 0");
    *out = (orr_slo_class){entry.name, entry.slo, entry.part, (int32_t)entry.priority, entry.weight};
    return err;
}

/* All parts, or none: then they are equal. */
static orr_err check_parts(const orr_services_reader *r, const orr_yaml *list, orr_slo_class *classes, int32_t n)
{
    double sum = 0;
    int32_t given = 0, i = 0;
    for (const orr_yaml *v = list->first; v; v = v->next, i++) {
        given += orr_yaml_member(v, "part") != NULL;
        sum += classes[i].part;
    }
    for (i = 0; i < n && !given; i++)
        classes[i].part = 1.0 / n;
    if (!given || (given == n && fabs(sum - 1) <= 1e-9))
        return ORR_OK;
    if (given < n)
        return orr_yaml_fail(r->doc, list, ORR_E_SYNTAX, r->e, "%d of %d classes state their part", (int)given, (int)n);
    return orr_yaml_fail(r->doc, list, ORR_E_SYNTAX, r->e, "the parts of classes should sum to 1, and are %g", sum);
}

static orr_err read_classes(const orr_services_reader *r, const orr_yaml *map, const service_entry *entry,
                            orr_service *out)
{
    const orr_yaml *list = entry->classes, *slo = orr_yaml_member(map, "slo");
    const int32_t n = list ? (int32_t)list->count : 1;
    orr_slo_class *classes = orr_arena_alloc(&r->memory->arena, (size_t)n * sizeof *classes);
    if (list && slo)
        return orr_yaml_fail_key(r->doc, slo, ORR_E_SYNTAX, r->e, "'slo' and 'classes' don't go together");
    orr_err err = ORR_OK;
    int32_t i = 0;
    for (const orr_yaml *v = list ? list->first : NULL; v && !err; v = v->next, i++) {
        err = read_class(r, v, &classes[i]);
        for (int32_t k = 0; k < i && !err; k++)
            if (strcmp(classes[k].name, classes[i].name) == 0)
                err =
                    orr_yaml_fail(r->doc, orr_yaml_member(v, "name"), ORR_E_SYNTAX, r->e, "two classes have this name");
    }
    if (!list)
        classes[0] = (orr_slo_class){"all", entry->slo, 1, 0, 1};
    out->classes = classes;
    out->class_count = n;
    return err || !list ? err : check_parts(r, list, classes, n);
}

/* ---- cache, start ---- */

static orr_err read_cache(const orr_services_reader *r, const orr_yaml *map, orr_result_cache *out)
{
    cache_entry entry;
    if (!map)
        return ORR_OK;
    orr_schema_defaults(&orr_service_cache_keys, &entry);
    const orr_err err = orr_schema_read(&orr_service_cache_keys, r->doc, map, &entry, r->e);
    if (err)
        return err;
    if ((entry.bytes > 0) != (entry.item_bytes > 0))
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "'bytes' and 'item_bytes' go together");
    if (!orr_yaml_member(map, "items"))
        entry.items = entry.item_bytes ? entry.bytes / entry.item_bytes : -1;
    if (entry.items < 0)
        return orr_yaml_fail(r->doc, map, ORR_E_SYNTAX, r->e, "a cache needs 'items', or 'bytes' and 'item_bytes'");
    *out = (orr_result_cache){entry.items, entry.bytes, entry.item_bytes, entry.hit};
    return ORR_OK;
}

static orr_err read_start(const orr_services_reader *r, const orr_yaml *map, orr_service *out)
{
    start_entry entry;
    orr_schema_defaults(&orr_service_start_keys, &entry);
    const orr_err err = map ? orr_schema_read(&orr_service_start_keys, r->doc, map, &entry, r->e) : ORR_OK;
    out->machine = entry.machine;
    out->container = entry.container;
    return err;
}

/* ---- a service ---- */

static orr_err read_parts(orr_services_reader *r, const orr_yaml *map, const service_entry *entry, orr_service *out)
{
    orr_err err = read_classes(r, map, entry, out);
    if (!err)
        err = read_cache(r, entry->cache, &out->cache);
    if (!err)
        err = read_start(r, entry->start, out);
    if (!err)
        err = orr_services_read_variants(r, entry->variants, entry->name, out);
    return err ? err : orr_services_read_source(r, entry->arrivals, &out->source);
}

/* Copies differ by name alone; all that they point to is shared. */
static void push(orr_services_reader *r, const service_entry *entry, const orr_yaml *map, orr_service service)
{
    orr_text name = {0};
    for (int64_t i = 0; i < (entry->copies ? entry->copies : 1); i++) {
        if (entry->copies) {
            orr_text_clear(&name);
            orr_text_addf(&name, "%s-%lld", entry->name, (long long)i + 1);
            service.name = orr_arena_strdup(&r->memory->arena, name.at, name.n);
        }
        const orr_service_draft draft = {service, entry->name, map, entry->to, entry->replicas};
        ORR_VEC_PUSH(&r->drafts, draft);
    }
    orr_text_fini(&name);
}

orr_err orr_services_read_service(orr_services_reader *r, const orr_yaml *map)
{
    service_entry entry;
    orr_schema_defaults(&orr_service_keys, &entry);
    orr_err err = orr_schema_read(&orr_service_keys, r->doc, map, &entry, r->e);
    if (!err)
        err = orr_services_name(r, orr_yaml_member(map, "name"));
    if (err)
        return err;
    orr_service service = {.name = entry.name,
                           .bound = entry.bound,
                           .timeout = entry.timeout,
                           .reply = entry.reply,
                           .retries = (int32_t)entry.retries,
                           .alike = entry.alike,
                           .said = orr_services_said(r, map)};
    err = read_parts(r, map, &entry, &service);
    if (!err)
        push(r, &entry, map, service);
    return err;
}

/* ---- edges ---- */

int32_t orr_services_find(const orr_services_reader *r, const char *text, size_t length)
{
    int32_t found = -1;
    char *name = orr_xstrndup(text, length);
    size_t low = 0, high = r->drafts.n;
    while (low < high && found < 0) {
        const size_t middle = (low + high) / 2;
        const int order = orr_natural_compare(r->drafts.at[middle].service.name, name);
        found = order == 0 ? (int32_t)middle : -1;
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    free(name);
    return found;
}

static orr_err unknown_service(const orr_services_reader *r, const orr_yaml *at)
{
    const orr_err err = orr_yaml_fail(r->doc, at, ORR_E_SYNTAX, r->e, "there is no service '%.80s'", at->text);
    const size_t n = r->drafts.n;
    const char **names = orr_xcalloc(n, sizeof *names);
    for (size_t i = 0; i < n; i++)
        names[i] = r->drafts.at[i].service.name;
    const char *nearest = orr_nearest(at->text, names, n);
    if (nearest)
        orr_error_hint(r->e, "did you mean '%s'?", nearest);
    free(names);
    return err;
}

static orr_err read_edge(const orr_services_reader *r, const orr_yaml *map, orr_service_edge *out)
{
    edge_entry entry;
    orr_schema_defaults(&orr_service_edge_keys, &entry);
    const orr_err err = orr_schema_read(&orr_service_edge_keys, r->doc, map, &entry, r->e);
    if (err)
        return err;
    *out = (orr_service_edge){orr_services_find(r, entry.service, strlen(entry.service)), entry.fan_out, entry.bytes,
                              entry.budget};
    if (out->to < 0)
        return unknown_service(r, orr_yaml_member(map, "service"));
    if (!(entry.fan_out > 0))
        return orr_yaml_fail(r->doc, orr_yaml_member(map, "fan_out"), ORR_E_NUMBER, r->e,
                             "'fan_out' should be above 0");
    return ORR_OK;
}

static orr_err read_edges_of(const orr_services_reader *r, orr_service_draft *draft)
{
    const orr_yaml *list = draft->to;
    if (!list)
        return ORR_OK;
    orr_service_edge *edges = orr_arena_alloc(&r->memory->arena, list->count * sizeof *edges);
    orr_err err = ORR_OK;
    int32_t n = 0;
    for (const orr_yaml *v = list->first; v && !err; v = v->next, n++) {
        err = read_edge(r, v, &edges[n]);
        for (int32_t k = 0; k < n && !err; k++)
            if (edges[k].to == edges[n].to)
                err = orr_yaml_fail(r->doc, v, ORR_E_SYNTAX, r->e, "this service stands twice in 'to'");
    }
    draft->service.edges = edges;
    draft->service.edge_count = n;
    return err;
}

/* Depth first with a stack of its own, since chains may be long. A service that is met while it is on the path
 * closes a circle. */
typedef struct walk {
    int32_t *stack, *next; /* services of the path; the next edge of each service */
    int8_t *state;         /* 0 not met, 1 on the path, 2 done */
} walk;

/* The service that comes back to itself from here, or -1. */
static int32_t circle_from(const orr_services_reader *r, walk *w, int32_t root)
{
    int32_t depth = 0;
    for (w->stack[depth++] = root, w->state[root] = 1; depth;) {
        const int32_t s = w->stack[depth - 1];
        const orr_service *service = &r->drafts.at[s].service;
        if (w->next[s] == service->edge_count) {
            w->state[s] = 2;
            depth--;
            continue;
        }
        const int32_t to = service->edges[w->next[s]++].to;
        if (w->state[to] == 1)
            return to;
        if (w->state[to] == 0) {
            w->state[to] = 1;
            w->stack[depth++] = to;
        }
    }
    return -1;
}

static orr_err check_circles(const orr_services_reader *r)
{
    const size_t n = r->drafts.n;
    walk w = {orr_xcalloc(n, sizeof *w.stack), orr_xcalloc(n, sizeof *w.next), orr_xcalloc(n, sizeof *w.state)};
    int32_t found = -1;
    for (size_t i = 0; i < n && found < 0; i++)
        found = w.state[i] == 0 ? circle_from(r, &w, (int32_t)i) : -1;
    free(w.stack);
    free(w.next);
    free(w.state);
    if (found < 0)
        return ORR_OK;
    const orr_service_draft *d = &r->drafts.at[found];
    return orr_yaml_fail(r->doc, d->to, ORR_E_SYNTAX, r->e, "the service '%.80s' comes back to itself by 'to'",
                         d->service.name);
}

static void note_the_unasked(orr_services_reader *r)
{
    bool *asked = orr_xcalloc(r->drafts.n, sizeof *asked);
    char text[192];
    for (size_t i = 0; i < r->drafts.n; i++)
        for (int32_t k = 0; k < r->drafts.at[i].service.edge_count; k++)
            asked[r->drafts.at[i].service.edges[k].to] = true;
    for (size_t i = 0; i < r->drafts.n; i++) {
        const orr_service *s = &r->drafts.at[i].service;
        if (asked[i] || s->source.kind != ORR_SOURCE_NONE)
            continue;
        snprintf(text, sizeof text, "nobody asks the service '%.80s'", s->name);
        orr_services_note(r, ORR_NOTE_WARN, "unasked", text);
    }
    free(asked);
}

orr_err orr_services_read_edges(orr_services_reader *r)
{
    orr_err err = ORR_OK;
    for (size_t i = 0; i < r->drafts.n && !err; i++)
        err = read_edges_of(r, &r->drafts.at[i]);
    if (!err)
        err = check_circles(r);
    if (!err)
        note_the_unasked(r);
    return err;
}
