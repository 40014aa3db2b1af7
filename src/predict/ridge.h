/* Ridge regression of log(1 + seconds) on hashed one-hot features: see <orrery/history.h>.
 *
 * With x the features of a job (1 in a few buckets, and 1 for the intercept), the normal equations are
 *     (sum of x x' + lambda I) w = sum of y x
 * A finished job adds to a few places of the sums; the weights come from a Cholesky decomposition when they are due.
 * The intercept costs nothing.
 */
#ifndef ORR_PREDICT_RIDGE_H
#define ORR_PREDICT_RIDGE_H

#include "predict/sample.h"
#include <orrery/history.h>

struct ridge;
struct ridge *orr_ridge_create(const orr_ridge_rules *rules);
void orr_ridge_destroy(struct ridge *r);
/* `now`: the date on which it finished; dates don't go back. */
void orr_ridge_put(struct ridge *r, const orr_sample *job, orr_date now, double seconds);
bool orr_ridge_get(struct ridge *r, const orr_sample *job, orr_date now, double *seconds);
/* How often it was solved. */
uint64_t orr_ridge_solved(const struct ridge *r);

#endif
