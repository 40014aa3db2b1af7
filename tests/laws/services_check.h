/* A run of services as it was told, and what must hold of it. */
#ifndef TESTS_LAWS_SERVICES_CHECK_H
#define TESTS_LAWS_SERVICES_CHECK_H

#include "services.h"

#include "base/mem.h"

enum { SERVED_TEXT = 256 };

typedef struct served_batch {
    orr_exec_id exec;
    orr_service_id service;
    orr_variant_id variant;
    int32_t size;
    orr_time start, end;
} served_batch;

/* What was told, and the run itself. */
typedef struct served {
    const services_world *w;
    orr_sim *sim;
    const orr_serving *serving;
    ORR_VEC(orr_request_record) records; /* by service and number, once it has ended */
    ORR_VEC(served_batch) batches;
    orr_time ended;
    orr_error error;
    bool seated; /* the modules could be seated in this world */
} served;

typedef struct serve_how {
    const char *modules; /* as --serve names them */
    const orr_registry *registry;
    bool skips; /* violations */
} serve_how;

/* `out` is the caller's; served_fini. */
void serve_world(const services_world *w, const serve_how *how, served *out);
void served_fini(served *s);

/* NULL: all is well. Else what is broken, in `text`. */
const char *check_served(const served *s, char text[SERVED_TEXT]);
/* NULL: every request had the same fate at the same time in both. */
const char *check_equal(const served *a, const served *b, char text[SERVED_TEXT]);
const char *check_same_end(const served *a, const served *b, char text[SERVED_TEXT]);

#endif
