/* What is known of a model's work: the scenario's truth behind speeds. Traces name a model; a file of profiles says
 * what that model needs. A job without a profile runs as recorded whatever it communicates, and whatever cores and
 * memory it has; where GPUs are shared it is taken to use the share of them that it asked for.
 *
 * A profile tells of one iteration on the gang that the trace recorded, consolidated and alone; speeds are ratios to
 * that.
 */
#ifndef ORR_MODEL_PROFILE_H
#define ORR_MODEL_PROFILE_H

#include <orrery/profile.h>
#include <orrery/time.h>

typedef enum orr_stage { ORR_STAGE_STORAGE, ORR_STAGE_CPU, ORR_STAGE_GPU, ORR_STAGE_NET, ORR_STAGES } orr_stage;

/* How fast it runs with fewer cores or less memory than it would like; points ascend by cores, then memory. */
typedef struct orr_host_point {
    double cpus; /* cores a GPU */
    double mem;  /* bytes a GPU */
    double speed; /* 1: as recorded */
} orr_host_point;

/* How much it slows those beside it: what an analyser made of its profile. */
typedef enum orr_sharing { ORR_SHARING_TINY, ORR_SHARING_MEDIUM, ORR_SHARING_JUMBO } orr_sharing;

typedef struct orr_profile {
    const char *model;
    double iteration;          /* seconds; 0: not stated */
    double stages[ORR_STAGES]; /* seconds of each stage when nothing overlaps; all 0: not stated */
    double gradient_bytes;     /* that each worker exchanges an iteration; 0: it doesn't communicate */
    double overlap;            /* part of the communication hidden behind computation, 0..1 */
    double gpu_util;           /* of one GPU, 0..1; < 0: not stated */
    int64_t gpu_mem;           /* bytes on each GPU; 0: not stated */
    double largest_tensor;     /* share of the model's size, 0..1; < 0: not stated */
    const orr_host_point *host; /* NULL: cores and memory don't matter */
    size_t host_points;
    int32_t sharing;           /* an orr_sharing; -1: not stated */
    int32_t servers;           /* parameter servers that its workers exchange gradients with; 0: an all-reduce */
    uint32_t number;           /* among all profiles, from 0 in the order of the file; set when it is added */
} orr_profile;

/* Nothing is stated. */
orr_profile orr_profile_default(void);

/* For whoever makes profiles in code; the file's reader is one of them. */
orr_profiles *orr_profiles_create(const char *name);
void orr_profiles_set_digest(orr_profiles *profiles, const char hex[65]);
/* Copies the profile, its name and its points. False: a model of this name is there already. */
bool orr_profiles_add(orr_profiles *profiles, const orr_profile *profile);
/* Speeds (> 0) of two models on the same GPUs, of each relative to itself alone. Either order; the first mention of a
 * pair counts. False: it was there already. */
bool orr_profiles_add_pair(orr_profiles *profiles, const orr_profile *a, const orr_profile *b, double speed_a,
                           double speed_b);

/* The profile of a model by its name; NULL: none. O(1). Both may be NULL. */
const orr_profile *orr_profiles_find(const orr_profiles *profiles, const char *model);
/* Speeds of two models that share their GPUs, relative to each alone: of `a` beside `b`. < 0: not measured. O(1). */
double orr_profiles_pair(const orr_profiles *profiles, const orr_profile *a, const orr_profile *b);
/* The class of a model: as stated; else by the mean of its measured pairs, >= 0.95 tiny, >= 0.85 medium; else, where
 * nothing is known, jumbo. O(1). */
orr_sharing orr_profiles_sharing(const orr_profiles *profiles, const orr_profile *profile);

#endif
