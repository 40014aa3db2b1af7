/* What the descriptors of modules say, in words: for `policies` and for choosing by `-p all`. */
#ifndef ORRERY_TOOL_MODULE_H
#define ORRERY_TOOL_MODULE_H

#include "opt.h"
#include "say.h"
#include <orrery/orrery.h>

/* What every kind has, and the placer and the estimator that it has by default ("" where it has none). */
typedef struct module_info {
    struct {
        ORR_HEAD;
    } head;
    const char *kind; /* sched, place, estimate; of serving: batcher, dropper, selector, router, scaler, cache, serve */
    bool serves;      /* it is one of serving */
    const char *rung; /* order, plan; "" for placers and estimators */
    const char *placer, *estimator;
    char name[64];
} module_info;

module_info module_of(const orr_module *module);
/* The name of the i-th thing that a module of its kind may know; NULL behind the last. */
const char *module_quantity(const module_info *m, int i);
/* Capabilities as names into `list`, ended by NULL. */
void module_needs(uint32_t needs, const char *list[8]);
const char *module_knob_type(orr_knob_type type);
/* A registry with the plugins loaded; NULL and `status` after saying why. */
orr_registry *module_registry(say *s, const texts *plugins, int *status);

#endif
