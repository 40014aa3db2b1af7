/* Queries: requests whose answer needs parts of other services. */
#include "serve/journeys.h"

/* ---- who asks whom, from one root on ----------------------------------------------------------------------------- */

typedef struct node {
    orr_service_id service;
    int32_t askers; /* edges within the query that lead here; more than one: a join */
    int32_t first;  /* its edges' places in `to` */
} node;

/* Services that a root's query can reach; who asks comes before who is asked, the root is the first. */
typedef struct dag {
    ORR_VEC(node) nodes;
    ORR_VEC(int32_t) to; /* by edge, node after node: the node that it leads to */
    bool joins;
} dag;

typedef struct part_place { /* of a query at one of the nodes */
    uint32_t live, answers;
    bool released, done; /* of a query with joins: a join was asked; nothing more can happen here */
} part_place;

typedef struct query {
    orr_service_id root;
    uint32_t live; /* parts under way, those that are being sent too */
    bool failed;
    orr_sv_answer answer;
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST]; /* of the root */
    part_place *places;                             /* [nodes]; kept for the next query that is here, as `asked` is */
    uint32_t *asked;                                /* [edges] requests that joins were asked for */
    size_t nodes, edges;
} query;

struct orr_sv_journeys {
    dag *dags; /* [services]; empty where a service asks nobody */
    ORR_VEC(query) queries;
    ORR_VEC(uint32_t) free;
};

typedef struct search {
    const orr_services *spec;
    int8_t *state; /* 1: on the way, 2: done */
    orr_service_id *done;
    size_t n;
} search;

/* Depth first; false: a circle. Whoever is done is written down: backwards that is an order in which askers come
 * first. */
static bool visit(search *w, orr_service_id service)
{
    const orr_service *spec = &w->spec->services[service];
    w->state[service] = 1;
    for (int32_t k = 0; k < spec->edge_count; k++) {
        const orr_service_id to = spec->edges[k].to;
        if (w->state[to] == 1 || (w->state[to] == 0 && !visit(w, to)))
            return false;
    }
    w->state[service] = 2;
    w->done[w->n++] = service;
    return true;
}

static int32_t node_of(const dag *d, orr_service_id service)
{
    for (size_t i = 0; i < d->nodes.n; i++) /* a query's services are few */
        if (d->nodes.at[i].service == service)
            return (int32_t)i;
    return -1;
}

static void connect(dag *d, const orr_services *spec)
{
    for (size_t i = 0; i < d->nodes.n; i++) {
        const orr_service *service = &spec->services[d->nodes.at[i].service];
        d->nodes.at[i].first = (int32_t)d->to.n;
        for (int32_t k = 0; k < service->edge_count; k++) {
            const int32_t to = node_of(d, service->edges[k].to);
            ORR_VEC_PUSH(&d->to, to);
            d->joins |= ++d->nodes.at[to].askers > 1;
        }
    }
}

static bool make_dag(const orr_services *spec, orr_service_id root, dag *d)
{
    search w = {.spec = spec, .state = orr_xcalloc((size_t)spec->count, 1)};
    w.done = orr_xcalloc((size_t)spec->count, sizeof *w.done);
    const bool fine = visit(&w, root);
    for (size_t i = w.n; i > 0 && fine; i--)
        ORR_VEC_PUSH(&d->nodes, (node){.service = w.done[i - 1]});
    free(w.state);
    free(w.done);
    if (fine)
        connect(d, spec);
    return fine;
}

orr_err orr_serving_journeys_begin(orr_serving *s, orr_error *e)
{
    bool edges = false;
    for (int32_t i = 0; i < s->spec->count; i++)
        edges |= s->spec->services[i].edge_count > 0;
    if (!edges)
        return ORR_OK;
    s->journeys = orr_xcalloc(1, sizeof *s->journeys);
    s->journeys->dags = orr_xcalloc((size_t)s->spec->count, sizeof *s->journeys->dags);
    for (int32_t i = 0; i < s->spec->count; i++)
        if (s->spec->services[i].edge_count && !make_dag(s->spec, i, &s->journeys->dags[i]))
            return orr_error_set(e, ORR_E_CONFLICT, "services ask each other in a circle, '%s' among them",
                                 s->spec->services[i].name);
    return ORR_OK;
}

void orr_serving_journeys_end(orr_serving *s)
{
    struct orr_sv_journeys *j = s->journeys;
    if (!j)
        return;
    for (int32_t i = 0; i < s->spec->count; i++) {
        ORR_VEC_FREE(&j->dags[i].nodes);
        ORR_VEC_FREE(&j->dags[i].to);
    }
    for (size_t i = 0; i < j->queries.n; i++) {
        free(j->queries.at[i].places);
        free(j->queries.at[i].asked);
    }
    ORR_VEC_FREE(&j->queries);
    ORR_VEC_FREE(&j->free);
    free(j->dags);
    free(j);
    s->journeys = NULL;
}

/* ---- one query --------------------------------------------------------------------------------------------------- */

static query *query_at(orr_serving *s, uint32_t q)
{
    return &s->journeys->queries.at[q];
}

static const dag *dag_of(orr_serving *s, uint32_t q)
{
    return &s->journeys->dags[query_at(s, q)->root];
}

static void make_places(query *q, const dag *d)
{
    if (q->nodes < d->nodes.n)
        q->places = orr_xrealloc(q->places, q->nodes = d->nodes.n, sizeof *q->places);
    if (q->edges < d->to.n)
        q->asked = orr_xrealloc(q->asked, q->edges = d->to.n, sizeof *q->asked);
    memset(q->places, 0, d->nodes.n * sizeof *q->places);
    memset(q->asked, 0, d->to.n * sizeof *q->asked);
}

static uint32_t open_query(orr_serving *s, const orr_sv_service *v, const uint8_t *record, const orr_sv_answer *a)
{
    struct orr_sv_journeys *j = s->journeys;
    if (!j->free.n) {
        ORR_VEC_PUSH(&j->queries, (query){0});
        ORR_VEC_PUSH(&j->free, (uint32_t)j->queries.n - 1);
    }
    const uint32_t place = j->free.at[--j->free.n];
    query *q = &j->queries.at[place];
    q->root = v->id;
    q->live = 0;
    q->failed = false;
    q->answer = *a;
    memcpy(q->record, record, v->stride);
    make_places(q, &j->dags[v->id]);
    return place;
}

/* What a part carries is what its root carried: input and tokens, where both have them, and the class of the same
 * place. */
static void make_part(orr_serving *s, uint32_t q, orr_sv_service *v, const orr_service_edge *edge, orr_time arrival,
                      uint8_t *out)
{
    const query *of = query_at(s, q);
    const orr_sv_service *root = &s->services.at[of->root];
    const orr_req *req = (const orr_req *)(const void *)of->record;
    memset(out, 0, v->stride);
    orr_time deadline = orr_time_add(req->arrival, root->spec->classes[req->class_].slo);
    if (edge->budget != ORR_TIME_MAX || v->budget)
        deadline = orr_time_add(arrival, v->budget ? v->budget : edge->budget);
    *(orr_req *)(void *)out = (orr_req){.arrival = arrival,
                                        .deadline = deadline,
                                        .number = v->next_number++,
                                        .class_ = req->class_ < v->spec->class_count ? req->class_ : 0};
    if (v->tokens_at && root->tokens_at)
    {
        const orr_req_tokens *t = (const orr_req_tokens *)(const void *)(of->record + root->tokens_at);
        *(orr_req_tokens *)(void *)(out + v->tokens_at) =
            (orr_req_tokens){.in = t->in, .out = t->out, .first = t->first};
    }
    if (v->input_at)
        *(uint64_t *)(void *)(out + v->input_at) =
            root->input_at ? *(const uint64_t *)(const void *)(of->record + root->input_at) : req->number;
    orr_sv_link_of(v, out)->query = q + 1;
}

static orr_time way(const orr_serving *s, const orr_service_edge *edge)
{
    const double bandwidth = s->spec->bandwidth;
    return bandwidth > 0 && edge->bytes > 0 ? (orr_time)((double)edge->bytes / bandwidth * 1e9 + 0.5) : 0;
}

static void send_parts(orr_serving *s, uint32_t q, const orr_service_edge *edge, uint32_t n)
{
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
    orr_sv_service *v = &s->services.at[edge->to];
    const orr_time delay = way(s, edge);
    query_at(s, q)->live += n;
    query_at(s, q)->places[node_of(dag_of(s, q), edge->to)].live += n;
    for (; n > 0; n--) {
        make_part(s, q, v, edge, orr_time_add(s->now, delay), record);
        if (delay)
            orr_serving_send(s, v, record, NULL, delay);
        else
            orr_serving_come(s, v, record);
    }
}

/* ---- joins ------------------------------------------------------------------------------------------------------- */

/* The most that any of its askers asks of a node, and by which edge. */
static uint32_t most_asked(const orr_serving *s, const query *q, const dag *d, int32_t at,
                           const orr_service_edge **edge)
{
    uint32_t most = 0;
    for (size_t i = 0; i < d->nodes.n; i++) {
        const orr_service *spec = &s->spec->services[d->nodes.at[i].service];
        for (int32_t k = 0; k < spec->edge_count; k++) {
            const int32_t e = d->nodes.at[i].first + k;
            if (d->to.at[e] != at || q->asked[e] <= most)
                continue;
            most = q->asked[e];
            *edge = &spec->edges[k];
        }
    }
    return most;
}

/* Nothing more can come to a node if all who ask it are done. Nodes come in an order in which that is known by then. */
static bool askers_done(const orr_serving *s, const query *q, const dag *d, int32_t at)
{
    for (int32_t i = 0; i < at; i++)
        for (int32_t k = 0; k < s->spec->services[d->nodes.at[i].service].edge_count; k++)
            if (d->to.at[d->nodes.at[i].first + k] == at && !q->places[i].done)
                return false;
    return true;
}

/* Joins whose askers are done now are asked. O(nodes * edges) at the end of a part, of queries with joins alone. */
static void release_joins(orr_serving *s, uint32_t place_)
{
    const dag *d = dag_of(s, place_);
    for (int32_t i = 0; i < (int32_t)d->nodes.n && !query_at(s, place_)->failed; i++) {
        query *q = query_at(s, place_);
        const bool over = askers_done(s, q, d, i);
        const orr_service_edge *edge = NULL;
        if (over && d->nodes.at[i].askers > 1 && !q->places[i].released) {
            q->places[i].released = true;
            const uint32_t n = most_asked(s, q, d, i, &edge);
            if (n)
                send_parts(s, place_, edge, n);
            q = query_at(s, place_);
        }
        q->places[i].done = over && q->places[i].live == 0;
    }
}

/* ---- asking, and the end ----------------------------------------------------------------------------------------- */

/* So many requests does this answer make: the whole part of the mean, and one more with the probability of the rest. */
static uint32_t drawn(const orr_sv_service *root, uint32_t number, int32_t edge, uint64_t nth, double mean)
{
    const double whole = (double)(uint32_t)mean, rest = mean - whole;
    if (rest <= 0)
        return (uint32_t)whole;
    return (uint32_t)whole + (orr_sv_draw(root, number, ORR_SV_FAN_OUT, (uint64_t)edge << 32 | nth) < rest);
}

/* The answer of a part at node `at` asks on. */
static void ask_on(orr_serving *s, uint32_t q, int32_t at)
{
    const dag *d = dag_of(s, q);
    const orr_sv_service *root = &s->services.at[query_at(s, q)->root];
    const orr_service *spec = &s->spec->services[d->nodes.at[at].service];
    const uint32_t nth = query_at(s, q)->places[at].answers++;
    const uint32_t number = ((const orr_req *)(const void *)query_at(s, q)->record)->number;
    for (int32_t k = 0; k < spec->edge_count && !query_at(s, q)->failed; k++) {
        const int32_t edge = d->nodes.at[at].first + k;
        const uint32_t n = drawn(root, number, edge, nth, spec->edges[k].fan_out);
        if (d->nodes.at[d->to.at[edge]].askers > 1)
            query_at(s, q)->asked[edge] += n;
        else if (n)
            send_parts(s, q, &spec->edges[k], n);
    }
}

static void end_query(orr_serving *s, uint32_t place_)
{
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
    const query *q = query_at(s, place_);
    orr_sv_service *v = &s->services.at[q->root];
    const orr_sv_answer a = q->answer;
    const bool failed = q->failed;
    memcpy(record, q->record, v->stride);
    ORR_VEC_PUSH(&s->journeys->free, place_);
    const orr_req *req = (const orr_req *)(const void *)record;
    if (!failed)
        orr_serving_count_answer(s, v, req, &a, orr_time_add(req->arrival, v->spec->classes[req->class_].slo));
}

/* One part less is under way. */
static void part_ends(orr_serving *s, uint32_t q, int32_t at)
{
    query_at(s, q)->places[at].live--;
    if (dag_of(s, q)->joins)
        release_joins(s, q);
    if (--query_at(s, q)->live == 0)
        end_query(s, q);
}

/* Its own answer counts as a part that is under way until all that it asks has been asked. */
static void begin_query(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *a)
{
    const uint32_t q = open_query(s, v, record, a);
    query_at(s, q)->live = query_at(s, q)->places[0].live = 1;
    ask_on(s, q, 0);
    part_ends(s, q, 0);
}

void orr_serving_part_answered(orr_serving *s, orr_sv_service *v, const uint8_t *record, const orr_sv_answer *a)
{
    const orr_req *req = (const orr_req *)(const void *)record;
    const uint32_t link = orr_sv_link_of(v, record)->query;
    if (!link && v->spec->edge_count) {
        begin_query(s, v, record, a);
        return;
    }
    orr_serving_count_answer(s, v, req, a, req->deadline);
    if (!link)
        return;
    const uint32_t q = link - 1;
    const int32_t at = node_of(dag_of(s, q), v->id);
    ask_on(s, q, at);
    part_ends(s, q, at);
}

/* The client is told at once. */
static void fail(orr_serving *s, uint32_t place_, orr_drop_why why, orr_time at)
{
    _Alignas(8) uint8_t record[ORR_SV_STRIDE_MOST];
    query *q = query_at(s, place_);
    orr_sv_service *v = &s->services.at[q->root];
    if (q->failed)
        return;
    q->failed = true;
    memcpy(record, q->record, v->stride);
    orr_serving_count_drop(s, v, (const orr_req *)(const void *)record, why, at);
}

void orr_serving_part_dropped(orr_serving *s, orr_sv_service *v, const uint8_t *record, orr_drop_why why, orr_time at)
{
    const uint32_t link = orr_sv_link_of(v, record)->query;
    orr_serving_count_drop(s, v, (const orr_req *)(const void *)record, why, at);
    if (!link)
        return;
    fail(s, link - 1, why, at);
    part_ends(s, link - 1, node_of(dag_of(s, link - 1), v->id));
}
