#include "checked.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static cJSON *summary_of(double mean)
{
    orr_text t = {0};
    orr_text_addf(&t,
                  "{\"measured\": {\"n\": 5}, \"jobs\": {\"completed\": 5, \"rejected\": 0},"
                  " \"counts\": {\"events\": 11},"
                  " \"metrics\": {\"jct\": {\"mean\": %.17g, \"p50\": 7}, \"gpu_alloc\": 0.5, \"preemptions\": 3,"
                  " \"deadline_met\": null, \"rho:avg_n\": {\"p99\": 2}},"
                  " \"vcs\": {\"vision\": {\"measured\": {\"n\": 2}, \"metrics\": {\"jct\": {\"mean\": 4}}}}}",
                  mean);
    cJSON *summary = cJSON_Parse(t.at);
    assert_non_null(summary);
    orr_text_fini(&t);
    return summary;
}

static void add_input(orr_check_case *k, const char *name, char letter)
{
    orr_check_input input = {.name = name};
    memset(input.digest, letter, 64);
    ORR_VEC_PUSH(&k->inputs, input);
}

void checked_begin(checked *c, const char *yaml, double mean, bool update)
{
    orr_error e = {0};
    if (orr_baseline_parse(&c->baseline, "b.yaml", yaml, strlen(yaml), &e))
        fail_msg("%d:%d: %s", e.line, e.column, e.message);
    orr_check_init(&c->check, &c->baseline);
    for (size_t i = 0; i < c->check.n; i++) {
        orr_check_case *k = &c->check.cases[i];
        k->selected = true;
        c->check.selected++;
        add_input(k, "trace", 'a');
        add_input(k, "cluster", 'b');
        for (size_t s = 0; s < k->from->seeds.n; s++)
            k->summaries[s] = summary_of(mean + (double)k->from->seeds.at[s]);
        c->check.runs += k->from->seeds.n;
    }
    orr_check_judge(&c->check, &(orr_check_options){.update = update});
}

void checked_end(checked *c)
{
    orr_check_fini(&c->check);
    orr_baseline_fini(&c->baseline);
}
