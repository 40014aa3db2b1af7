/* Buddy blocks: jobs on aligned blocks of 1, 2, 4, … GPUs of a node, wider ones on several of the largest blocks
 * (ElasticFlow, Gu et al., ASPLOS'23, §4.3). Where nodes have a power of two of GPUs, whatever adds up to no more than
 * there are finds room so, each on the fewest nodes; other numbers of GPUs are made of several blocks, and so is a job
 * for which no block is whole any more. Who holds what it shall hold stays where it is, unless moving some lets others
 * have whole blocks.
 */
#ifndef ORRERY_BLOCKS_H
#define ORRERY_BLOCKS_H

#include <orrery/policy.h>
#include <orrery/slots.h>

typedef struct orr_block_ask {
    orr_job *job;
    int32_t gpus; /* from now on, whole and within its range; 0: none */
    bool fixed;   /* as long as that is what it holds, it isn't moved; nor is, ever, who must not be preempted */
} orr_block_ask;

ORR_BEGIN

/* Stages that on nodes of the scope, first come first served where there is no room (cores, memory, GPU types, or there
 * are too few GPUs): who finds none goes where the placer says, or else keeps or gets nothing. Of those that hold whole
 * GPUs in the scope none may be left out. O(jobs + moves × nodes). */
ORR_API orr_err orr_plan_blocks(orr_plan *plan, orr_scope scope, const orr_block_ask *asks, size_t n);

/* The same by numbers alone, where the placer says: who has fewer than before first, so that the others find what they
 * gave back. Where there is no room a job keeps what it has. Others may be left out. */
ORR_API void orr_plan_counts(orr_plan *plan, orr_scope scope, const orr_block_ask *asks, size_t n);

/* The powers of two within a job's range, as far as it is faster with each (ORR_Q_SCALING); what isn't whole GPUs, or
 * has no power of two in its range, may have the least that it asks. */
ORR_API void orr_job_sizes(orr_ctx *ctx, const orr_job *job, orr_sizes *out);

ORR_END
#endif
