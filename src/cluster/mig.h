/* MIG: a GPU cut into instances by the hardware's own rules.
 *
 * A GPU has compute slices (7; an A30 4) and memory slices (8; an A30 4). An instance takes some of each, and its
 * memory slices are neighbours that begin at one of a few places. Instances must not overlap in memory, nor take more
 * compute than there is: so what fits depends on where the others are, and not only on how much is left.
 */
#ifndef ORR_CLUSTER_MIG_H
#define ORR_CLUSTER_MIG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct orr_mig_profile {
    const char *name; /* "1g", "1g+" (with twice the memory), "2g", … */
    int8_t compute, memory;
    uint8_t starts; /* bit i: it may begin at memory slice i */
} orr_mig_profile;

typedef struct orr_mig_model {
    int8_t compute, memory; /* slices of the GPU */
    int32_t count;
    const orr_mig_profile *profiles; /* ascending by compute, then memory */
} orr_mig_model;

/* What is taken of one GPU. Zeroed memory is an uncut one. */
typedef struct orr_mig_cut {
    uint8_t memory; /* bit i: slice i is taken */
    int8_t compute;
} orr_mig_cut;

/* The rules of a GPU type by its name (A100, H100, H200, A30, whatever stands around it); NULL: it can't be cut. */
const orr_mig_model *orr_mig_model_of(const char *gpu_type);
bool orr_mig_fits(const orr_mig_model *m, const orr_mig_profile *p, int start, orr_mig_cut cut);
/* Where to put an instance: of the places at which it fits the one that leaves most places for others, the least of
 * equals; -1: none. */
int orr_mig_place(const orr_mig_model *m, const orr_mig_profile *p, orr_mig_cut cut);
/* The least profile that holds `milli` thousandths of the GPU's compute and `bytes` of its `gpu_mem` (0: not stated);
 * NULL: none does. */
const orr_mig_profile *orr_mig_least(const orr_mig_model *m, int32_t milli, int64_t bytes, int64_t gpu_mem);

/* ---- who has which instance of one GPU ---- */
enum { ORR_MIG_MOST = 8 };
typedef struct orr_mig_instance {
    uint32_t holder;
    const orr_mig_profile *profile;
    int start;
} orr_mig_instance;
/* Instances are made as they are asked for and gone when they are given back. Zeroed memory is an uncut GPU. */
typedef struct orr_mig_gpu {
    orr_mig_cut cut;
    int32_t count, former_count;
    orr_mig_instance at[ORR_MIG_MOST];     /* in the order in which they came */
    orr_mig_instance former[ORR_MIG_MOST]; /* the last ones given back: who takes his again gets the same place */
} orr_mig_gpu;
/* Asserts that it fits. */
void orr_mig_take(const orr_mig_model *m, orr_mig_gpu *gpu, const orr_mig_profile *p, uint32_t holder);
/* The profile of what the holder had; asserts that he had something. */
const orr_mig_profile *orr_mig_give(orr_mig_gpu *gpu, uint32_t holder);

orr_mig_cut orr_mig_with(orr_mig_cut cut, const orr_mig_profile *p, int start);
orr_mig_cut orr_mig_without(orr_mig_cut cut, const orr_mig_profile *p, int start);

#endif
