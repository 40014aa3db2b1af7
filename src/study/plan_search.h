/* Which sizes of a cluster to try in order to find the smallest that will do, told only which of those tried did.
 *
 * Sizes are tried in rounds, so that those of a round can be tried side by side: doubled from the least until one does,
 * then the gap below it in five parts again and again, as if whatever is enough stayed enough. Schedules don't promise
 * that, so the neighbours of what was found are tried, too; if a smaller one does, the search goes on below it. Which
 * sizes are tried depends on the answers alone.
 */
#ifndef ORR_STUDY_PLAN_SEARCH_H
#define ORR_STUDY_PLAN_SEARCH_H

#include <orrery/api.h>

typedef struct orr_plan_range {
    int64_t low, high; /* 1 <= low <= high */
    int64_t check;     /* neighbours to try on either side of what was found */
    bool all;          /* try every size from low to high instead */
} orr_plan_range;

typedef struct orr_plan_try {
    int64_t size;
    bool met;
} orr_plan_try;

typedef struct orr_plan_search orr_plan_search;
orr_plan_search *orr_plan_search_create(orr_plan_range range);
void orr_plan_search_destroy(orr_plan_search *search); /* takes NULL */

/* The sizes of the next round, ascending and never tried before; *n is 0 when the search is over. All of them are to be
 * told before the next call. Borrowed until then. */
const int64_t *orr_plan_search_next(orr_plan_search *search, size_t *n);
void orr_plan_search_tell(orr_plan_search *search, int64_t size, bool met);

/* The least size tried that does; 0: none. */
int64_t orr_plan_search_found(const orr_plan_search *search);
/* The least size from which on all sizes tried do; 0: none. Greater than what was found where more isn't always
 * enough. */
int64_t orr_plan_search_steady(const orr_plan_search *search);
/* All sizes tried, ascending. */
const orr_plan_try *orr_plan_search_tried(const orr_plan_search *search, size_t *n);

#endif
