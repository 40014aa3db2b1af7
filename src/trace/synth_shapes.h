/* The published shapes as models. */
#ifndef ORR_TRACE_SYNTH_SHAPES_H
#define ORR_TRACE_SYNTH_SHAPES_H

#include "trace/synth_model.h"

/* The model of this name, to be destroyed by the caller; NULL and ORR_E_BAD_VALUE if there is none. */
orr_synth_model *orr_synth_shape_model(const char *name, orr_error *e);
/* The error for a name that isn't among the known ones, with the nearest or all of them as the hint. */
orr_err orr_synth_unknown(orr_error *e, const char *what, const char *name, const char *const *known, size_t n);

#endif
