/* What things cost an hour, by type, as step functions of time; and what they cost over an interval, exactly.
 *
 * Money is kept in millionths: a price is a whole number of them an hour, and an integral one of millionths of an
 * hour's price times ns. A type costs its first price from the beginning of time on. Types without prices of their own
 * cost what the type "" costs.
 */
#ifndef ORR_MODEL_PRICE_H
#define ORR_MODEL_PRICE_H

#include "base/assert.h"

#include <orrery/time.h>

typedef struct orr_prices orr_prices;

orr_prices *orr_prices_create(void);
void orr_prices_destroy(orr_prices *prices); /* takes NULL */
/* From `at` on; in any order. Of two at one time the later call counts. */
void orr_prices_add(orr_prices *prices, const char *type, orr_time at, double price);
/* To be called once all are there. */
void orr_prices_finish(orr_prices *prices);
/* The number of the type, or of "" where it has no prices; -1: neither has. O(types). */
int32_t orr_prices_type(const orr_prices *prices, const char *type);
/* The number of the type itself; -1: it has no prices. */
int32_t orr_prices_own(const orr_prices *prices, const char *type);
double orr_prices_at(const orr_prices *prices, int32_t type, orr_time at); /* O(log changes) */
/* Of one piece over [from, to): millionths x ns / hour. O(log changes). */
orr_wide orr_prices_over(const orr_prices *prices, int32_t type, orr_time from, orr_time to);
/* The money that an integral is. */
double orr_money(orr_wide integral);

#endif
