/* What is known of applications; see orrery/applications.h. Made by readers, const afterwards. */
#ifndef ORR_MODEL_APPLICATIONS_H
#define ORR_MODEL_APPLICATIONS_H

#include "base/assert.h"

#include <orrery/applications.h>
#include <orrery/goodput.h>
#include <orrery/time.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct orr_application orr_application;

enum { ORR_PLACEMENT_NODES = 64 };
/* GPUs by node, in any order; beyond so many nodes the last stands for the rest. */
typedef struct orr_placement {
    int32_t nodes, gpus;
    int32_t at[ORR_PLACEMENT_NODES];
} orr_placement;

void orr_placement_add(orr_placement *placement, int32_t gpus); /* on one node more */
/* As few nodes of this width (>= 1) as hold so many GPUs. */
orr_placement orr_placement_packed(int32_t gpus, int32_t width);

int32_t orr_applications_count(const orr_applications *applications);
/* By its model's name; NULL: it isn't one of them. O(log n). */
const orr_application *orr_applications_find(const orr_applications *applications, const char *model);
const orr_application *orr_applications_at(const orr_applications *applications, int32_t i);
bool orr_applications_whole_epochs(const orr_applications *applications);
bool orr_applications_own_work(const orr_applications *applications); /* `work=own` */

const char *orr_application_name(const orr_application *a);
/* Of tables by number of GPUs alone local and total are what the table is stated for, `most` of them the greatest
 * batch. */
const orr_batch_limits *orr_application_limits(const orr_application *a);
/* Those that hold with GPUs of this type (-1: any), and on just this placement if it isn't NULL: no more samples on a
 * GPU than were measured there. */
orr_batch_limits orr_application_limits_on(const orr_application *a, int32_t type, const orr_placement *shape);
int32_t orr_application_most_gpus(const orr_application *a); /* that a job may hold; >= 1 */
int32_t orr_application_width(const orr_application *a);     /* GPUs of the nodes on which it was measured */
/* What it costs to start or change it, if stated: replaces the scenario's costs where these say `by=application`;
 * ORR_TIME_NONE. */
orr_time orr_application_restart(const orr_application *a);

/* Which of its tables are of this GPU type; -1: none is. The only one stands for all, and so does the first for "". */
int32_t orr_application_type(const orr_application *a, const char *gpu_type);
int32_t orr_application_types(const orr_application *a);                          /* how many; >= 1 */
/* "": all that have none of their own */
const char *orr_application_type_name(const orr_application *a, int32_t type);
/* Seconds of one step without accumulation on this shape, and what of it is synchronisation. False: it can't run so
 * (nothing was measured, or the batch doesn't fit). */
bool orr_application_step(const orr_application *a, int32_t type, const orr_placement *shape, int32_t local,
                          double *step, double *sync);

int32_t orr_application_epochs(const orr_application *a); /* >= 1 */
/* Progress when this many epochs are done, in iterations of the initial batch; 0 at 0, rising. */
double orr_application_progress(const orr_application *a, int32_t epochs);
/* Gradient noise in an epoch (0..epochs-1) with this total batch. {0, 1}, a gain of the batch's own ratio, where
 * nothing is known. */
orr_noise orr_application_noise(const orr_application *a, int32_t epoch, int64_t total);
/* Iterations that this total batch needs until so many epochs are done; < 0: not known. Optimus' truth. */
double orr_application_iterations(const orr_application *a, int32_t epochs, int64_t total);
/* Loss, falling, when so many epochs are done (fractions count); < 0: not known. */
double orr_application_loss(const orr_application *a, double epochs);

/* ---- application_best.c: put together ---- */
/* As few nodes of the type's width as hold so many GPUs. */
orr_placement orr_application_gang(const orr_application *a, int32_t type, int32_t gpus);
/* Seconds an iteration; INFINITY: it can't run so. */
double orr_application_iteration(const orr_application *a, int32_t type, const orr_placement *shape, orr_batch batch);
/* Progress that one of this total batch makes in an epoch, in iterations of the initial batch. */
double orr_application_gain(const orr_application *a, int32_t epoch, int64_t total);
/* Iterations of the initial batch a second, by progress; 0: it can't run so. */
double orr_application_pace(const orr_application *a, int32_t type, const orr_placement *shape, int32_t epoch,
                            orr_batch batch);
/* The most of these and its batch, of 50 total batches in geometric spacing; 0: none runs. */
double orr_application_best(const orr_application *a, int32_t type, const orr_placement *shape, int32_t epoch,
                            orr_batch *best);
/* Seconds of a whole training with one batch throughout; infinite where it can't run so. */
double orr_application_length(const orr_application *a, int32_t type, const orr_placement *shape, orr_batch batch);


#endif
