/* A schedule by hand in which everything happens that a log can tell, and its log. */
#ifndef TESTS_VERIFY_SCENE_H
#define TESTS_VERIFY_SCENE_H

#include "../sim/stage.h"
#include "log/sink.h"

/* Three nodes of 4 GPUs: node0 and node2 with V100 and 16 cores in VC red, node1 with A100 in blue. It costs 1 s to
 * start, 2 s to save, 3 s to restore, 4 s to resize, and state is safe every 10 s of work.
 *
 *     A  2 GPUs, V100, 4 cores  0-106   100 s; at 20 from node0 to node2, which takes 5 s
 *     B  4 GPUs, blue           0-32, 40-73   50 s; preempted at 30: saves until 32, loses 9 s of 29
 *     C  2 GPUs, 1 to 4 of them 5-127   60 s; on 4 from 10 on, on 1 from 15 on
 *     D  1 GPU                  111-122 10 s; comes when A has ended and 5 s have passed
 *     E  1 GPU, pinned          0-31    30 s
 *     F  1 GPU                  50-61, 70-91   two attempts of 10 and 20 s, fails
 *     G  40 GPUs                rejected at the door
 *     H  1 GPU                  60-80   killed by the policy
 *     I  1 GPU                  rejected by the policy at 5
 *     K  1 GPU, blue            32-38   5 s; given one of B's GPUs at 30, and has it when B has saved
 */
stage *scene_stage(void);
/* Runs it to its end; to be freed (orr_text_fini). */
orr_text scene_log(void);
/* The log of any stage, run however it ends; destroys the stage. */
orr_text scene_run(stage *s);

#endif
