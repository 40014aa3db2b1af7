/* Wiring and fabric of a description: what is possible, one copy of each kind, and the texts of files. */
#ifndef ORR_CONFIG_WIRING_H
#define ORR_CONFIG_WIRING_H

#include "base/mem.h"
#include "base/text.h"

#include <orrery/topology.h>

#define ORR_WIRING_MAX_LINKS 64 /* NVLinks of a GPU */
#define ORR_WIRING_MAX_NICS 64
#define ORR_WIRING_MAX_BPS INT64_C(1000000000000000) /* 1 PB/s */

/* Keeps one copy of each kind of wiring. Zeroed memory is valid and empty. */
typedef struct orr_wirings {
    orr_names *kinds; /* by their bytes; an id is an index of `at` */
    ORR_VEC(orr_wiring *) at;
} orr_wirings;

void orr_wirings_fini(orr_wirings *w);
/* The kept one that is equal; NULL for NULL. It has been checked. */
const orr_wiring *orr_wirings_keep(orr_wirings *w, const orr_wiring *wiring, int32_t gpus);

/* ORR_E_BAD_CLUSTER, without a place. */
orr_err orr_wiring_check(const orr_wiring *wiring, int32_t gpus, int32_t sockets, orr_error *e);
orr_err orr_fabric_check(const orr_fabric *fabric, orr_error *e);

/* What `nvlink` says in a file: nothing or `none`, `switch`, `cube-mesh`, `pairs`, each with `links` a GPU, or pairs of
 * GPUs with blanks between, `0-1 0-2 0-3x2`, without `links`. Fills the links of `out`; `matrix` has room for 64 * 64.
 * ORR_E_BAD_CLUSTER, without a place. */
orr_err orr_nvlink_parse(const char *text, int32_t links, int32_t gpus, uint8_t *matrix, orr_wiring *out, orr_error *e);

#endif
