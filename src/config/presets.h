/* Presets: YAML files NAME.yaml in one folder. A preset is a cluster of its own, or the hardware of a node. */
#ifndef ORR_CONFIG_PRESETS_H
#define ORR_CONFIG_PRESETS_H

#include "base/io.h"
#include "base/text.h"

/* The folder of this build. */
const char *orr_preset_dir(void);
/* The path of a preset that exists as a file; false: there is none. */
bool orr_preset_path(const char *dir, const char *name, orr_text *path);
/* Opens the file that a text names: what exists as a file is that, else NAME.yaml or NAME.csv in the folder `kind`
 * ("profiles", "scenarios", "throughputs") beside the clusters of this build if there is one. `folder` tells where it
 * lies, "" for stdin: tables that it names are looked for there. NULL and `e`, with names of that kind as a hint, on
 * failure. */
orr_input *orr_preset_open(const char *kind, const char *text, orr_text *folder, orr_error *e);
/* Does the file that such a text names say this line near its beginning? */
bool orr_preset_says(const char *kind, const char *text, const char *line);
/* Names in the folder, sorted by bytes; an array and texts to be freed by orr_preset_names_free. */
size_t orr_preset_names(const char *dir, char ***names);
void orr_preset_names_free(char **names, size_t n);
/* Puts the nearest preset's name, or all names, into the hint of the error just set. */
void orr_preset_hint(const char *dir, const char *name, orr_error *e);

#endif
