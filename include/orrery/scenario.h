/* A scenario: what happens to the cluster while jobs run, whatever the policy. Nodes and single GPUs that fail and
 * come back, drains, machines that are lent and taken back, jobs that their users cancel, what capacity a virtual
 * cluster has from when on; how long a node takes to wake; what everything draws and costs.
 *
 * It is plain data, made from a file or in code, and serves many simulations side by side: nodes and jobs are named,
 * and each simulation finds them in its own cluster and trace. What is drawn (failures) is drawn by the master seed
 * and the node alone, so that every policy meets the same failures at the same times. Equal instants: what gives room
 * comes before what takes it away, and then by node, whatever the order of the list; jobs that end just then have
 * ended.
 */
#ifndef ORRERY_SCENARIO_H
#define ORRERY_SCENARIO_H

#include <orrery/time.h>

/* Where something was said, for messages; `file` "" : in code. */
typedef struct orr_said {
    const char *file;
    int line, column;
} orr_said;

/* Which nodes: those that meet all that is said. Texts "" and zeros say nothing. */
typedef struct orr_which {
    const char *const *names; /* of nodes, "A..B" for all from A to B; NULL: any */
    size_t name_count;
    const char *vc, *type, *rack;
    int64_t count; /* only the first so many, by index; 0: all */
} orr_which;

/* In the order in which those of one instant happen. */
typedef enum orr_incident_kind {
    ORR_INCIDENT_PRICE,    /* a GPU of `type` costs `price` an hour from now on; type "kWh": electricity */
    ORR_INCIDENT_CLOCK,    /* GPUs of nodes run at `clock` of their full clock from now on: a point of their type */
    ORR_INCIDENT_UP,       /* nodes, or GPUs of them, that were down are back */
    ORR_INCIDENT_RESUME,   /* nodes that drained take jobs again */
    ORR_INCIDENT_LOAN,     /* nodes are lent to the cluster: before, they aren't there */
    ORR_INCIDENT_CAPACITY, /* a VC has `count` GPUs from now on: nodes leave when they are empty, or come back */
    ORR_INCIDENT_DRAIN,    /* nodes take no new jobs */
    ORR_INCIDENT_REVOKE,   /* nodes are taken away, announced `notice` before */
    ORR_INCIDENT_DOWN,     /* nodes, or GPUs of them, fail */
    ORR_INCIDENT_CANCEL,   /* a user kills a job, waiting or running; one that isn't submitted yet, then */
    ORR_INCIDENT_KINDS
} orr_incident_kind;

typedef struct orr_incident {
    orr_time at;
    orr_incident_kind kind;
    orr_which which;  /* nodes; of CAPACITY only `vc` ("" : the whole cluster) and `count` */
    uint64_t gpus;    /* DOWN, UP: bit i: GPU i of each node; 0: the node itself */
    orr_time lasts;   /* DOWN, DRAIN, REVOKE, LOAN, CLOCK: undone so long after; ORR_TIME_NONE: never */
    orr_time notice;  /* REVOKE, and LOAN before its end: announced so long before; 0: not at all */
    const char *job;  /* CANCEL: its id */
    const char *type; /* PRICE */
    double price;     /* PRICE */
    double clock;     /* CLOCK: 0 < clock <= 1 */
    orr_said said;
} orr_incident;

/* Failures that are drawn. Each node (or each of its GPUs) works for a time of mean `mtbf`, then is down for a time of
 * mean `mttr`, and so on. Times are Weibull's: shape 1 is exponential, less than 1 fails early or late rather than in
 * between, more than 1 wears out. */
typedef struct orr_failures {
    orr_which which;
    bool of_gpus; /* each GPU on its own */
    orr_time mtbf, mttr;
    double shape, repair_shape;
    orr_said said;
} orr_failures;

/* Watts. A GPU that is up draws `idle`, and u (tdp - idle) more for a job that uses a share u of it. */
typedef struct orr_gpu_power {
    const char *type;
    double idle, tdp;
} orr_gpu_power;

/* A clock that GPUs of a type can be set to. Their jobs compute at `speed` of what they would, and draw `power` of what
 * they would above idle. */
typedef struct orr_clock_point {
    const char *type; /* "": of all types that have no points of their own */
    double clock;     /* part of the full clock, 0 < clock < 1 */
    double speed, power; /* 0 < speed <= 1, 0 <= power <= 1 */
} orr_clock_point;

typedef struct orr_power {
    bool known; /* false: nobody asks for energy */
    double host;                            /* watts of a node besides its GPUs while it is up or drains */
    double falling_asleep, asleep, waking;  /* of the whole node then; down: nothing */
    const orr_gpu_power *gpus; /* they win over the built-in table */
    size_t gpu_count;
    const orr_clock_point *points;
    size_t point_count;
    orr_said said;
} orr_power;

/* Users who stop trials of a group (the trace's column `group`) early. What it means is told beside the keys of the
 * file. */
typedef enum orr_early_rule {
    ORR_EARLY_NONE,
    ORR_EARLY_FIRST,  /* when one is done, the others end */
    ORR_EARLY_HALVING /* at each rung of work the worse part ends */
} orr_early_rule;

typedef struct orr_early_stop {
    orr_early_rule rule;
    double rung;         /* HALVING: of a trial's work, at the first rung; 0 < rung < 1 */
    double eta;          /* HALVING: each rung is so many times as far, and one in so many goes on from it; > 1 */
    const char *quality; /* HALVING: the attribute that says how good a trial is, more is better; "": it is drawn */
    orr_said said;
} orr_early_stop;

typedef struct orr_scenario {
    const char *name, *path;        /* path "" : made in code */
    const char *digest;             /* SHA-256 of the file; where it names others, of the digests of all; "" */
    orr_time sleep_time, wake_time; /* a node takes so long to be switched off, and on */
    const orr_incident *incidents;
    size_t incident_count;
    const orr_failures *failures;
    size_t failure_count;
    orr_power power;
    orr_early_stop early_stop;
    struct orr_scenario_memory *memory; /* its own */
} orr_scenario;

ORR_BEGIN

/* Reads a scenario file, or that of this name that comes with the library; its keys are in configs/README.md. NULL and
 * `e` on failure. */
ORR_API orr_scenario *orr_scenario_load(const char *path, orr_error *e);
/* Nothing happens in it. Members may be set as they are; what lists point to is copied by the calls below. */
ORR_API orr_scenario *orr_scenario_create(const char *name);
ORR_API void orr_scenario_destroy(orr_scenario *scenario); /* takes NULL */
ORR_API void orr_scenario_add(orr_scenario *scenario, const orr_incident *incident);
ORR_API void orr_scenario_add_failures(orr_scenario *scenario, const orr_failures *failures);
/* Zeros, and "" for each text; `lasts` for ever. */
ORR_API orr_incident orr_incident_default(void);
ORR_API const char *orr_incident_name(orr_incident_kind kind); /* "down", "drain", … */

ORR_END
#endif
