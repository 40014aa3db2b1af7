/* The placer `topology`: which GPUs a gang gets, on machines drawn by hand. */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "A 0:23 B 1:67": who got which GPUs of which nodes, in the order of starts. */
typedef struct heard {
    char text[512];
} heard;

static void on_grant(void *self, const orr_grant *grant)
{
    heard *h = self;
    size_t n = strlen(h->text);
    n += (size_t)snprintf(h->text + n, sizeof h->text - n, "%s%s", n ? " " : "", orr_job_id(grant->job));
    for (int32_t i = 0; i < grant->slice_count; i++) {
        n += (size_t)snprintf(h->text + n, sizeof h->text - n, " %d:", (int)grant->slices[i].node);
        for (int gpu = 0; gpu < 64; gpu++)
            if (grant->slices[i].gpus >> gpu & 1)
                n += (size_t)snprintf(h->text + n, sizeof h->text - n, "%x", (unsigned)gpu);
    }
}

static void gets(const run_job *jobs, size_t count, const char *cluster, const char *policy, const char *expected)
{
    orr_error e = {0};
    heard h = {.text = ""};
    const orr_sink sink = {.self = &h, .grant = on_grant};
    orr_trace *trace = run_trace(jobs, count);
    orr_cluster_spec *spec = run_cluster(cluster);
    orr_sim_options options = orr_sim_options_default();
    options.policy = policy;
    orr_sim *sim = orr_sim_create(trace, spec, &options, &sink, &e);
    if (!sim || orr_sim_run(sim, &e))
        fail_msg("%s on %s: %s", policy, cluster, e.message);
    if (strcmp(h.text, expected) != 0)
        fail_msg("%s on %s: %s\nshould be %s", policy, cluster, h.text, expected);
    orr_sim_destroy(sim);
    orr_cluster_spec_destroy(spec);
    orr_trace_destroy(trace);
}

/* A DGX-1: pairs with two links are 0-3, 0-4, 1-2, 1-5, 2-3, 4-7, 5-6, 6-7; PCIe switches {0,1} {2,3} | {4,5} {6,7}. */
static void pairs_with_two_links(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 2, .duration = 9},
                            {.id = "B", .gpus = 2, .duration = 9},
                            {.id = "C", .gpus = 2, .duration = 9},
                            {.id = "D", .gpus = 2, .duration = 9}};
    gets(jobs, RUN_COUNT(jobs), "dgx1-v100", "fifo+topology", "A 0:23 B 0:67 C 0:04 D 0:15");
    gets(jobs, RUN_COUNT(jobs), "dgx1-v100", "fifo+consolidate", "A 0:01 B 0:23 C 0:45 D 0:67");
}

/* One GPU breaks a switch of its own and leaves the other quad to the gang of four; the next one fills the broken
 * switch. */
static void a_quad_stays_whole(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 1, .duration = 9},
                            {.id = "B", .gpus = 1, .duration = 9},
                            {.id = "C", .gpus = 4, .duration = 9},
                            {.id = "D", .gpus = 2, .duration = 9}};
    gets(jobs, RUN_COUNT(jobs), "dgx1-v100", "fifo+topology", "A 0:0 B 0:1 C 0:4567 D 0:23");
}

/* Where 0-3 are taken on node 0 the quad of 4-7 is as good as node 1's: the fuller node wins. With 1 and 6 taken, four
 * of node 0 have no ring of NVLinks as good: links go to node 1, room stays on node 0. */
static void links_before_room(void **state)
{
    (void)state;
    const run_job quad[] = {{.id = "A", .gpus = 4, .duration = 9}, {.id = "B", .gpus = 4, .duration = 9}};
    gets(quad, RUN_COUNT(quad), "nodes=2,preset=dgx1-v100", "fifo+topology", "A 0:0123 B 0:4567");
    const run_job broken[] = {{.id = "A", .gpus = 2, .duration = 9},
                              {.id = "B", .gpus = 2, .duration = 9},
                              {.id = "C", .gpus = 4, .duration = 9}};
    gets(broken, RUN_COUNT(broken), "nodes=2,preset=dgx1-v100", "fifo+topology", "A 0:23 B 0:67 C 1:0123");
    gets(broken, RUN_COUNT(broken), "nodes=2,preset=dgx1-v100", "fifo+topology,prefer=room", "A 0:23 B 0:67 C 0:0145");
}

/* Without links sockets tell GPUs apart: 3 + 1 on one, 4 on the other. */
static void sockets_alone(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 9},
                            {.id = "B", .gpus = 4, .duration = 9},
                            {.id = "C", .gpus = 1, .duration = 9}};
    gets(jobs, RUN_COUNT(jobs), "nodes=1,gpus=8,sockets=2", "fifo+topology", "A 0:012 B 0:4567 C 0:3");
}

/* A gang that no node has room for waits, as with `consolidate`. */
static void a_gang_is_never_split(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 3, .duration = 10},
                            {.id = "B", .gpus = 3, .duration = 20},
                            {.id = "C", .gpus = 2, .duration = 5}};
    run *r = run_of(jobs, RUN_COUNT(jobs), "4 4", "fifo+topology");
    run_ends(r, "A:10 B:20 C:15");
    run_free(r);
}

/* Two nodes of a rack: r0 has one left when A is there, so B gets r1, though node 1 comes first; C, of three nodes,
 * finds no rack with as many and takes those there are. D's fifth GPU stands in the same rack as the four. */
static void wide_gangs_stay_in_a_rack(void **state)
{
    (void)state;
    const run_job two[] = {{.id = "A", .gpus = 4, .duration = 9}, {.id = "B", .gpus = 8, .duration = 9}};
    gets(two, RUN_COUNT(two), "4/r0 4/r0 4/r1 4/r1", "fifo+topology", "A 0:0123 B 2:0123 3:0123");
    const run_job wide[] = {{.id = "C", .gpus = 12, .duration = 9}};
    gets(wide, RUN_COUNT(wide), "4/r0 4/r0 4/r1 4/r1", "fifo+topology", "C 0:0123 1:0123 2:0123");
    const run_job rest[] = {{.id = "A", .gpus = 3, .duration = 9}, {.id = "D", .gpus = 5, .duration = 9}};
    gets(rest, RUN_COUNT(rest), "4/r0 4/r0 4/r1 4/r1", "fifo+topology", "A 0:012 D 1:0123 0:3");
    gets(rest, RUN_COUNT(rest), "4 4 4", "fifo+topology", "A 0:012 D 1:0123 0:3");
}

/* The rack with the fewest idle nodes that suffice: r1, not r0. */
static void small_racks_first(void **state)
{
    (void)state;
    const run_job jobs[] = {{.id = "A", .gpus = 4, .duration = 9}};
    gets(jobs, RUN_COUNT(jobs), "2/r0 2/r0 2/r0 2/r1 2/r1", "fifo+topology", "A 3:01 4:01");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_with_two_links),  cmocka_unit_test(a_quad_stays_whole),
        cmocka_unit_test(links_before_room),     cmocka_unit_test(sockets_alone),
        cmocka_unit_test(a_gang_is_never_split), cmocka_unit_test(wide_gangs_stay_in_a_rack),
        cmocka_unit_test(small_racks_first),
    };
    return cmocka_run_group_tests_name("topology", tests, NULL, NULL);
}
