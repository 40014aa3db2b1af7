/* A file of profiles: its keys, and reading it from an open input. */
#ifndef ORR_CONFIG_PROFILES_H
#define ORR_CONFIG_PROFILES_H

#include "base/io.h"
#include "config/schema.h"
#include "model/profile.h"

#define ORR_PROFILES_SCHEMA "orrery.profiles/1"

extern const orr_keys orr_profiles_keys, orr_profile_model_keys, orr_profile_stage_keys, orr_profile_host_keys,
    orr_profile_pair_keys;

/* What `orr_profiles_load` does once the file is open. `folder` is where the tables that it names are looked for, "":
 * there can't be any. */
orr_profiles *orr_profiles_read(orr_input *in, const char *folder, orr_error *e);

/* profiles_tables.c: Lucid's tables of measurements. Profiles of models that are there already stay as they are; `sha`
 * takes what was read. */
orr_err orr_profiles_read_models(orr_profiles *profiles, orr_input *in, orr_error *e);
orr_err orr_profiles_read_pairs(orr_profiles *profiles, orr_input *in, orr_error *e);

/* The tables of keys as Markdown, for configs/README.md. */
void orr_profiles_keys_markdown(orr_text *out);

#endif
