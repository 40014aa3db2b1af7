/* Profiles: what the models of a trace need of a machine. They are the scenario's truth behind speeds: how much of a
 * GPU a model keeps busy, how much memory it takes, how its iteration is made up, and how two of them get on side by
 * side.
 *
 * A trace's jobs name their model, and a file of profiles says what that model is like (configs/README.md has its
 * keys). A job whose model has no profile runs as recorded. Profiles are read once and never change: many simulations
 * share them.
 */
#ifndef ORRERY_PROFILE_H
#define ORRERY_PROFILE_H

#include <orrery/error.h>

#include <stddef.h>

typedef struct orr_profiles orr_profiles;

ORR_BEGIN

/* Reads a file of profiles, or those of this name that come with the library, and the tables it names. NULL and `e` on
 * failure, with the place. */
ORR_API orr_profiles *orr_profiles_load(const char *path, orr_error *e);
ORR_API void orr_profiles_destroy(orr_profiles *profiles);
ORR_API const char *orr_profiles_name(const orr_profiles *profiles); /* as the file says, or its path */
ORR_API size_t orr_profiles_count(const orr_profiles *profiles);     /* models */
/* SHA-256 of the file and of the tables it names, in that order, decompressed; "" for profiles made in memory. */
ORR_API const char *orr_profiles_digest(const orr_profiles *profiles);

ORR_END
#endif
