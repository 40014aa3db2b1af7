/* Small files that a test needs on disk: the tables beside a trace. */
#ifndef TESTS_TRACE_SCRATCH_H
#define TESTS_TRACE_SCRATCH_H

/* A new folder; `buf` holds its path. */
const char *scratch_folder(char buf[64]);
/* Writes a file of it ("bert/placements.csv"), making folders on the way. */
void scratch_write(const char *folder, const char *name, const char *text);
/* Gives a file that exists elsewhere a name in it. */
void scratch_link(const char *folder, const char *name, const char *target);
/* Removes it with all that is in it. */
void scratch_remove(const char *folder);

#endif
