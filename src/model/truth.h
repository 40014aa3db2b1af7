/* How fast a job runs with what it holds: the scenario's truth, the same for every policy compared.
 *
 * speed = GPUs / gang (linear, for elastic jobs away from their gang) × how much longer an iteration takes now than it took
 * when it was recorded. An iteration is computation, slowed by neighbours on its GPUs and by missing cores or memory, and
 * communication, of which a part hides behind computation. Without a profile, neighbours or links it is exactly 1.
 */
#ifndef ORR_MODEL_TRUTH_H
#define ORR_MODEL_TRUTH_H

#include "job/life.h"
#include "model/profile.h"

struct orr_interference;
struct orr_net;

typedef struct orr_truth {
    const orr_profiles *profiles;              /* NULL: none */
    const struct orr_interference *interference; /* NULL: sharing costs nothing */
    struct orr_net *net;                       /* NULL: communication costs nothing */
    const orr_life *life;
} orr_truth;

/* For orr_life.rate; `self` is the orr_truth. */
double orr_truth_rate(void *self, const orr_job *job);

#endif
