/* Jobs to queues of unlike machines at the least sum of completion times (AlloX: Le et al., EuroSys'20, section 4).
 *
 * It is an assignment of jobs to places (kind of machine, position from the end), each of which takes as many jobs
 * as there are machines of the kind, and costs position x time: shortest augmenting paths, as in assign.c, over
 * places instead of columns. What keeps it short:
 *   - Of each kind only the positions that are full count, and the one behind them: any further one costs more for
 *     everybody.
 *   - Jobs enter in descending order of their least time, so that most go to the end of a queue and push nobody on.
 *   - A full position is the cheapest of its kind for those on it. So over the positions of a kind the reduced cost
 *     of any job is convex, its least is found by bisection, and a search goes from there to both sides only as far
 *     as it stays below the nearest room found so far: in the mean to two or three positions a job, whatever their
 *     number. / */
#include <orrery/solve.h>

#include "base/assert.h"
#include "base/mem.h"

#include <math.h>

typedef struct place {
    int32_t kind, position; /* from 1 on */
    int32_t taken, *who;    /* [room of the kind] */
    double price;           /* <= 0: what it is worth to have it */
    double far;             /* from the job that enters, in the search of this number */
    int32_t from;           /* the job before it on the way there */
    int32_t search;
    bool reached;
} place;

typedef struct queue {
    ORR_VEC(place *) places; /* full but for the last */
    int32_t room;
} queue;

typedef struct candidate {
    double far;
    place *at;
} candidate;

typedef struct state {
    const double *time, *ready;
    int32_t jobs, kinds;
    queue *queues;
    double *worth; /* [jobs] potentials */
    place **at;    /* [jobs] NULL: not yet */
    double limit;  /* the nearest room in this search */
    int32_t search;
    ORR_VEC(candidate) near; /* a heap */
    ORR_VEC(place *) reached;
    orr_arena memory;
} state;

static double time_of(const state *s, int32_t job, int32_t kind)
{
    return s->time[(size_t)job * (size_t)s->kinds + (size_t)kind];
}

static bool has_room(const state *s, const place *p)
{
    return p->taken < s->queues[p->kind].room;
}

static void open_place(state *s, int32_t kind)
{
    queue *q = &s->queues[kind];
    place *p = orr_arena_alloc(&s->memory, sizeof *p);
    *p = (place){.kind = kind, .position = (int32_t)q->places.n + 1, .search = -1};
    p->who = orr_arena_alloc(&s->memory, (size_t)q->room * sizeof *p->who);
    ORR_VEC_PUSH(&q->places, p);
}

/* ---- the heap of places by distance ------------------------------------------------------------------------------ */

/* Room before none, then by kind and position: fixed, and the search ends as early as it can. */
static bool is_nearer(const state *s, candidate a, candidate b)
{
    if (a.far != b.far)
        return a.far < b.far;
    if (has_room(s, a.at) != has_room(s, b.at))
        return has_room(s, a.at);
    return a.at->kind != b.at->kind ? a.at->kind < b.at->kind : a.at->position < b.at->position;
}

static void push_near(state *s, candidate c)
{
    ORR_VEC_PUSH(&s->near, c);
    candidate *heap = s->near.at;
    size_t i = s->near.n - 1;
    for (; i && is_nearer(s, c, heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = c;
}

static candidate pop_near(state *s)
{
    candidate *heap = s->near.at, top = heap[0], last = heap[--s->near.n];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->near.n; i = child) {
        if (child + 1 < s->near.n && is_nearer(s, heap[child + 1], heap[child]))
            child++;
        if (!is_nearer(s, heap[child], last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

/* ---- one search -------------------------------------------------------------------------------------------------- */

/* The job would come to this place at this distance. False: that is no nearer than some room. */
static bool offer(state *s, int32_t job, place *p, double far)
{
    if (far >= s->limit)
        return false;
    if (p->search != s->search) {
        p->search = s->search;
        p->far = INFINITY;
        p->reached = false;
    }
    if (p->reached || far >= p->far)
        return true;
    p->far = far;
    p->from = job;
    push_near(s, (candidate){far, p});
    if (has_room(s, p))
        s->limit = far;
    return true;
}

/* The index of the cheapest place of a queue for one that takes `time`: the next is better as long as what it adds
 * in price is more than the time that it costs. O(log positions). */
static size_t cheapest(const queue *q, double time)
{
    size_t low = 0, high = q->places.n - 1;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (time < q->places.at[mid + 1]->price - q->places.at[mid]->price)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void look_at(state *s, int32_t job, int32_t kind, double so_far)
{
    double time = time_of(s, job, kind), base = so_far + (s->ready ? s->ready[kind] : 0) - s->worth[job];
    queue *q = &s->queues[kind];
    if (q->room == 0 || isinf(time))
        return;
    size_t n = q->places.n,
           mid = s->at[job] && s->at[job]->kind == kind ? (size_t)s->at[job]->position - 1 : cheapest(q, time);
    offer(s, job, q->places.at[n - 1], base + (double)n * time);
    for (size_t i = mid; i < n; i++)
        if (!offer(s, job, q->places.at[i], base + (double)(i + 1) * time - q->places.at[i]->price))
            break;
    for (size_t i = mid; i-- > 0;)
        if (!offer(s, job, q->places.at[i], base + (double)(i + 1) * time - q->places.at[i]->price))
            break;
}

static void look(state *s, int32_t job, double so_far)
{
    for (int32_t k = 0; k < s->kinds; k++)
        look_at(s, job, k, so_far);
}

/* The nearest place that was not reached yet. */
static place *reach(state *s)
{
    for (;;) {
        ORR_ASSERT(s->near.n, "every job that may enter finds room");
        candidate c = pop_near(s);
        if (c.at->reached || c.far != c.at->far)
            continue;
        c.at->reached = true;
        ORR_VEC_PUSH(&s->reached, c.at);
        return c.at;
    }
}

/* The room at the end of the cheapest chain. */
static place *chain_from(state *s, int32_t job)
{
    s->limit = INFINITY;
    s->search = job;
    s->near.n = s->reached.n = 0;
    look(s, job, 0);
    for (;;) {
        place *p = reach(s);
        if (has_room(s, p))
            return p;
        for (int32_t i = 0; i < p->taken; i++)
            look(s, p->who[i], p->far);
    }
}

static void set_potentials(state *s, int32_t job, double length)
{
    s->worth[job] += length;
    for (size_t i = 0; i < s->reached.n; i++) {
        place *p = s->reached.at[i];
        double nearer = length - p->far;
        for (int32_t k = 0; k < p->taken; k++)
            s->worth[p->who[k]] += nearer;
        p->price -= nearer;
    }
}

static void leave(place *p, int32_t job)
{
    int32_t i = 0;
    while (p->who[i] != job)
        i++;
    p->who[i] = p->who[--p->taken];
}

static void move_along(state *s, int32_t job, place *p)
{
    for (int32_t mover = -1; mover != job;) {
        mover = p->from;
        place *before = s->at[mover];
        if (before)
            leave(before, mover);
        p->who[p->taken++] = mover;
        s->at[mover] = p;
        p = before;
    }
}

static void enter(state *s, int32_t job)
{
    place *room = chain_from(s, job);
    set_potentials(s, job, room->far);
    move_along(s, job, room);
    if (!has_room(s, room))
        open_place(s, room->kind);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

typedef struct entrant {
    double least; /* time */
    int32_t job;
} entrant;

/* Of equals the last enters first, and so stands further back. */
static int by_least_descending(const void *a, const void *b)
{
    const entrant *x = a, *y = b;
    if (x->least != y->least)
        return x->least > y->least ? -1 : 1;
    return x->job > y->job ? -1 : 1;
}

/* In the order in which they enter; false: one can run nowhere. */
static bool line_up(const state *s, entrant *line)
{
    for (int32_t j = 0; j < s->jobs; j++) {
        line[j] = (entrant){INFINITY, j};
        for (int32_t k = 0; k < s->kinds; k++)
            if (s->queues[k].room)
                line[j].least = fmin(line[j].least, time_of(s, j, k));
        if (isinf(line[j].least))
            return false;
    }
    qsort(line, (size_t)s->jobs, sizeof *line, by_least_descending);
    return true;
}

static void begin(state *s, const int32_t *alike)
{
    size_t n = (size_t)s->jobs;
    s->queues = orr_arena_alloc(&s->memory, (size_t)s->kinds * sizeof *s->queues);
    s->worth = orr_arena_alloc(&s->memory, n * sizeof *s->worth);
    s->at = orr_arena_alloc(&s->memory, n * sizeof(place *));
    for (int32_t k = 0; k < s->kinds; k++) {
        int32_t machines = alike ? alike[k] : 1;
        s->queues[k].room = machines < s->jobs ? machines : s->jobs;
        open_place(s, k);
    }
}

static double hand_out(const state *s, int32_t *kind, int32_t *position)
{
    double sum = 0;
    for (int32_t j = 0; j < s->jobs; j++) {
        kind[j] = s->at[j]->kind;
        position[j] = s->at[j]->position;
        sum += position[j] * time_of(s, j, kind[j]) + (s->ready ? s->ready[kind[j]] : 0);
    }
    return sum;
}

static void end(state *s)
{
    for (int32_t k = 0; k < s->kinds; k++)
        ORR_VEC_FREE(&s->queues[k].places);
    ORR_VEC_FREE(&s->near);
    ORR_VEC_FREE(&s->reached);
    orr_arena_fini(&s->memory);
}

double orr_assign_queues(const orr_queues *q, int32_t *kind, int32_t *position)
{
    const int32_t jobs = q->jobs;
    state s = {.time = q->time, .ready = q->ready, .jobs = jobs, .kinds = q->kinds};
    begin(&s, q->alike);
    entrant *line = orr_arena_alloc(&s.memory, (size_t)jobs * sizeof *line);
    double sum = INFINITY;
    if (line_up(&s, line)) {
        for (int32_t i = 0; i < jobs; i++)
            enter(&s, line[i].job);
        sum = hand_out(&s, kind, position);
    }
    end(&s);
    return sum;
}
