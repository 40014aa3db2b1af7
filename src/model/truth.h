/* How fast a job runs with what it holds: the scenario's truth, the same for every policy compared.
 *
 * speed = GPUs / gang (linear, for elastic jobs away from their gang) × how much longer an iteration takes now than it
 * took when it was recorded. A job whose model is an application goes by that instead (model/training.h): its
 * iterations hold their own communication. Where there is a throughput table (model/speeds.h), it says what that is on
 * the GPU types that the job holds, and how many they are. An iteration is computation, slowed by neighbours on its
 * GPUs, by missing cores or memory and by lower clocks, and communication, of which a part hides behind computation.
 * Without a profile, neighbours or links it is exactly 1.
 */
#ifndef ORR_MODEL_TRUTH_H
#define ORR_MODEL_TRUTH_H

#include "job/life.h"
#include "model/profile.h"

struct orr_interference;
struct orr_speeds;
struct orr_net;

typedef struct orr_truth {
    const orr_profiles *profiles;              /* NULL: none */
    const struct orr_interference *interference; /* NULL: sharing costs nothing */
    struct orr_net *net;                       /* NULL: communication costs nothing */
    const struct orr_speeds *speeds;           /* NULL: all GPU types are alike */
    const struct orr_clocks *clocks;           /* of each GPU type; NULL: all run at the full clock */
    const orr_life *life;
} orr_truth;

/* For orr_life.rate; `self` is the orr_truth. */
double orr_truth_rate(void *self, const orr_job *job);

#endif
