/* What an application consists of, for those who make one; applications.h is for those who ask. */
#ifndef ORR_MODEL_APPLICATION_DATA_H
#define ORR_MODEL_APPLICATION_DATA_H

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"
#include "model/applications.h"
#include "solve/mesh.h"

typedef struct orr_step_point {
    double local, step, sync; /* samples on a GPU; s */
} orr_step_point;

/* The points of one placement: [first] on, `n` of them by ascending `local`. The code has a decimal digit a node. */
typedef struct orr_step_shape {
    uint64_t code;
    size_t first, n;
} orr_step_shape;

/* A value for one configuration, which goes before what is interpolated. */
typedef struct orr_step_face {
    int32_t nodes, gpus, local;
    double step, sync;
} orr_step_face;

/* Iterations a second by batch (rows) and number of GPUs (columns), both ascending; 0: not known. */
typedef struct orr_step_counts {
    ORR_VEC(int64_t) batches;
    ORR_VEC(int32_t) gpus;
    ORR_VEC(double) rate; /* [batches * gpus] */
} orr_step_counts;

typedef enum orr_steps_kind {
    ORR_STEPS_MEASURED, /* by placement, else between the points of the mesh */
    ORR_STEPS_FORMULA,  /* Pollux' model with these parameters */
    ORR_STEPS_COUNTS    /* by number of GPUs alone */
} orr_steps_kind;

/* How long iterations take on one type of GPUs. */
typedef struct orr_steps {
    char *type;      /* its name; "": all that no other is called */
    double slowdown; /* times are as in the tables times this; > 0 */
    orr_steps_kind kind;
    int32_t local_least, local_most; /* batches on one GPU */
    int32_t most_gpus, width;        /* GPUs in all that were measured, and of one node */
    orr_perf perf;
    orr_step_counts counts;
    ORR_VEC(orr_step_shape) shapes; /* by code */
    ORR_VEC(orr_step_point) points;
    /* nodes, GPUs, samples on a GPU of each point of the mesh, and the times there. */
    ORR_VEC(double) places;
    ORR_VEC(orr_step_point) values;
    ORR_VEC(orr_step_face) faces; /* sorted */
    int32_t most_nodes;           /* more count as so many */
    orr_mesh *mesh;               /* NULL: the points span no space */
} orr_steps;

/* One training with the same batch throughout. */
typedef struct orr_validated {
    int64_t batch;
    ORR_VEC(double) progress, iterations; /* when an epoch ends */
    ORR_VEC(orr_noise) noise;             /* in an epoch */
} orr_validated;

struct orr_application {
    char *name;
    orr_batch_limits limits;
    int32_t most_gpus; /* 0: as many as its tables know */
    int32_t epochs;
    double *progress; /* [epochs + 1] */
    orr_time restart;
    ORR_VEC(orr_steps) types;    /* the first is the one on which durations are stated */
    /* ascending by batch; without iterations where there are no tables; none: noise {0, 1} */
    ORR_VEC(orr_validated) runs;
    double loss[3];              /* a, b, c of 1 / (a epochs + b) + c */
    bool has_loss;
};

struct orr_applications {
    char *name, digest[65];
    bool whole_epochs, own_work;
    ORR_VEC(orr_application *) at; /* by name, once settled */
};

/* Empty ones, to be filled and settled. */
orr_applications *orr_applications_create(const char *name);
orr_application *orr_application_create(const char *name);
void orr_application_destroy(orr_application *a);
/* Sorts them. ORR_E_EMPTY; ORR_E_SYNTAX: a name stands twice. */
orr_err orr_applications_settle(orr_applications *all, orr_error *e);
/* Another type, with nothing known yet. */
orr_steps *orr_application_add_type(orr_application *a, const char *type);
/* As many epochs as the first run has; progress by the least of all runs. Limits of all types together. */
void orr_application_sum_up(orr_application *a);
void orr_application_sum_up_types(orr_application *a); /* only the limits on one GPU */

/* ---- application_steps.c ---- */
bool orr_steps_find(const orr_steps *s, const orr_placement *shape, int32_t local, double *step, double *sync);
/* Takes a measured point in; `settle` sorts them and makes the mesh, Delaunay's unless there is one. ORR_E_SYNTAX: a
 * point stands twice. */
void orr_steps_add_point(orr_steps *s, uint64_t code, orr_step_point point);
void orr_steps_add_place(orr_steps *s, int32_t nodes, int32_t gpus, orr_step_point point);
orr_err orr_steps_settle(orr_steps *s, orr_error *e);
/* Of GPUs by node, 1..9 each, at most 19 nodes: the digits turned until they are the least. 0: there is none. */
uint64_t orr_steps_code(const orr_placement *shape);
/* As many samples on a GPU as were measured on just this placement; what was measured anywhere where it wasn't. */
int32_t orr_steps_local_most(const orr_steps *s, const orr_placement *shape);

/* ---- application_folder.c: folders ---- */
/* What stands between `before` and `after` in the names of a folder's files (and folders), in the order of bytes; a
 * hidden one is none. Zeroed is empty. */
typedef ORR_VEC(char *) orr_folder_names;
void orr_folder_list(const char *path, const char *before, const char *after, orr_folder_names *out);
void orr_folder_names_free(orr_folder_names *names);

/* A type of the tables, and what it is to be called: "", where it stands for all. */
typedef struct orr_type_wish {
    const char *in_tables, *called;
} orr_type_wish;

typedef struct orr_application_folder {
    const char *path;
    /* where the applications' folders have validation-*.csv, where `path` has none; may be NULL */
    const char *validation;
    const orr_type_wish *types; /* the first is the one on which durations are stated; none: all that there are */
    size_t type_count;
    const char *mesh;       /* where triangulations are; NULL: our own */
    /* Told of every file that was read; may be NULL. */
    void (*file)(void *self, const char *path, const char digest[65]);
    void *self;
} orr_application_folder;

/* application_tables.c: one application of Pollux' or Sia's layout: *out is NULL if there is none of this name with
 * such GPUs. */
orr_err orr_application_read_tables(const orr_application_folder *from, const char *name, orr_application **out,
                                    orr_error *e);
/* All of a folder of either layout: ORR_E_OPEN, ORR_E_EMPTY and what tables can have. */
orr_err orr_applications_read_folder(orr_applications *all, const orr_application_folder *from, orr_error *e);
/* application_counts.c: ElasticFlow's layout, a file a model. */
orr_application *orr_application_read_counts(orr_input *in, const char *name, orr_error *e);

#endif
