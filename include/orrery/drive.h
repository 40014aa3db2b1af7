/* Stock drivers: each turns a smaller thing into `schedule`. The order rung is the list driver with its standard knobs;
 * plan policies make the same one with keys of their own.
 *
 * A driver keeps waiting jobs in balanced trees, one a request shape and VC, and remembers for each shape whether it
 * failed since room was last freed: an arrival that can't start costs O(log n), and no decision walks the queue.
 */
#ifndef ORRERY_DRIVE_H
#define ORRERY_DRIVE_H

#include <orrery/fragment.h>
#include <orrery/policy.h>
#include <orrery/topology.h>

/* Where a job stands: least first, by major, then minor, then the tie rule. */
typedef struct orr_rank {
    double major, minor;
} orr_rank;

typedef enum orr_hol { ORR_HOL_BLOCK, ORR_HOL_SKIP } orr_hol;
typedef enum orr_backfill { ORR_BACKFILL_NONE, ORR_BACKFILL_EASY, ORR_BACKFILL_CONSERVATIVE } orr_backfill;
typedef enum orr_vc_rule { ORR_VC_ISOLATED, ORR_VC_SHARED, ORR_VC_BORROW } orr_vc_rule;
/* Ties of rank. ID: running jobs first, then (submit, id). ROW: running first, then (submit, input row). QUEUE: waiting
 * jobs first, then whoever joined its list first. SUBMIT: (submit, id) alone, whoever runs. LAST: as they stood at the
 * last decision, new ones at the end; this one keeps a sorted list of all active jobs and walks it, O(active) a
 * decision. */
typedef enum orr_ties { ORR_TIES_ID, ORR_TIES_ROW, ORR_TIES_QUEUE, ORR_TIES_LAST, ORR_TIES_SUBMIT } orr_ties;
/* Admission of a preemptive walk. ROOM: a job displaces others only if it is then really placed. COUNT: GPUs are
 * counted first, victims leave, and a winner that then finds no shape stays waiting. YIELD: for a job that finds no
 * room the running ones behind it leave, the last first, until it does; they stay away even if it never does, and wait
 * like others. */
typedef enum orr_admit_rule { ORR_ADMIT_ROOM, ORR_ADMIT_COUNT, ORR_ADMIT_YIELD } orr_admit_rule;

typedef struct orr_list_rules {
    orr_rank (*rank)(orr_ctx *ctx, const orr_job *job); /* NaN is taken for +inf */
    bool preemptive;
    bool varying;      /* ranks of running jobs move with time: asked anew at each decision */
    int32_t hol, vc, ties, admit, backfill; /* the enums above; int32_t so that they can be knobs */
    int64_t depth;     /* backfill looks at this many waiting jobs behind the head at most */
    orr_time quantum;  /* > 0: while jobs wait, decide at least this often */
    orr_time round;    /* > 0: decide every so often only, not at events */
    orr_time min_gap;  /* > 0: at least this long between two decisions */
    orr_time recheck;  /* > 0: decide again this long after a decision that preempted */
    double gain_min;   /* a running job gives way only to a rank smaller by more than this */
} orr_list_rules;

typedef struct orr_list orr_list;

ORR_BEGIN

/* Lives as long as the instance. `rules` is copied. */
ORR_API orr_list *orr_list_create(orr_ctx *ctx, const orr_list_rules *rules);
/* To be called for every job event, before the policy's own bookkeeping if that changes ranks: keeps the trees. */
ORR_API void orr_list_event(orr_list *list, orr_job *job, const orr_event *event);
/* A waiting or running job's rank changed for another reason (demotion): asks it anew. */
ORR_API void orr_list_touch(orr_list *list, orr_job *job);
ORR_API orr_err orr_list_schedule(orr_list *list, orr_plan *plan);

/* Multi-level feedback queues over the list driver (Tiresias' discretised LAS and its relatives). A job begins in queue
 * 0 and goes down when its service passes the queue's threshold; lower queues run only when the upper ones leave
 * room. */
typedef enum orr_within {
    ORR_WITHIN_START, ORR_WITHIN_SUBMIT, ORR_WITHIN_POSITION, ORR_WITHIN_SCORE, ORR_WITHIN_JOINED
} orr_within;
typedef struct orr_mlfq_rules {
    orr_list_of_numbers thresholds; /* ascending; one queue more than there are thresholds */
    bool by_time;      /* thresholds in seconds held; default: GPU-seconds */
    int32_t within;    /* order inside a queue: START: those that ran first by first start, then the rest by submission;
                          SUBMIT; POSITION: as they joined it, those that run in front; JOINED: as they joined it,
                          whoever runs; SCORE: greatest `score` first */
    double promote;    /* a waiting job that ran e seconds returns to queue 0, its service forgotten, after promote * e
                          seconds of waiting; inf: never */
    bool on_events;    /* look at thresholds at decisions and, where those aren't rounds, at predicted whole seconds
                          only, instead of exactly; the prediction divides what is missing in seconds by the GPUs.
                          O(active) a decision */
    double (*score)(orr_ctx *ctx, const orr_job *job, double service); /* SCORE; service is in the thresholds' unit */
    orr_list_rules list; /* rank and varying are set by the driver */
} orr_mlfq_rules;
typedef struct orr_mlfq orr_mlfq;

ORR_API orr_mlfq *orr_mlfq_create(orr_ctx *ctx, const orr_mlfq_rules *rules);
ORR_API void orr_mlfq_event(orr_mlfq *mlfq, orr_job *job, const orr_event *event);
ORR_API orr_err orr_mlfq_schedule(orr_mlfq *mlfq, orr_plan *plan);
ORR_API int32_t orr_mlfq_queue(const orr_mlfq *mlfq, const orr_job *job); /* in which it is, from 0 */

/* Rounds: every `period` of virtual time, from 0 on, the policy decides anew who runs, and at no other time. The driver
 * knows who is in the system, puts them in order and counts what there is to deal out; the policy stages the plan. It
 * deals with whole GPUs, of jobs that wait or can be preempted; a job that ends within a round leaves its GPUs idle
 * until the next. */
typedef struct orr_rounds_rules {
    orr_time period; /* > 0 */
    int32_t vc;      /* ORR_VC_ISOLATED: jobs run in their VC's nodes; ORR_VC_SHARED: anywhere */
} orr_rounds_rules;
typedef struct orr_rounds orr_rounds;
/* To be made in `init`; lives as long as the instance. Sets the triggers. */
ORR_API orr_rounds *orr_rounds_create(orr_ctx *ctx, const orr_rounds_rules *rules);
ORR_API void orr_rounds_event(orr_rounds *rounds, orr_job *job, const orr_event *event); /* for every job event */
/* False at a submission between two rounds: there is nothing to decide. */
ORR_API bool orr_rounds_due(const orr_rounds *rounds);
/* Those to deal with, least key first (NaN last), then by (submit, id); *line lives until the next call, and the policy
 * may order it anew. GPUs that they hold count as left. O(active log active): in a round ranks of all move. */
ORR_API size_t orr_rounds_line_up(orr_rounds *rounds, double (*key)(orr_ctx *ctx, const orr_job *job), orr_job ***line);
/* Puts those of that line in front whose gangs fit into what is left, in order, and takes their GPUs off it; the others
 * follow, in order. Returns how many fit. */
ORR_API size_t orr_rounds_count_in(orr_rounds *rounds);
ORR_API int32_t *orr_rounds_left(orr_rounds *rounds, const orr_job *job); /* GPUs left to deal out where it may run */
ORR_API orr_scope orr_rounds_scope(const orr_rounds *rounds, const orr_job *job);
/* From now on rounds don't deal with this job, for good: for one that can't run as they deal, such as a gang that no
 * GPU type alone can host. In the line of this round it stays. */
ORR_API void orr_rounds_leave_out(orr_rounds *rounds, const orr_job *job);
/* Starts the jobs that rounds don't deal with, those left out, parts of GPUs and jobs without, where the placer says.
 * O(active). */
ORR_API void orr_rounds_start_others(orr_rounds *rounds, orr_plan *plan);

/* Seats: places for jobs that are to have so many GPUs each, whole nodes or parts of one: as long as their numbers are
 * powers of two within a node, or nodes, and no more in all than there are, everybody finds one. */
typedef struct orr_seat {
    orr_job *job;
    int32_t gpus;
    bool keeps; /* what it holds, in this scope; all others hold nothing, as the plan sees it */
    bool fixed; /* it must not be moved */
    bool found; /* filled: it has them */
} orr_seat;
/* The widest first (`seats` is put in that order): whole nodes are the last that are empty, or the emptiest after
 * narrower jobs have left; parts are where they leave least of a node, or where narrower jobs, the smallest first, have
 * left. Who had to leave is placed anew in turn. Other numbers fill the emptiest nodes where nothing else is left. Not
 * found: cores, memory, or fixed jobs are in the way.
 * `assign` is how GPUs are given to one; NULL: orr_plan_try_assign. O(nodes + seats), and that again for each that
 * others make room for. */
typedef orr_err orr_seat_fn(orr_ctx *ctx, orr_plan *plan, orr_job *job, const orr_alloc *alloc);
ORR_API void orr_plan_seats(orr_ctx *ctx, orr_plan *plan, orr_scope scope, orr_seat_fn *assign, orr_seat *seats,
                            size_t n);

/* Leases: a job that is given GPUs keeps them for so long; from then on others may have them, until it gets a lease
 * anew. When leases end there is a decision. */
typedef struct orr_lease_rules {
    orr_time length; /* > 0 */
    bool together;   /* they end at multiples of the length, so that there is something to deal out */
} orr_lease_rules;
typedef struct orr_leases orr_leases;
ORR_API orr_leases *orr_leases_create(orr_ctx *ctx, const orr_lease_rules *rules); /* in `init` */
ORR_API void orr_leases_event(orr_leases *leases, orr_job *job, const orr_event *event); /* for every job event */
/* Those that hold GPUs beyond their lease, in the order in which these ended; borrowed until the next call.
 * O(those). */
ORR_API size_t orr_leases_over(orr_leases *leases, orr_job *const **jobs);
/* Does it hold GPUs that others may have? Not if it must not be preempted. O(1). */
ORR_API bool orr_lease_is_over(const orr_leases *leases, const orr_job *job);
ORR_API void orr_lease_renew(orr_leases *leases, orr_job *job); /* it keeps what it holds for another term; O(1) */
/* Deals GPUs out along a line of jobs: whoever waits is started, if need be on GPUs of those
 * behind it whose lease is over, the last first; who isn't needed for that keeps them. Of jobs of one shape nobody is
 * tried after one that failed. Whose lease was over and who still has its GPUs gets it anew. O(line + starts +
 * losers). */
ORR_API void orr_leases_deal(orr_leases *leases, orr_plan *plan, orr_job *const *line, size_t n, orr_scope scope);

/* A binary heap, least first by `before`. An element's place in it, 0: it isn't there, is kept where `place` says.
 * Zeroed but for the three members, it is empty. O(log n) but for the first. */
typedef struct orr_heap {
    bool (*before)(void *self, const void *a, const void *b);
    int32_t *(*place)(void *self, void *item);
    void *self;
    void **at; /* at[0] is the least */
    int32_t count, room;
} orr_heap;
ORR_API void orr_heap_add(orr_ctx *ctx, orr_heap *heap, void *item);
ORR_API bool orr_heap_remove(orr_heap *heap, void *item); /* false: it isn't there */
ORR_API void orr_heap_moved(orr_heap *heap, void *item);  /* what `before` looks at has changed; if it is there */

/* Stride scheduling (Waldspurger and Weihl, 1995), for clients that take several units at a time. A client's pass is
 * what it has had, by its tickets: who has the least goes first, and who finds no room keeps its pass and so comes
 * soon. While a client is outside, its pass is kept as a distance from the others', so that nobody gains or loses by
 * being away; and nobody saves up more than the longest step so far: who wants less than it is entitled to isn't owed
 * the rest. Both structs are the caller's; a zeroed client is a new one. O(log n) each; a turn for each that was
 * offered something. */
typedef struct orr_stride_client {
    void *item;
    double pass;
    uint64_t order; /* among equals, who joined first */
    int32_t place;
} orr_stride_client;
typedef struct orr_stride {
    orr_heap heap;
    double now;     /* the pass where those are that take part */
    double longest; /* step */
    uint64_t joined;
    orr_stride_client **asked; /* scratch */
    int32_t room;
} orr_stride;
/* TOOK: it has its turn; REFUSED: there is no room; ASIDE: it doesn't take part now; FULL: nothing is left for
 * anybody. */
typedef enum orr_offer { ORR_OFFER_TOOK, ORR_OFFER_REFUSED, ORR_OFFER_ASIDE, ORR_OFFER_FULL } orr_offer;
ORR_API void orr_stride_join(orr_ctx *ctx, orr_stride *stride, orr_stride_client *client);
ORR_API void orr_stride_leave(orr_stride *stride, orr_stride_client *client);
/* It had `amount`, and holds so many `tickets` (> 0). */
ORR_API void orr_stride_charge(orr_stride *stride, orr_stride_client *client, double amount, double tickets);
/* Offers a turn to one after the other, from the least pass on. */
ORR_API void orr_stride_turn(orr_ctx *ctx, orr_stride *stride, orr_offer (*offer)(void *self, void *item), void *self);

/* Turns on servers: gang-aware split stride (Gandiva_fair, Chaudhary et al., EuroSys'20). A job has a home, the server
 * on which it runs, or is wide: over several servers of one GPU type, or of any where no type has enough. Where the
 * jobs of a home ask more GPUs than it has, they take turns, each `quantum`, by stride scheduling with the policy's
 * tickets. Where there are wide jobs, a central stride deals servers to them and to the jobs at home there, as one
 * client a server; GPUs that are over go to whoever is next. As long as everybody runs nothing is counted. A new job's
 * home is a server where it finds GPUs that nobody asks, or else the one with the fewest tickets a GPU; idle GPUs
 * invite a waiting job of the most crowded home; and every
 * `balance` jobs move from the server with the most tickets a GPU to the one with the fewest. Jobs that ask parts of
 * GPUs or none aren't part of this: the placer starts them wherever they find room.
 *
 * A gang that was first for ten turns and found no room, since those who run can't be preempted, is waited for: until
 * it runs nobody starts on its home, or in the pool of a wide one, who couldn't be made to leave again.
 *
 * O(nodes) a new job; O(jobs) a quantum on homes where somebody waits. */
typedef struct orr_turns_rules {
    orr_time quantum, balance;
    /* > 0; asked when it moves, and at turns of those that had GPUs */
    double (*tickets)(orr_ctx *ctx, const orr_job *job);
    /* How gladly it lives on this GPU type, where nobody asks GPUs that are enough for it (`idle`) or not: before
     * tickets are compared. -INFINITY: it can't. NULL: all types are alike. */
    double (*likes)(orr_ctx *ctx, const orr_job *job, int32_t type, bool idle);
    /* the type to which it should move when balancing; -1, or NULL: none */
    int32_t (*better)(orr_ctx *ctx, const orr_job *job);
    /* It lives on this type from now on; -1: on any, or nowhere. NULL: nobody asks. */
    void (*moved)(orr_ctx *ctx, const orr_job *job, int32_t type);
} orr_turns_rules;
typedef struct orr_turns orr_turns;
ORR_API orr_turns *orr_turns_create(orr_ctx *ctx, const orr_turns_rules *rules); /* in `init` */
/* For every event of jobs and nodes; of a new job when the policy knows all that the rules ask. */
ORR_API void orr_turns_event(orr_turns *turns, orr_job *job, const orr_event *event);
ORR_API void orr_turns_node(orr_turns *turns, int32_t node, const orr_event *event);
ORR_API bool orr_turns_due(const orr_turns *turns); /* are turns taken now? */
ORR_API orr_err orr_turns_schedule(orr_turns *turns, orr_plan *plan);

/* Owners: a struct of the policy's for each user, or each VC, made when its first job is seen: zeroed but for its head.
 * For a policy that asks so (orr_owners_event) accounts are kept: what its jobs hold, and to what it is entitled, its
 * weight's part of the GPUs as far as its jobs want them. */
typedef struct orr_owner {
    int32_t number, jobs;    /* of the user or VC; active ones */
    double weight;
    double wants, holds;     /* GPUs that its active jobs ask, and have; parts count as parts */
    double entitled;         /* GPUs */
    double had, due;         /* integrals of `holds` and `entitled`, in GPU-seconds */
    double due_each;         /* the same of entitled / jobs: what each job was due, in equal parts */
} orr_owner;
typedef struct orr_owners { /* zeroed but for the first four: none yet */
    size_t size;         /* of the struct */
    int32_t over;        /* orr_over */
    const char *weights; /* a knob: "NAME:WEIGHT/NAME:WEIGHT", each > 0; who isn't named has 1 */
    double gpus;         /* to share, where accounts are kept */
    void **at;           /* by number; NULL: none */
    int32_t count, room;
    orr_time now;        /* up to when integrals are */
    bool dirty;
    double *numbers;     /* scratch */
    int32_t numbers_room;
} orr_owners;
typedef enum orr_over { ORR_OVER_USER, ORR_OVER_VC } orr_over;
typedef struct orr_owned { /* what the policy's struct for each job begins with, where accounts are kept */
    void *of;
    double since; /* its owner's due_each when it came */
    bool holds;
} orr_owned;
ORR_API void *orr_owner_of(orr_ctx *ctx, orr_owners *owners, const orr_job *job);
/* For every job event, before anything else: integrals are up to now then. O(owners) an instant. */
ORR_API void orr_owners_event(orr_ctx *ctx, orr_owners *owners, const orr_job *job, const orr_event *event);
/* Brings all of it up to date, `entitled` as it is from now on. O(owners log owners). */
ORR_API void orr_owners_entitle(orr_ctx *ctx, orr_owners *owners);
ORR_API bool orr_weights_are_good(const char *weights);

/* Cores and memory other than the job asks: so much for each of its GPUs; 0: as it asks. */
typedef struct orr_host_each {
    int64_t cpu_milli, mem;
} orr_host_each;
/* How many of the node's free GPUs this job could be given with that. */
ORR_API int32_t orr_node_room_for(const orr_ctx *ctx, const orr_job *job, int32_t node, orr_host_each each);
/* The gang on the node with the fewest free GPUs that has room for all of it, else on nodes in that order. ORR_E_NOFIT:
 * no room. */
ORR_API orr_err orr_fill_hosted(orr_ctx *ctx, const orr_request *request, orr_host_each each, orr_alloc *out);
/* What the job holds in the plan, with that instead of what it has. ORR_E_NOFIT: no room, or it holds nothing. */
ORR_API orr_err orr_keep_hosted(orr_ctx *ctx, const orr_plan *plan, const orr_job *job, orr_host_each each,
                                orr_alloc *out);

/* The two operations of a policy that leaves everything to the one driver it made in `init`: .on_job =
 * orr_drive_on_job, .schedule = orr_drive_schedule. */
ORR_API void orr_drive_on_job(orr_ctx *ctx, orr_job *job, const orr_event *event);
ORR_API orr_err orr_drive_schedule(orr_ctx *ctx, orr_plan *plan);

/* Delay scheduling: jobs wait for GPUs that are near each other, for a while. Each insists first on the fewest nodes,
 * all of one rack (ORR_LEVEL_NODE), then on one rack (ORR_LEVEL_RACK), and then takes what there is
 * (ORR_LEVEL_CLUSTER). Jobs are tried in the order of submission; those that find no room are overtaken. Of those that
 * ask alike on the same level the first is tried alone. O(kinds of request + starts) a decision. */
typedef struct orr_near_rules {
    orr_time node, rack; /* so long it insists on each; ORR_TIME_MAX: for ever */
    /* counted from when it first let go GPUs that were enough, but too far; default: from when it waits */
    bool from_offer;
    bool anywhere;       /* on nodes of all VCs; default: of its own */
    void (*started)(orr_ctx *ctx, const orr_job *job); /* called when the plan gives it GPUs; NULL: nobody asks */
} orr_near_rules;
typedef struct orr_near orr_near;

ORR_API orr_near *orr_near_create(orr_ctx *ctx, const orr_near_rules *rules);
ORR_API void orr_near_event(orr_near *near, orr_job *job, const orr_event *event); /* for every job event */
/* In `schedule`: first `begin`, then as often as need be `schedule`, which starts what fits of those that `may` (NULL:
 * of all; asked of the first of those alike, and false bars all of them for this walk). */
ORR_API void orr_near_begin(orr_near *near);
ORR_API orr_err orr_near_schedule(orr_near *near, orr_plan *plan, bool (*may)(orr_ctx *ctx, const orr_job *job));
/* The first that found no room, behind `after` (NULL: of all), one of those alike; NULL: none. */
ORR_API orr_job *orr_near_left(orr_near *near, const orr_job *after);
/* Tries one of those again, when room was made. ORR_E_NOFIT. */
ORR_API orr_err orr_near_start(orr_near *near, orr_plan *plan, orr_job *job);
ORR_API orr_level orr_near_level(orr_near *near, const orr_job *job); /* on which it insists now */
/* All of the request within one level: ORR_LEVEL_NODE or less: on the fewest nodes, of one rack, the fullest that do;
 * ORR_LEVEL_RACK: on the emptiest nodes of the first rack that has room; ORR_LEVEL_CLUSTER: on the emptiest nodes. */
ORR_API orr_err orr_fill_near(orr_ctx *ctx, const orr_plan *plan, const orr_request *request, orr_level level,
                              orr_alloc *out);

/* Jobs in an order of the policy's own. Zeroed memory is an empty one; what it needs belongs to the instance. */
typedef struct orr_line {
    orr_job **at;
    size_t n, cap;
} orr_line;
/* Puts a job in front of the one at `at` (n: at the end). O(jobs behind it). */
ORR_API void orr_line_insert(orr_ctx *ctx, orr_line *line, size_t at, orr_job *job);
ORR_API void orr_line_add(orr_ctx *ctx, orr_line *line, orr_job *job); /* at the end */
ORR_API bool orr_line_remove(orr_line *line, const orr_job *job); /* false: it isn't in it. O(jobs) */

/* GPUs as kinds of machines: of one type, free now or busy until about the same time. */
enum {
    /* kinds of busy GPUs that are told apart, about: neighbours are taken together at their mean */
    ORR_MACHINES_BUSY = 48,
    ORR_MACHINES_KINDS = 192
};
typedef struct orr_machines {
    int32_t kinds, free_kinds;        /* those that are free come first */
    int64_t free;                     /* GPUs */
    int32_t type[ORR_MACHINES_KINDS], gpus[ORR_MACHINES_KINDS];
    double ready[ORR_MACHINES_KINDS]; /* seconds until they are believed to be free */
} orr_machines;
ORR_API void orr_machines_find_free(orr_ctx *ctx, int32_t vc, orr_machines *out); /* of a VC's nodes; -1: of all */
/* Adds those of these jobs, by how long the estimator says that they run. O(jobs log jobs). */
ORR_API void orr_machines_add_busy(orr_ctx *ctx, const orr_plan *plan, const orr_line *running, orr_machines *machines);

/* Waiting jobs by shape. A shape is a number from 0 on that the policy gives to jobs that find room or none alike: when
 * one of them has failed, the others aren't offered before room was given back. Jobs stand by rank, then (submit,
 * id). */
typedef struct orr_waiting orr_waiting;
ORR_API orr_waiting *orr_waiting_create(void); /* the caller's */
ORR_API void orr_waiting_destroy(orr_waiting *waiting);
ORR_API void orr_waiting_add(orr_waiting *waiting, orr_job *job, uint32_t shape, orr_rank rank); /* O(log n) */
/* False: it isn't there. O(jobs of the shape), O(log n) for its first. */
ORR_API bool orr_waiting_remove(orr_waiting *waiting, const orr_job *job, uint32_t shape);
/* The first of all, and its shape; with `skip` the first that may find room. NULL: nobody, or it has failed.
 * O(shapes). */
ORR_API orr_job *orr_waiting_first(const orr_waiting *waiting, bool skip, uint32_t *shape);
ORR_API void orr_waiting_failed(orr_waiting *waiting, uint32_t shape);
ORR_API void orr_waiting_room(orr_waiting *waiting); /* some was given back */

/* Cells (orrery/cells.h) of the simulated cluster, with its VCs; the caller's. NULL, and the run ends with the reason,
 * where it can't be taken so. */
struct orr_cells;
struct orr_gang;
ORR_API struct orr_cells *orr_cells_of(orr_ctx *ctx);
/* In which chains the job might run: of its GPU types, with its cores and memory, and its VC's where VCs own nodes. */
ORR_API uint64_t orr_cells_for(const orr_ctx *ctx, const struct orr_cells *cells, const orr_job *job);
/* Assigns the GPUs that the gang holds or would take. ORR_E_NOFIT: a node has no cores or memory left, or a GPU is
 * broken. */
ORR_API orr_err orr_plan_gang(const orr_ctx *ctx, orr_plan *plan, orr_job *job, const struct orr_gang *gang);
/* The gang holds what the job holds already, opportunistically. False: it holds nothing, or these GPUs aren't free
 * cells. */
ORR_API bool orr_gang_adopt_held(struct orr_gang *gang, const orr_plan *plan, const orr_job *job);

/* What placers are made of. Nodes come in index order, or by their free GPUs and then index. A node is passed over
 * where the job's GPU type, cores or memory leave it too little room. */
typedef enum orr_nodes { ORR_NODES_INDEXED, ORR_NODES_FULLEST, ORR_NODES_EMPTIEST } orr_nodes;
/* The first node with room for `gpus` (>= 1) of the job's GPUs; -1: none. */
ORR_API int32_t orr_node_for(orr_ctx *ctx, const orr_request *request, int32_t gpus, orr_nodes order);
/* Takes what each node has until the gang is complete; ORR_E_NOFIT: there isn't enough. */
ORR_API orr_err orr_fill_nodes(orr_ctx *ctx, const orr_plan *plan, const orr_request *request, orr_nodes order,
                               orr_alloc *out);

/* What placers without `parts` get for jobs that ask parts of GPUs: each on the fullest GPU that has room, a free one
 * where none has. O(1000) for one part; a gang of parts looks at all nodes. */
ORR_API orr_err orr_fill_parts(orr_ctx *ctx, const orr_request *request, orr_alloc *out);
/* Likewise for jobs without GPUs: the first node that has the cores and memory. O(log nodes). */
ORR_API orr_err orr_fill_cores(orr_ctx *ctx, const orr_request *request, orr_alloc *out);
/* All of the request on this node: whole GPUs the lowest first, parts on the fullest GPUs that have room, lowest first
 * among equals; cores and memory as the job asks. ORR_E_NOFIT: there isn't enough. */
ORR_API orr_err orr_take_on_node(orr_ctx *ctx, const orr_plan *plan, const orr_request *request, int32_t node,
                                 orr_alloc *out);

/* Scored placement: of the nodes that have room, the one with the greatest score, the least index among equals. The
 * score must follow from what is asked (gang, share, types, cores, memory, the scope; the model if the placer says
 * by_model) and from what the node holds; then a question costs O(changed x log nodes) for the nodes whose room has
 * changed since the last one of its kind, and the first of a kind O(nodes). */
typedef struct orr_scores orr_scores;
/* The greater the better; -INFINITY: it has no room. */
typedef double orr_score_fn(orr_ctx *ctx, const orr_request *request, int32_t node);
/* Lives as long as the instance. */
ORR_API orr_scores *orr_scores_create(orr_ctx *ctx, orr_score_fn *score);
ORR_API int32_t orr_scores_best(orr_scores *scores, const orr_request *request); /* -1: no node has room */
/* All of the request on the best node, by orr_take_on_node. A gang wider than any node fills the fullest ones. */
ORR_API orr_err orr_scores_place(orr_scores *scores, const orr_plan *plan, const orr_request *request, orr_alloc *out);
/* Something else that scores depend on has changed: all are asked anew. */
ORR_API void orr_scores_renew(orr_scores *scores);

/* The jobs to come, as classes for orr_fragments_of: the most frequent kinds of request that make up `part` (0..1] of
 * all jobs, each with its share of those. Counted in a file, or if that is NULL or empty among the jobs submitted so
 * far: anew whenever they have become a quarter more. Lives as long as the instance. */
typedef struct orr_target orr_target;
ORR_API orr_target *orr_target_create(orr_ctx *ctx, const orr_asks *given, double part);
ORR_API bool orr_target_saw(orr_target *target, const orr_job *job); /* submitted now; true: the classes are new */
ORR_API const orr_fragments *orr_target_fragments(const orr_target *target); /* until they are new */
ORR_API void orr_node_remnant(const orr_ctx *ctx, int32_t node, orr_remnant *out);

/* Availability over believed release times: time → free GPUs of a scope. A balanced tree of the n times at which that
 * changes, at most two a reservation. */
typedef struct orr_calendar orr_calendar;
ORR_API orr_calendar *orr_calendar_create(orr_time now, int32_t free);
ORR_API void orr_calendar_destroy(orr_calendar *calendar);
ORR_API void orr_calendar_reset(orr_calendar *calendar, orr_time now, int32_t free);
/* From `from` on for `length` (>= 0; ORR_TIME_MAX: for ever), `gpus` fewer (or more, if negative) are free. O(log
 * n). */
ORR_API void orr_calendar_reserve(orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus);
/* The earliest time >= `from` at which `gpus` are free for `length` on end; ORR_TIME_MAX: never. O(log n), and
 * that again for each stretch with enough GPUs that is too short. Answers are remembered until a reset or until GPUs
 * are given back and not taken again as they were: stretches that an answer for no more GPUs and no longer passed are
 * then mostly not looked at again. So not for two threads at once, though const. */
ORR_API orr_time orr_calendar_fit(const orr_calendar *calendar, orr_time from, orr_time length, int32_t gpus);
/* O(log n). */
ORR_API int32_t orr_calendar_free(const orr_calendar *calendar, orr_time at);

ORR_END
#endif
