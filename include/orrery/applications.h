/* Applications: how fast a model trains with any number of GPUs and any batch size, and how its gradient noise grows as
 * it goes on. They are the scenario's truth behind the speed of elastic jobs: a job whose model is an application may
 * hold any number of GPUs that its batch sizes allow, and its batch may be tuned.
 *
 * Three forms (configs/README.md tells of them): a YAML file of parameters, or that refers to tables; a folder of
 * measured tables as the Pollux and Sia simulators keep them; a folder of throughputs by batch size and number of GPUs
 * as ElasticFlow's keeps them. They are read once and never change: many simulations share one.
 */
#ifndef ORRERY_APPLICATIONS_H
#define ORRERY_APPLICATIONS_H

#include <orrery/error.h>

typedef struct orr_applications orr_applications;

ORR_BEGIN

/* `PATH[,type=TYPE][,work=own][,epochs=whole][,mesh=FOLDER][,validation=FOLDER]`: a file or folder, or the name of one
 * that comes with the library.
 * `type`: the family of GPUs whose tables are read, where a folder has several. `validation`: where an application's
 * validation-BATCH.csv lie, if its own folder has none. `work=own`: a job is its application's whole training, however
 * long the trace says that it ran; without it, it takes as long as recorded on the gang and batch that it asks.
 * `epochs=whole`: the ends of epochs fall on whole seconds of the job, as in the Pollux simulator; `mesh`: that
 * folder's triangulations and values on faces are used instead of our own. NULL and `e` on failure, with the place. */
ORR_API orr_applications *orr_applications_load(const char *text, orr_error *e);
ORR_API void orr_applications_destroy(orr_applications *applications);
ORR_API const char *orr_applications_name(const orr_applications *applications); /* the path as it was named */
/* SHA-256 of the file, or over those of all files of a folder in the order of their names; "" for those made in
 * memory. */
ORR_API const char *orr_applications_digest(const orr_applications *applications);

ORR_END
#endif
