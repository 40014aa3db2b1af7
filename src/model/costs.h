/* What it costs to start, save, restore and resize a job: the scenario's truth, the same for every policy compared.
 *
 * A cost is a delay without progress while the GPUs are held, by the size of the gang. `start` is paid at the first
 * start,
 * `restore` at each later one, `save` at a preemption (the GPUs are kept that long), `resize` at a change of size. With
 * `checkpoint=T` state is saved only every T of work and a preemption loses what came since; without it nothing is
 * lost. A delay that was not fully paid when the job is preempted is dropped, and at a resize or a move it is paid
 * besides;
 * `unpaid=keep` carries it over in both cases, `unpaid=renew` drops it in both. With `by=application` a job whose
 * application states a restart time (applications.h) pays that at its start, at a restore and at a change of size or
 * place.
 *
 * Written as `start=5s,restore=1:7s/2:30s/9:60s`: steps "from this many GPUs on", a single value for all sizes.
 */
#ifndef ORR_MODEL_COSTS_H
#define ORR_MODEL_COSTS_H

#include "job/costs.h"

/* A preset's name, optionally followed by settings, or settings alone; NULL or "": nothing costs anything. */
orr_err orr_costs_parse(const char *text, orr_costs *out, orr_error *e);
/* The resolved form, which parses back to the same; buf of at least 512. */
void orr_costs_format(const orr_costs *costs, char *buf, size_t size);

typedef struct orr_costs_preset {
    const char *name, *settings, *doc;
} orr_costs_preset;
/* Ended by a NULL name. */
const orr_costs_preset *orr_costs_presets(void);

#endif
