/* The folder of -o: made with its parents, refused when it holds something, and one inside for each of several
 * policies. */
#ifndef ORR_STUDY_FOLDER_H
#define ORR_STUDY_FOLDER_H

#include "base/text.h"

/* ORR_E_CREATE if `dir` exists and isn't an empty folder; `force` takes any folder. What doesn't exist is fine. */
orr_err orr_folder_check(const char *dir, bool force, orr_error *e);
/* Makes it and what is missing above it. */
orr_err orr_folder_make(const char *dir, orr_error *e);
/* A policy's spec as a name for a folder: letters, digits and . _ = , + - stay, the rest becomes '-'. Never begins
 * with a dot, at most 100 bytes; the specs before it (`n` of them) are looked at to keep names apart. */
void orr_folder_name(const char *const *specs, size_t n, const char *spec, orr_text *out);

#endif
