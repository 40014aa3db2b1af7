/* Cores and memory of the host: how fast a job runs with what it was granted of them, by the points of its profile.
 *
 * Points that name the same number of cores are a row: speed by memory. Between the points of a row, and between rows,
 * speed is interpolated linearly; beyond the last it doesn't grow; below the first it falls in proportion. More of
 * anything is never worse: a row is at least as fast as those with fewer cores. At a point, speed is exactly what it
 * says. One row of a grid says all; a list in which cores and memory grow together says what both are worth at once. A
 * point with 0 cores says nothing of cores, and one with 0 bytes nothing of memory.
 *
 * All figures are a GPU; a gang is as fast as its slowest node. A job without GPUs runs as recorded. */
#ifndef ORR_MODEL_HOST_H
#define ORR_MODEL_HOST_H

#include "job/job.h"
#include "model/profile.h"

/* What is wrong with a list of points, as a sentence; NULL: nothing. Points ascend by cores, then memory; speeds are
 * greater than 0, and within a row they don't fall. */
const char *orr_host_flaw(const orr_host_point *points, size_t count);
/* Speed with so many cores and bytes a GPU; infinity: as much as it likes. 1 without a profile or points. O(points). */
double orr_host_speed(const orr_profile *profile, double cpus, double mem);
/* Speed with what it holds now. Cores and memory that it has no figure for, or that the node doesn't model, don't
 * matter. O(slices x points). */
double orr_host_rate(const orr_cluster *cluster, const orr_job *job);

typedef struct orr_host_need {
    double cpus, mem; /* a GPU; 0: any will do */
} orr_host_need;

/* The point with the fewest cores, and of those the least memory, at which it runs at `part` (0..1) of its best speed.
 * {0, 0} without a profile or points. O(points²). */
orr_host_need orr_host_needs(const orr_profile *profile, double part);

#endif
