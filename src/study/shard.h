/* Joining the shards of a sweep: folders that hold some of the cells each, wherever they were run. */
#ifndef ORR_STUDY_SHARD_H
#define ORR_STUDY_SHARD_H

#include "study/cells.h"
#include "study/grid.h"

/* Checks that all folders are of one plan and together hold every cell, and puts these into `dir` (NULL: a temporary
 * file). What comes out is what one unsharded run writes. ORR_E_NOT_COMPARABLE names plans that differ, cells that
 * are missing, cells that two folders tell differently; a folder that can't be read is ORR_E_OPEN. On success *plan
 * and *cells are the caller's. `force`: `dir` needn't be empty. */
orr_err orr_shards_merge(const char *const *dirs, size_t n, const char *dir, bool force, orr_sweep_plan **plan,
                         orr_cells **cells, orr_error *e);

/* "I/N" with 1 <= I <= N; ORR_E_BAD_VALUE. */
orr_err orr_shard_parse(const char *text, size_t *shard, size_t *shards, orr_error *e);

#endif
