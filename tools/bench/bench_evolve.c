/* The breeder of deals behind Pollux: seconds a decision, and how good it gets with the generations.
 *
 * usage: bench_evolve [time|quality]...
 * Jobs have concave speedups of their own. Prints CPU seconds; scores are the same from run to run.
 */
#define _POSIX_C_SOURCE 200809L

#include <orrery/evolve.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GPUS = 4 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

typedef struct world {
    int32_t jobs, nodes;
    int32_t *capacity, *most;
    double *bend, *changed; /* by job: how soon more GPUs stop to help; what a restart leaves */
    uint32_t *start;        /* nobody has anything */
    orr_deal present;
    orr_merit merit;
} world;

static double value(void *self, int32_t job, int32_t gpus, int32_t nodes)
{
    const world *w = self;
    double bend = w->bend[job] * (nodes > 1 ? 2 : 1);
    return (double)gpus * (1 + bend) / (1 + bend * (double)gpus);
}

static void score(void *self, const orr_deal *deal, double scores[2])
{
    orr_merit_score(&((world *)self)->merit, deal, scores);
}

static void fill(world *w, int32_t jobs, int32_t nodes)
{
    *w = (world){.jobs = jobs, .nodes = nodes};
    w->capacity = calloc((size_t)nodes, sizeof *w->capacity);
    w->most = calloc((size_t)jobs, sizeof *w->most);
    w->bend = calloc((size_t)jobs, sizeof *w->bend);
    w->changed = calloc((size_t)jobs, sizeof *w->changed);
    w->start = calloc((size_t)jobs + 1, sizeof *w->start);
    for (int32_t i = 0; i < nodes; i++)
        w->capacity[i] = GPUS;
    for (int32_t i = 0; i < jobs; i++) {
        w->most[i] = 1 << i % 7;
        w->bend[i] = 0.02 * (double)(1 + i * 7 % 13);
        w->changed[i] = 1 - 0.5 / (double)(1 + i % 5);
    }
    w->present = (orr_deal){jobs, w->start, NULL};
    w->merit = (orr_merit){.value = value, .self = w, .scale = 1.0 / GPUS, .power = -1, .floor = 0.001, .changed = w->changed,
                           .present = &w->present, .capacity = w->capacity, .columns = nodes};
}

static void empty(world *w)
{
    free(w->capacity);
    free(w->most);
    free(w->bend);
    free(w->changed);
    free(w->start);
}

static orr_evolve_rules rules_of(world *w)
{
    orr_evolve_rules rules = orr_evolve_usual();
    rules.deal.rows = w->jobs;
    rules.deal.columns = w->nodes;
    rules.deal.capacity = w->capacity;
    rules.deal.most = w->most;
    rules.score = score;
    rules.self = w;
    return rules;
}

/* ---- measurements ------------------------------------------------------------------------------------------------ */

/* The second of two calls, which goes on from the first, as in a scheduler. */
static void measure(int32_t jobs, int32_t nodes)
{
    world w;
    fill(&w, jobs, nodes);
    orr_evolve_rules rules = rules_of(&w);
    orr_evolve *evolve = orr_evolve_create(1);
    int32_t *from = calloc((size_t)jobs, sizeof *from);
    for (int32_t i = 0; i < jobs; i++)
        from[i] = i;
    double first[2], second[2], at = cpu_seconds();
    orr_evolve_run(evolve, &rules, &w.present, NULL, first);
    double cold = cpu_seconds() - at;
    orr_evolve_run(evolve, &rules, &w.present, from, second);
    double warm = cpu_seconds() - at - cold;
    printf("| %d | %d | %.4f | %.4f | %.0f | %.6f | %.6f |\n", jobs, nodes, cold, warm,
           warm / (double)orr_evolve_bred(evolve) * 1e9, first[0], second[0]);
    free(from);
    orr_evolve_destroy(evolve);
    empty(&w);
}

static void bench_time(void)
{
    static const int32_t sizes[][2] = {{5, 16}, {20, 16}, {40, 16}, {160, 16}, {320, 64}, {1000, 256}, {4000, 1024}};
    puts("| jobs | nodes of 4 GPUs | s, from nothing | s, going on | ns a deal | score | going on |\n|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        measure(sizes[i][0], sizes[i][1]);
}

static void bench_quality(void)
{
    static const int32_t generations[] = {1, 5, 10, 25, 50, 100, 200, 400, 1600};
    puts("| generations | score, 20 jobs on 16 nodes | 160 on 16 | 1000 on 256 |\n|---|---|---|---|");
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++) {
        static const int32_t sizes[][2] = {{20, 16}, {160, 16}, {1000, 256}};
        printf("| %d |", generations[i]);
        for (size_t k = 0; k < 3; k++) {
            world w;
            fill(&w, sizes[k][0], sizes[k][1]);
            orr_evolve_rules rules = rules_of(&w);
            rules.generations = generations[i];
            orr_evolve *evolve = orr_evolve_create(1);
            double scores[2];
            orr_evolve_run(evolve, &rules, &w.present, NULL, scores);
            printf(" %.6f |", scores[0]);
            orr_evolve_destroy(evolve);
            empty(&w);
        }
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "time") != 0 && strcmp(argv[i], "quality") != 0) {
            fprintf(stderr, "usage: bench_evolve [time|quality]...\n");
            return 64;
        }
    for (int i = 0; i < (argc > 1 ? argc : 2); i++) {
        if (argc < 2 ? i == 0 : i > 0 && strcmp(argv[i], "time") == 0)
            bench_time();
        if (argc < 2 ? i == 1 : i > 0 && strcmp(argv[i], "quality") == 0)
            bench_quality();
    }
    return 0;
}
