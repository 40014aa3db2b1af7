/* The small languages in the cells of Slurm's accounting: lists of trackable resources, generic resources, amounts of
 * memory, elapsed times. None of these functions guesses: what they don't know is false or ignored as said.
 */
#ifndef ORR_TRACE_SLURM_TEXT_H
#define ORR_TRACE_SLURM_TEXT_H

#include <orrery/time.h>

#define ORR_SLURM_TYPES 256

/* Amounts of the whole job; -1: not named. */
typedef struct orr_slurm_resources {
    int64_t gpus, cpus, nodes, mem_bytes;
    char types[ORR_SLURM_TYPES]; /* names of GPU types, joined by |; "": none named */
} orr_slurm_resources;

/* "billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G,node=1". GPUs are those of `gres/gpu`; only if that isn't named,
 * the sum over the types. Other resources are ignored. False if one of the four has no amount. */
bool orr_slurm_tres(const char *text, orr_slurm_resources *out);
/* "gpu:4", "gpu:a100:4", "gpu:a100:2(S:0),gpu:v100:2": the sum over them; "gpu" alone is one. Other resources are
 * ignored. */
bool orr_slurm_gres(const char *text, orr_slurm_resources *out);
/* "4000M", "62.50G", "4Gc", "16Gn", "0n"; without a unit mebibytes, Slurm's own. *per: 'c' core, 'n' node, 0 job. */
bool orr_slurm_memory(const char *text, size_t n, int64_t *bytes, char *per);
/* "[days-]hours:minutes:seconds[.fraction]", or minutes:seconds. */
bool orr_slurm_elapsed(const char *text, size_t n, orr_time *out);

#endif
