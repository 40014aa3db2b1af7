/* Progressive filling, a class at a time, with a heap of what stops next: a link that gets full, or a flow at its cap.
 * The level at which a link gets full only rises as flows on it are stopped elsewhere, so that an entry that has become
 * stale is put back with its present level, and the heap holds each link once. */
#include "model/flows.h"

#include "base/assert.h"
#include "base/mem.h"

#include <math.h>

typedef struct use {
    int32_t link;
    uint32_t flow;
    double load;
    struct use *previous, *next; /* among those of its link */
} use;

typedef struct flow {
    uint64_t key;
    void *owner;
    orr_flow_rule rule;
    use *uses;
    int32_t count;
    bool alive, open; /* open: its rate still rises */
    uint64_t seen; /* the settle in which it was met last */
    double rate, before;
} flow;

typedef struct link {
    double capacity;
    use *uses;
    int32_t sharers, open; /* flows not held back; those whose rate still rises */
    bool marked;
    uint64_t seen, filled; /* the settle in which it was met; the class being filled */
    double left;           /* while a component is worked out: what is left, */
    double weight, heaviest; /* how fast that goes as the level rises, and how fast it went at first */
} link;

typedef struct stop {
    double level;
    bool is_flow;
    uint32_t what;  /* a link's number, or a flow's */
    uint64_t order; /* among equals: its number, or its key */
} stop;

struct orr_flows {
    link *links;
    int32_t link_count;
    double penalty;
    ORR_VEC(flow) flows;
    ORR_VEC(uint32_t) spare;
    ORR_VEC(int32_t) marked; /* links */
    ORR_VEC(uint32_t) loose; /* flows that changed and have no link to mark */
    uint64_t settles, fillings, visited;
    ORR_VEC(int32_t) open_links; /* to be looked at while a component is gathered */
    ORR_VEC(uint32_t) component, met; /* flows of the component; of all components of this settle */
    ORR_VEC(int32_t) component_links;
    ORR_VEC(stop) heap;
};

orr_flows *orr_flows_create(const double *capacity, int32_t links, double penalty)
{
    orr_flows *f = orr_xcalloc(1, sizeof *f);
    f->links = orr_xcalloc((size_t)links + 1, sizeof *f->links);
    f->link_count = links;
    f->penalty = penalty;
    for (int32_t i = 0; i < links; i++)
        f->links[i].capacity = capacity[i];
    return f;
}

void orr_flows_destroy(orr_flows *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->flows.n; i++)
        free(f->flows.at[i].uses);
    ORR_VEC_FREE(&f->flows);
    ORR_VEC_FREE(&f->spare);
    ORR_VEC_FREE(&f->marked);
    ORR_VEC_FREE(&f->loose);
    ORR_VEC_FREE(&f->open_links);
    ORR_VEC_FREE(&f->component);
    ORR_VEC_FREE(&f->component_links);
    ORR_VEC_FREE(&f->met);
    ORR_VEC_FREE(&f->heap);
    free(f->links);
    free(f);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static void mark(orr_flows *f, int32_t number)
{
    link *l = &f->links[number];
    if (l->marked)
        return;
    l->marked = true;
    ORR_VEC_PUSH(&f->marked, number);
}

static void mark_links_of(orr_flows *f, uint32_t number)
{
    const flow *w = &f->flows.at[number];
    for (int32_t i = 0; i < w->count; i++)
        mark(f, w->uses[i].link);
    ORR_VEC_PUSH(&f->loose, number); /* all of its links may be infinite */
}

static void count_sharer(orr_flows *f, const flow *w, int sign)
{
    if (w->rule.cap > 0)
        for (int32_t i = 0; i < w->count; i++)
            f->links[w->uses[i].link].sharers += sign;
}

static void hang(link *l, use *u)
{
    u->previous = NULL;
    u->next = l->uses;
    if (l->uses)
        l->uses->previous = u;
    l->uses = u;
}

static void unhang(link *l, use *u)
{
    if (u->previous)
        u->previous->next = u->next;
    else
        l->uses = u->next;
    if (u->next)
        u->next->previous = u->previous;
}

static uint32_t new_number(orr_flows *f)
{
    if (f->spare.n)
        return f->spare.at[--f->spare.n];
    ORR_VEC_PUSH(&f->flows, (flow){0});
    return (uint32_t)f->flows.n - 1;
}

uint32_t orr_flows_add(orr_flows *f, uint64_t key, void *owner, const orr_flow_use *uses, int32_t n, orr_flow_rule rule)
{
    const uint32_t number = new_number(f);
    flow *w = &f->flows.at[number];
    *w = (flow){.key = key, .owner = owner, .rule = rule, .count = n, .alive = true, .rate = -1};
    w->uses = orr_xcalloc((size_t)n + 1, sizeof *w->uses);
    for (int32_t i = 0; i < n; i++) {
        const bool after = i == 0 || uses[i - 1].link < uses[i].link;
        ORR_ASSERT(after && uses[i].link >= 0 && uses[i].link < f->link_count && uses[i].load > 0,
                   "a flow over such links");
        w->uses[i] = (use){.link = uses[i].link, .flow = number, .load = uses[i].load};
        hang(&f->links[uses[i].link], &w->uses[i]);
    }
    count_sharer(f, w, 1);
    mark_links_of(f, number);
    return number;
}

void orr_flows_set(orr_flows *f, uint32_t number, orr_flow_rule rule)
{
    flow *w = &f->flows.at[number];
    if (w->rule.rank == rule.rank && w->rule.weight == rule.weight && w->rule.cap == rule.cap)
        return;
    count_sharer(f, w, -1);
    w->rule = rule;
    count_sharer(f, w, 1);
    mark_links_of(f, number);
}

void orr_flows_remove(orr_flows *f, uint32_t number)
{
    flow *w = &f->flows.at[number];
    ORR_ASSERT(w->alive, "a flow is removed twice");
    count_sharer(f, w, -1);
    for (int32_t i = 0; i < w->count; i++) {
        mark(f, w->uses[i].link);
        unhang(&f->links[w->uses[i].link], &w->uses[i]);
    }
    free(w->uses);
    *w = (flow){0};
    ORR_VEC_PUSH(&f->spare, number);
}

void orr_flows_set_capacity(orr_flows *f, int32_t number, double capacity)
{
    link *l = &f->links[number];
    if (l->capacity == capacity)
        return;
    l->capacity = capacity;
    for (const use *u = l->uses; u; u = u->next) /* what it joined, or joins from now on, is looked at from all sides */
        mark_links_of(f, u->flow);
}

/* ---- gathering a component --------------------------------------------------------------------------------------- */

static bool limits(const link *l)
{
    return isfinite(l->capacity);
}

static void meet_link(orr_flows *f, int32_t number)
{
    link *l = &f->links[number];
    if (l->seen == f->settles || !limits(l))
        return;
    l->seen = f->settles;
    ORR_VEC_PUSH(&f->open_links, number);
    ORR_VEC_PUSH(&f->component_links, number);
}

static void meet_flow(orr_flows *f, uint32_t number)
{
    flow *w = &f->flows.at[number];
    if (!w->alive || w->seen == f->settles)
        return;
    w->seen = f->settles;
    ORR_VEC_PUSH(&f->component, number);
    for (int32_t i = 0; i < w->count; i++)
        meet_link(f, w->uses[i].link);
}

static void gather(orr_flows *f)
{
    while (f->open_links.n)
        for (const use *u = f->links[f->open_links.at[--f->open_links.n]].uses; u; u = u->next)
            meet_flow(f, u->flow);
}

/* ---- filling it -------------------------------------------------------------------------------------------------- */

static bool sooner(const stop *a, const stop *b)
{
    if (a->level != b->level)
        return a->level < b->level;
    return a->is_flow != b->is_flow ? a->is_flow : a->order < b->order;
}

static void push_stop(orr_flows *f, stop s)
{
    ORR_VEC_PUSH(&f->heap, s);
    stop *at = f->heap.at;
    size_t i = f->heap.n - 1;
    for (; i && sooner(&s, &at[(i - 1) / 2]); i = (i - 1) / 2)
        at[i] = at[(i - 1) / 2];
    at[i] = s;
}

static stop pop_stop(orr_flows *f)
{
    stop *at = f->heap.at;
    const stop top = at[0], last = at[--f->heap.n];
    size_t i = 0, n = f->heap.n;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        child += child + 1 < n && sooner(&at[child + 1], &at[child]);
        if (!sooner(&at[child], &last))
            break;
        at[i] = at[child];
        i = child;
    }
    if (n)
        at[i] = last;
    return top;
}

static double level_of(const link *l)
{
    return l->left > 0 ? l->left / l->weight : 0;
}

/* Differences of numbers of very different size are worth nothing: it is summed up anew. */
static void weigh_again(const orr_flows *f, link *l)
{
    l->weight = 0;
    for (const use *u = l->uses; u; u = u->next)
        if (f->flows.at[u->flow].open)
            l->weight += f->flows.at[u->flow].rule.weight * u->load;
    l->heaviest = l->weight;
}

static void take(const orr_flows *f, const flow *w)
{
    for (int32_t i = 0; i < w->count; i++) {
        link *l = &f->links[w->uses[i].link];
        if (!limits(l))
            continue;
        l->left -= w->rate * w->uses[i].load;
        l->weight -= w->rule.weight * w->uses[i].load;
        l->open--;
        if (l->weight < 1e-6 * l->heaviest)
            weigh_again(f, l);
        if (l->left < 1e-12 * l->capacity) /* what rounding left is not worth a flow of a later class */
            l->left = 0;
    }
}

static void close_flow(const orr_flows *f, flow *w, double level)
{
    const double rate = level * w->rule.weight;
    w->rate = rate < w->rule.cap ? rate : w->rule.cap;
    w->open = false;
    take(f, w);
}

static void close_link(orr_flows *f, link *l, double level)
{
    for (const use *u = l->uses; u && l->open; u = u->next)
        if (f->flows.at[u->flow].open)
            close_flow(f, &f->flows.at[u->flow], level);
    l->left = 0;
}

static void open_flow(orr_flows *f, uint32_t number)
{
    flow *w = &f->flows.at[number];
    w->open = true;
    for (int32_t i = 0; i < w->count; i++) {
        link *l = &f->links[w->uses[i].link];
        if (!limits(l))
            continue;
        if (l->filled != f->fillings) {
            l->filled = f->fillings;
            l->weight = 0;
            l->open = 0;
        }
        l->weight += w->rule.weight * w->uses[i].load;
        l->heaviest = l->weight;
        l->open++;
    }
    if (isfinite(w->rule.cap))
        push_stop(f, (stop){w->rule.cap / w->rule.weight, true, number, w->key});
}

static void push_links(orr_flows *f)
{
    for (size_t i = 0; i < f->component_links.n; i++) {
        const uint32_t number = (uint32_t)f->component_links.at[i];
        const link *l = &f->links[number];
        if (l->filled == f->fillings)
            push_stop(f, (stop){level_of(l), false, number, number});
    }
}

static void stop_flow(orr_flows *f, flow *w)
{
    if (w->open)
        close_flow(f, w, INFINITY);
}

static void stop_link(orr_flows *f, stop s)
{
    link *l = &f->links[s.what];
    const double level = level_of(l);
    if (!l->open)
        return;
    if (level > s.level)
        push_stop(f, (stop){level, false, s.what, s.what});
    else
        close_link(f, l, level);
}

/* One class: flows from[0 .. n), by key. */
static void fill(orr_flows *f, const uint32_t *from, size_t n)
{
    f->fillings++;
    for (size_t i = 0; i < n; i++)
        open_flow(f, from[i]);
    push_links(f);
    while (f->heap.n) {
        const stop s = pop_stop(f);
        if (s.is_flow)
            stop_flow(f, &f->flows.at[s.what]);
        else
            stop_link(f, s);
    }
    for (size_t i = 0; i < n; i++)
        stop_flow(f, &f->flows.at[from[i]]); /* nothing limits it */
}

/* ---- settling ---------------------------------------------------------------------------------------------------- */

typedef struct sorted {
    int32_t rank;
    uint32_t flow;
    uint64_t key;
} sorted;

static int by_rank_and_key(const void *a, const void *b)
{
    const sorted *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

static void sort_flows(const orr_flows *f, uint32_t *at, size_t n, bool by_rank)
{
    sorted few[16], *all = n <= 16 ? few : orr_xmalloc(n * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        const flow *w = &f->flows.at[at[i]];
        all[i] = (sorted){by_rank ? w->rule.rank : 0, at[i], w->key};
    }
    qsort(all, n, sizeof *all, by_rank_and_key);
    for (size_t i = 0; i < n; i++)
        at[i] = all[i].flow;
    if (all != few)
        free(all);
}

/* Links list their flows in the order of keys from here on, so that sums don't depend on the order of changes. */
static void hang_in_order(orr_flows *f)
{
    for (size_t i = 0; i < f->component_links.n; i++)
        f->links[f->component_links.at[i]].uses = NULL;
    for (size_t i = f->component.n; i-- > 0;) {
        flow *w = &f->flows.at[f->component.at[i]];
        for (int32_t k = 0; k < w->count; k++)
            if (limits(&f->links[w->uses[k].link]))
                hang(&f->links[w->uses[k].link], &w->uses[k]);
    }
}

static double shared_capacity(const orr_flows *f, const link *l)
{
    const double k = l->sharers > 1 ? l->sharers : 1;
    return f->penalty > 0 ? l->capacity * k / (k + (k - 1) * f->penalty) : l->capacity;
}

static void work_out_component(orr_flows *f)
{
    uint32_t *at = f->component.at;
    const size_t n = f->component.n;
    sort_flows(f, at, n, true);
    hang_in_order(f);
    for (size_t i = 0; i < f->component_links.n; i++) {
        link *l = &f->links[f->component_links.at[i]];
        l->left = shared_capacity(f, l);
        l->filled = 0;
    }
    for (size_t i = 0; i < n; i++) {
        f->flows.at[at[i]].before = f->flows.at[at[i]].rate;
        ORR_VEC_PUSH(&f->met, at[i]);
    }
    for (size_t i = 0, end; i < n; i = end) {
        const int32_t rank = f->flows.at[at[i]].rule.rank;
        for (end = i + 1; end < n && f->flows.at[at[end]].rule.rank == rank; end++)
            ;
        fill(f, at + i, end - i);
    }
    f->visited += n;
}

static void begin_component(orr_flows *f)
{
    f->component.n = f->component_links.n = f->open_links.n = 0;
}

static void end_component(orr_flows *f)
{
    gather(f);
    if (f->component.n)
        work_out_component(f);
}

static void work_out_all(orr_flows *f)
{
    f->settles++;
    f->met.n = 0;
    for (size_t i = 0; i < f->marked.n; i++) {
        f->links[f->marked.at[i]].marked = false;
        begin_component(f);
        meet_link(f, f->marked.at[i]);
        end_component(f);
    }
    for (size_t i = 0; i < f->loose.n; i++) {
        begin_component(f);
        meet_flow(f, f->loose.at[i]);
        end_component(f);
    }
    f->marked.n = f->loose.n = 0;
}

void orr_flows_settle(orr_flows *f, void (*moved)(void *self, void *owner, double rate), void *self)
{
    if (!f->marked.n && !f->loose.n)
        return;
    work_out_all(f);
    sort_flows(f, f->met.at, f->met.n, false);
    for (size_t i = 0; i < f->met.n; i++) {
        const flow *w = &f->flows.at[f->met.at[i]];
        if (w->rate != w->before && moved)
            moved(self, w->owner, w->rate);
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

double orr_flows_rate(const orr_flows *f, uint32_t number)
{
    return f->flows.at[number].rate;
}

double orr_flows_alone(const orr_flows *f, const orr_flow_use *uses, int32_t n)
{
    double rate = INFINITY;
    for (int32_t i = 0; i < n; i++)
        rate = fmin(rate, f->links[uses[i].link].capacity / uses[i].load);
    return rate;
}

bool orr_flows_meet(const orr_flows *f, uint32_t a, uint32_t b)
{
    const flow *x = &f->flows.at[a], *y = &f->flows.at[b];
    for (int32_t i = 0, k = 0; i < x->count && k < y->count;) {
        const int32_t one = x->uses[i].link, other = y->uses[k].link;
        if (one == other && limits(&f->links[one]))
            return true;
        i += one <= other;
        k += other <= one;
    }
    return false;
}

uint64_t orr_flows_visited(const orr_flows *f)
{
    return f->visited;
}
