/* MIG: a GPU cut into instances by the hardware's own rules.
 *
 * A GPU has compute slices (7; an A30 4) and memory slices (8; an A30 4). An instance takes some of each, and its
 * memory slices are neighbours that begin at one of a few places. Instances must not overlap in memory, nor take more
 * compute than there is: so what fits depends on where the others are, and not only on how much is left.
 *
 * Instances that can lie on one GPU together are found room for one by one by orr_mig_place, if the larger ones come
 * first. Plain functions of tables: nothing here knows of a simulation. Source: NVIDIA's MIG user guide.
 */
#ifndef ORRERY_MIG_H
#define ORRERY_MIG_H

#include <orrery/api.h>

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

/* Instances that lie on one GPU together, larger ones first. */
enum { ORR_MIG_MOST = 8 };
typedef struct orr_mig_layout {
    int32_t count, profile[ORR_MIG_MOST]; /* places in the model */
} orr_mig_layout;

ORR_BEGIN

/* The rules of a GPU type by its name (A100, H100, H200, A30, whatever stands around it); NULL: it can't be cut. */
ORR_API const orr_mig_model *orr_mig_model_of(const char *gpu_type);
/* A profile by its name here, or by the maker's, as "3g.40gb": its memory says which, where two have as much compute;
 * of a GPU whose memory isn't stated (0), and without a size, the least. NULL: there is none such. */
ORR_API const orr_mig_profile *orr_mig_named(const orr_mig_model *m, const char *name, int64_t gpu_mem);
/* Its part of the GPU's compute in thousandths, rounded down. */
ORR_API int32_t orr_mig_milli(const orr_mig_model *m, const orr_mig_profile *p);
ORR_API bool orr_mig_fits(const orr_mig_model *m, const orr_mig_profile *p, int start, orr_mig_cut cut);
/* Where to put an instance: of the places at which it fits the one that leaves most places for others, the least of
 * equals; -1: none. */
ORR_API int orr_mig_place(const orr_mig_model *m, const orr_mig_profile *p, orr_mig_cut cut);
ORR_API orr_mig_cut orr_mig_with(orr_mig_cut cut, const orr_mig_profile *p, int start);
ORR_API orr_mig_cut orr_mig_without(orr_mig_cut cut, const orr_mig_profile *p, int start);
/* The layouts to which no instance can be added, each multiset once, by the largest instances downwards; of profiles
 * with equal compute only the one with the least memory. Returns how many there are: 14 at most. */
ORR_API int32_t orr_mig_layouts(const orr_mig_model *m, orr_mig_layout *out, int32_t most);

ORR_END
#endif
