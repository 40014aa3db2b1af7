/* The integer cycles of Clipper's AIMD rule, batch by batch, as the running engine makes them. */
#include "cases.h"

/* The small world of the tests beside src/serve, which are a library of their own. */
#include "../serve/world.c"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BATCHES = 400 };

typedef struct seen {
    int32_t n, size[BATCHES];
    bool late[BATCHES];
    double seconds[BATCHES];
} seen;

static void keep(void *self, const orr_batch_run *b)
{
    seen *s = self;
    if (s->n == BATCHES)
        return;
    s->size[s->n] = b->size;
    s->late[s->n] = b->exec > b->slo;
    s->seconds[s->n++] = (double)b->exec * 1e-9;
}

/* The queue is never empty: 2,000 clients, more than any batch. */
static void play(const cJSON *in, const char *module, seen *s)
{
    char serve[96];
    small_world w;
    *s = (seen){0};
    small_world_init(&w, real_of(in, "alpha_ms") * 1e-3, real_of(in, "beta_ms") * 1e-3, 0, 100000, 1);
    w.service.source.kind = ORR_SOURCE_CLOSED;
    w.service.source.clients = 2000;
    w.variant.max_batch = 1000;
    w.class_.slo = (orr_time)llround(real_of(in, "slo_ms") * 1e6);
    w.sink = (orr_serving_sink){.self = s, .batch = keep};
    snprintf(serve, sizeof serve, "%s,add=%d,back_off=%g", module, (int)real_of(in, "additive"), real_of(in, "multiplicative"));
    small_world_run(&w, serve, 1);
    small_world_fini(&w);
}

/* From the `before`-th batch on the cycle comes round, wherever it begins. */
static void compare(const char *id, const cJSON *expected, const seen *s)
{
    double cycle[64];
    size_t n = 0, turn = 0;
    reals_of(field_of(expected, "cycle"), 1, cycle, 64, &n);
    int32_t before = 0;
    while (!s->late[before])
        before++;
    assert_int_equal(before + 1, (int)real_of(expected, "batches_to_first_violation"));
    const int32_t from = before + 1;
    for (turn = 0; turn < n; turn++) {
        size_t i = 0;
        while (i < 3 * n && from + (int32_t)i < s->n && s->size[from + (int32_t)i] == (int32_t)cycle[(turn + i) % n])
            i++;
        if (i == 3 * n)
            break;
    }
    if (turn == n)
        fail_msg("%s: batches of %d, %d, %d, … after the first late one", id, s->size[from], s->size[from + 1], s->size[from + 2]);
    double size = 0, seconds = 0, late = 0;
    for (size_t i = 0; i < n; i++) {
        size += s->size[from + (int32_t)i];
        seconds += s->seconds[from + (int32_t)i];
        late += s->late[from + (int32_t)i];
    }
    assert_true(fabs(size / seconds / real_of(expected, "throughput_per_s") - 1) < 1e-9);
    assert_true(fabs(size / (double)n - real_of(expected, "mean_batch")) < 1e-9);
    assert_true(fabs(late / (double)n - real_of(expected, "fraction_of_batches_violating")) < 1e-9);
}

static void the_engine_runs_the_cycles(void **state)
{
    (void)state;
    cJSON *root = cases_read("golden/inference/policy_formulas.json");
    if (!root) {
        print_message("skipped: no golden/inference/policy_formulas.json\n");
        skip();
    }
    int32_t count = 0;
    const cJSON *a_case;
    cJSON_ArrayForEach(a_case, field_of(root, "cases"))
    {
        static const char *const modules[] = {"aimd", "clipper:aimd"};
        const char *id = field_of(a_case, "id")->valuestring;
        if (strncmp(id, "aimd_", 5) != 0)
            continue;
        for (int i = 0; i < 2; i++) {
            seen s;
            play(field_of(a_case, "input"), modules[i], &s);
            compare(id, field_of(a_case, "expected"), &s);
        }
        count++;
    }
    assert_int_equal(count, 4);
    cJSON_Delete(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_engine_runs_the_cycles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
