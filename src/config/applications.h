/* Applications by the text that names them: a folder of tables, a file, a preset; with settings. */
#ifndef ORR_CONFIG_APPLICATIONS_H
#define ORR_CONFIG_APPLICATIONS_H

#include "base/io.h"
#include "config/schema.h"
#include "model/application_data.h"

#define ORR_APPLICATIONS_SCHEMA "orrery.applications/1"

/* What the text says behind the path; all may be NULL. */
typedef struct orr_applications_wish {
    const char *type, *mesh, *validation;
} orr_applications_wish;

extern const orr_keys orr_applications_keys, orr_application_keys, orr_application_batch_keys, orr_application_perf_keys,
    orr_application_noise_keys, orr_application_loss_keys;

/* A file in our own form. `folder` is where tables that it names are looked for, "": there can't be any. */
orr_applications *orr_applications_read(orr_input *in, const char *folder, const orr_applications_wish *wish,
                                        orr_error *e);
/* Is the file or folder that such a text names one of applications, by its beginning? */
bool orr_applications_told(const char *text);

/* The tables of keys as Markdown, for configs/README.md. */
void orr_applications_keys_markdown(orr_text *out);

#endif
