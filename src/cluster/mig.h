/* MIG instances and who has which; the hardware's rules are in orrery/mig.h. */
#ifndef ORR_CLUSTER_MIG_H
#define ORR_CLUSTER_MIG_H

#include <orrery/mig.h>

/* The least profile that holds `milli` thousandths of the GPU's compute and `bytes` of its `gpu_mem` (0: not stated);
 * NULL: none does. */
const orr_mig_profile *orr_mig_least(const orr_mig_model *m, int32_t milli, int64_t bytes, int64_t gpu_mem);

/* ---- who has which instance of one GPU ---- */
typedef struct orr_mig_instance {
    uint32_t holder;
    const orr_mig_profile *profile;
    int start;
    bool made; /* for him: there was no such instance at that place */
} orr_mig_instance;
/* Instances are made as they are asked for. One that is given back stands there unused until its slices are taken for
 * another one. Zeroed memory is an uncut GPU. */
typedef struct orr_mig_gpu {
    orr_mig_cut cut;
    int32_t count, former_count;
    orr_mig_instance at[ORR_MIG_MOST];     /* in the order in which they came */
    orr_mig_instance former[ORR_MIG_MOST]; /* the last ones given back: who takes his again gets the same place */
    const orr_mig_profile *stands[ORR_MIG_MOST]; /* by its first memory slice what stands there, used or not */
} orr_mig_gpu;
/* Asserts that it fits. */
void orr_mig_take(const orr_mig_model *m, orr_mig_gpu *gpu, const orr_mig_profile *p, uint32_t holder);
/* The profile of what the holder had; asserts that he had something. */
const orr_mig_profile *orr_mig_give(orr_mig_gpu *gpu, uint32_t holder);
/* Does anything stand there, used or not? */
bool orr_mig_is_cut(const orr_mig_gpu *gpu);
/* What the holder has; NULL: nothing. */
const orr_mig_instance *orr_mig_held(const orr_mig_gpu *gpu, uint32_t holder);

#endif
