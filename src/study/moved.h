/* Which jobs moved since a baseline was made, and where the two runs parted. Numbers can't tell that, so a baseline
 * that wants it names a folder of reference logs: the event log of each run, written when its expectations are.
 *
 * Runs are deterministic, so the log of today's run is made only for the cases that differ, by running them again.
 */
#ifndef ORR_STUDY_MOVED_H
#define ORR_STUDY_MOVED_H

#include "study/check.h"

/* NAME.orrlog, or NAME-seed2.orrlog where the case has several seeds; letters that don't suit a file are replaced. */
void orr_reference_name(const orr_baseline_case *c, size_t seed, orr_text *out);
/* Runs the selected cases once more and keeps their logs in the baseline's reference folder, which is made if it isn't
 * there. Nothing where the baseline has none. */
orr_err orr_reference_write(const orr_check *c, const orr_check_options *options, orr_error *e);
/* Fills `moved` of each case with a number that isn't the same, a row a seed whose numbers differ, with the `most` jobs
 * that moved farthest. What can't be told says why in its row. Today's logs are written into `scratch` and removed.
 * O(records) time, O(jobs) memory. */
orr_err orr_moved_find(orr_check *c, const orr_check_options *options, size_t most, const char *scratch, orr_error *e);

/* One pair of logs of the same jobs. */
orr_err orr_moved_compare(const char *reference, const char *now, size_t most, orr_moved *out, orr_error *e);
void orr_moved_fini(orr_moved *moved);

#endif
