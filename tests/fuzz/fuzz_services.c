/* Bytes as a file of services. What is accepted must hold what the header promises, and can be described. */
#include "config/services.h"
#include "report/service_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_INPUT 65536

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void check_profile(const orr_exec_profile *p, int32_t most)
{
    must(p->gpu_type && p->milli >= 1 && p->milli <= 1000 && p->gpus >= 1 && (p->milli == 1000 || p->gpus == 1));
    const double first = orr_exec_seconds(p, 1), last = orr_exec_seconds(p, most);
    must(first > 0 && isfinite(first) && last > 0 && isfinite(last));
    for (int32_t i = 0; i < p->point_count; i++) {
        must(p->points[i].mean > 0 && p->points[i].deviation >= 0 && p->points[i].mem >= 0);
        must(i == 0 || p->points[i - 1].batch < p->points[i].batch);
        must(orr_exec_seconds(p, p->points[i].batch) == p->points[i].mean);
        must((p->kind == ORR_EXEC_STAGES) == (p->points[i].stages != NULL));
    }
    double sum = 0;
    for (int32_t i = 0; i < p->op_count; i++)
        sum += p->ops[i];
    must(p->op_count == 0 || fabs(sum - 1) < 1e-9);
    must(p->noise.law < ORR_SCATTER_KINDS && (p->noise.law < ORR_SCATTER_GAMMA || p->noise.cv > 0));
}

static void check_source(const orr_source *s)
{
    must(s->kind < ORR_SOURCE_KINDS && s->speed > 0 && s->from >= 0 && s->until > s->from && s->tokens_in >= 0);
    must(s->kind != ORR_SOURCE_POISSON || s->rate > 0);
    must(s->kind != ORR_SOURCE_GAMMA || (s->rate > 0 && s->cv > 0));
    must(s->kind != ORR_SOURCE_MMPP || (s->states >= 2 && s->stays[s->states - 1] > 0));
    must(s->kind != ORR_SOURCE_CLOSED || s->clients >= 1);
    must(s->kind != ORR_SOURCE_COUNTS || (s->bins >= 1 && s->bin > 0 && s->counts));
    must(s->kind != ORR_SOURCE_LIST);
}

static void check_service(const orr_services *all, int32_t i)
{
    const orr_service *s = &all->services[i];
    double parts = 0;
    must(s->name[0] && s->variant_count >= 1 && s->class_count >= 1);
    for (int32_t k = 0; k < s->class_count; k++) {
        must(s->classes[k].slo > 0 && s->classes[k].weight > 0);
        parts += s->classes[k].part;
    }
    must(fabs(parts - 1) < 1e-6);
    for (int32_t k = 0; k < s->edge_count; k++)
        must(s->edges[k].to >= 0 && s->edges[k].to < all->count && s->edges[k].to != i && s->edges[k].fan_out > 0);
    for (int32_t k = 0; k < s->variant_count; k++) {
        must(s->variants[k].max_batch >= 1 && s->variants[k].profile_count >= 1);
        for (int32_t p = 0; p < s->variants[k].profile_count; p++)
            check_profile(&s->variants[k].profiles[p], s->variants[k].max_batch);
    }
    check_source(&s->source);
}

static void check_executors(const orr_services *all)
{
    for (int32_t i = 0; i < all->executor_count; i++) {
        const orr_exec_ask *e = &all->executors[i];
        must(e->gpus >= 1 && e->milli >= 1 && e->count >= 1 && e->slots >= 1 && e->host_count >= 1);
        for (int32_t k = 0; k < e->host_count; k++) {
            must(e->hosts[k].service >= 0 && e->hosts[k].service < all->count && e->hosts[k].variant >= 0 &&
                 e->hosts[k].variant < all->services[e->hosts[k].service].variant_count);
            const orr_variant *v = &all->services[e->hosts[k].service].variants[e->hosts[k].variant];
            must(orr_variant_profile(v, e->gpu_type, e->milli, e->gpus) != NULL);
        }
    }
}

/* Small ones only: looking for best batches takes as long as they are large. */
static void describe(const orr_services *all)
{
    int64_t work = 0;
    for (int32_t i = 0; i < all->count; i++)
        for (int32_t k = 0; k < all->services[i].variant_count; k++)
            work += all->services[i].variants[k].max_batch;
    if (work > 10000)
        return;
    orr_text text = {0};
    orr_service_facts_text(all, &text);
    cJSON_Delete(orr_service_facts_json(all));
    orr_text_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[4096];
    orr_error e = {0};
    if (size > MAX_INPUT)
        return 0;
    orr_input *in = orr_input_memory("fuzz", data, size);
    orr_services *all = orr_services_read(in, "", &e);
    orr_input_close(in);
    must((all != NULL) == (e.code == 0));
    if (!all) {
        must(orr_error_format(&e, text, sizeof text) > 0 && orr_err_exit_status(e.code) >= 64);
        return 0;
    }
    must(all->count >= 1 && strlen(all->digest) == 64 && all->store.channels >= 1);
    for (int32_t i = 0; i < all->count; i++) {
        check_service(all, i);
        must(i == 0 || strcmp(all->services[i - 1].name, all->services[i].name) != 0);
    }
    check_executors(all);
    describe(all);
    orr_services_destroy(all);
    return 0;
}
