#include "model/truth.h"

#include "model/host.h"
#include "model/interference.h"
#include "model/net.h"
#include "model/power.h"
#include "model/rate.h"
#include "model/speeds.h"
#include "model/training.h"

#include <math.h>

/* By the throughput table: each of the others slows it in turn. */
static double by_table(const orr_truth *truth, const orr_job *job, int32_t node, orr_job *const *on, int32_t n)
{
    const int32_t type = orr_lowest_bit(truth->life->cluster->nodes[node].type);
    double speed = 1;
    for (int32_t i = 0; i < n; i++) {
        const double slowed = on[i] == job ? 1 : orr_speeds_slowed(truth->speeds, job, on[i], type);
        speed *= slowed < 0 ? truth->interference->unknown : slowed;
    }
    return speed;
}

/* Its speed beside the others on one GPU. */
static double on_gpu(const orr_truth *truth, const orr_job *job, int32_t node, int gpu)
{
    orr_job *on[ORR_MAX_RESIDENTS];
    orr_resident residents[ORR_MAX_RESIDENTS];
    int32_t n = orr_life_residents(truth->life, node, gpu, on, ORR_MAX_RESIDENTS), self = -1;
    n = n < ORR_MAX_RESIDENTS ? n : ORR_MAX_RESIDENTS;
    if (truth->interference->kind == ORR_INTERFERENCE_TABLE)
        return by_table(truth, job, node, on, n);
    for (int32_t i = 0; i < n; i++) {
        const int32_t asked = on[i]->record->gpu_milli;
        residents[i] = (orr_resident){on[i]->profile, orr_job_milli_on(on[i], node), asked};
        self = on[i] == job ? i : self;
    }
    return self < 0 ? 1 : orr_interference_speed(truth->interference, truth->profiles, residents, n, self);
}

/* A gang is as fast as the slowest of its GPUs. Whole GPUs and MIG instances have no neighbours. */
static double beside(const orr_truth *truth, const orr_job *job)
{
    double least = INFINITY;
    if (!truth->interference || truth->interference->kind == ORR_INTERFERENCE_NONE)
        return 1;
    for (int32_t i = 0; i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        const bool alone = s->milli >= ORR_WHOLE_GPU || truth->life->cluster->nodes[s->node].mig;
        for (uint64_t m = alone ? 0 : s->gpus; m; m &= m - 1)
            least = fmin(least, on_gpu(truth, job, s->node, orr_lowest_bit(m)));
        if (s->gpus && alone)
            least = fmin(least, 1);
    }
    return isinf(least) ? 1 : least;
}

/* A gang is as fast as the slowest of its GPUs: those of types of several speeds are told apart by the table alone. */
static double clocked(const orr_truth *truth, const orr_job *job)
{
    double least = 1;
    for (int32_t i = 0; truth->clocks && i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        const orr_node *n = &truth->life->cluster->nodes[s->node];
        if (s->gpus && n->clock)
            least = fmin(least, truth->clocks[orr_lowest_bit(n->type)].at[n->clock]->speed);
    }
    return least;
}

double orr_truth_rate(void *self, const orr_job *job)
{
    const orr_truth *truth = self;
    const double linear = orr_rate_linear(job, job->held.gpus);
    if (job->training) /* it knows of types and of synchronisation itself */
        return orr_training_speed(truth->life, job) * orr_host_rate(truth->life->cluster, job) * beside(truth, job) * clocked(truth, job);
    const double typed = truth->speeds ? orr_speeds_with(truth->speeds, job, &job->held) : linear;
    const double computing = orr_host_rate(truth->life->cluster, job) * beside(truth, job) * clocked(truth, job);
    if (!truth->net)
        return typed * computing;
    return linear * orr_net_speed(truth->net, job, typed == linear ? computing : computing * (typed / linear));
}
