#include "study/services_scaled.h"

#include "base/mem.h"

/* One block: freed at once. */
typedef struct scaled {
    orr_services services; /* first: what is handed out */
    orr_arena arena;
} scaled;

static const double *scaled_rates(scaled *s, const orr_source *source, double load)
{
    double *rates = orr_arena_alloc(&s->arena, (size_t)source->states * sizeof *rates);
    for (int32_t i = 0; i < source->states; i++)
        rates[i] = load * source->rates[i];
    return rates;
}

static void scale_source(scaled *s, orr_source *source, double load)
{
    switch (source->kind) {
    case ORR_SOURCE_NONE:
    case ORR_SOURCE_CLOSED:
        return;
    case ORR_SOURCE_MMPP:
        source->rates = scaled_rates(s, source, load);
        return;
    case ORR_SOURCE_COUNTS:
    case ORR_SOURCE_LIST:
        source->speed *= load;
        return;
    default:
        source->rate *= load;
    }
}

orr_services *orr_services_scaled(const orr_services *services, double load, orr_time warm_up)
{
    scaled *s = orr_xcalloc(1, sizeof *s);
    s->services = *services;
    s->services.memory = NULL;
    if (warm_up > 0)
        s->services.warm_up = warm_up;
    orr_service *list = orr_arena_alloc(&s->arena, (size_t)services->count * sizeof *list + 1);
    memcpy(list, services->services, (size_t)services->count * sizeof *list);
    for (int32_t i = 0; i < services->count; i++)
        scale_source(s, &list[i].source, load);
    s->services.services = list;
    return &s->services;
}

void orr_services_scaled_free(orr_services *services)
{
    scaled *s = (scaled *)(void *)services;
    if (!s)
        return;
    orr_arena_fini(&s->arena);
    free(s);
}
