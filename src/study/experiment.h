/* An experiment: one scenario and the policies to be compared on it, as a file.
 *
 *     schema: orrery.experiment/1
 *     trace: traces/philly-2k.csv        any key of a case
 *     cluster: 8x8-v100
 *     policies: [fifo, srtf]             as -p takes them; `policy` where it is one
 *     serves: [none, aimd]               of services: as --serve takes them; `serve` where it is one
 *
 * Paths are relative to the working folder.
 */
#ifndef ORR_STUDY_EXPERIMENT_H
#define ORR_STUDY_EXPERIMENT_H

#include "study/case.h"

#define ORR_EXPERIMENT_SCHEMA "orrery.experiment/1"

typedef struct orr_experiment {
    orr_yaml_doc doc;
    orr_case setup;     /* without a policy */
    orr_texts policies; /* may be none */
    orr_texts serves;   /* likewise */
} orr_experiment;

/* NULL and `e`: ORR_E_OPEN, ORR_E_SYNTAX, ORR_E_UNKNOWN_KEY, ORR_E_NUMBER, ORR_E_FORMAT for a file of another schema,
 * ORR_E_VERSION for a later one. `path` is borrowed. */
orr_experiment *orr_experiment_read(const char *path, orr_error *e);
void orr_experiment_destroy(orr_experiment *experiment); /* takes NULL */
/* The keys besides those of a case, as Markdown. */
void orr_experiment_keys_markdown(orr_text *out);

#endif
