/* Training: how fast a job whose model is an application makes progress, and how far it is.
 *
 * Its work is told in time on its recorded gang, packed on few nodes, with its own batch: then it runs at speed 1.
 * Elsewhere speed is the progress rate (gain of its batch / seconds an iteration) over that of the recorded gang in the
 * same epoch. Epochs end where their part of the work is done; gradient noise, and with it the gain of a batch, is one
 * within an epoch.
 */
#ifndef ORR_MODEL_TRAINING_H
#define ORR_MODEL_TRAINING_H

#include "job/life.h"
#include "model/applications.h"

typedef struct orr_seen {
    orr_measurement at;
    int32_t type;
} orr_seen;

struct orr_training {
    const orr_application *of;
    int64_t own;       /* its batch, in all, as it asks */
    int64_t reference; /* the same split over its recorded gang, which may round it up */
    int32_t epoch;     /* done in the present attempt */
    double scale;      /* of all its speeds: its recorded time / what its application needs, or 1 */
    double iteration;  /* seconds, on its recorded gang with its own batch */
    double work;       /* seconds of all its epochs there */
    double *until;     /* [epochs + 1]: the part of its work done when so many epochs are */
    int32_t room;
    orr_noise noise;   /* last seen; {0, 0}: it never ran */
    ORR_VEC(orr_seen) seen;
    ORR_VEC(orr_measurement) one_type; /* answers of orr_job_measurements */
};

typedef struct orr_trainings {
    const orr_applications *applications;
    orr_life *life;
    ORR_VEC(struct orr_training *) at;  /* by the jobs' slots */
    /* Told that a job has come to its next epoch. */
    void (*epoch)(void *self, orr_job *job);
    void *self;
} orr_trainings;

/* What became of a job. */
typedef enum orr_trained {
    ORR_TRAINED_AS_RECORDED, /* its model isn't an application */
    ORR_TRAINED,
    ORR_TRAINED_UNKNOWN /* it is, but nothing is known of its gang and batch: as recorded */
} orr_trained;

void orr_trainings_init(orr_trainings *trainings, const orr_applications *applications, orr_life *life);
void orr_trainings_fini(orr_trainings *trainings);
/* A job comes in, with the batch that it asks; 0: its application's initial one. Says how many GPUs it may hold. */
orr_trained orr_trainings_submit(orr_trainings *trainings, orr_job *job, int64_t batch);
/* It starts, or begins its next attempt: where it is follows from the work it has left. */
void orr_trainings_resume(orr_trainings *trainings, orr_job *job);

/* With what it holds, in its present epoch. 0: it can't run so. O(slices). */
double orr_training_speed(const orr_life *life, const orr_job *job);
/* With what it might hold, and this batch; {0, 0}: its own. */
double orr_training_speed_with(const orr_life *life, const orr_job *job, const orr_alloc *alloc, orr_batch batch);
/* With GPUs of this type so placed, and this batch; {0, 0}: its own. */
double orr_training_speed_on(const orr_life *life, const orr_job *job, int32_t type, const orr_placement *on,
                             orr_batch batch);
/* On so many nodes (>= 1), evenly. */
orr_placement orr_placement_even(int32_t gpus, int32_t nodes);
/* What it holds, and the type of its slowest GPU by the cluster's numbers. */
orr_placement orr_placement_of(const orr_alloc *alloc);
double orr_training_progress(const orr_life *life, const orr_job *job); /* 0..1 */
/* How much of its application's whole training its record amounts to; 1 where jobs do all of it, whatever their records
 * say. */
double orr_training_part(const orr_job *job);
/* May the plan give it this batch? */
bool orr_training_allows(const orr_job *job, int32_t gpus, orr_batch batch);

#endif
