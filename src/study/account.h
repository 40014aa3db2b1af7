/* What a policy itself says about a job that waits, which no log holds: the case is run again up to the last moment
 * that was asked for, and the policy is asked on the way.
 */
#ifndef ORR_STUDY_ACCOUNT_H
#define ORR_STUDY_ACCOUNT_H

#include "study/case.h"

/* One wait of the job, [from, to), and what the policy said: after its first decision in it, and after one of its
 * last. */
typedef struct orr_account {
    orr_time from, to;
    char first[256], last[256]; /* "": it was not asked, or had nothing to say */
} orr_account;

/* Fills the texts of `n` waits, which are in order. Errors are those of running the case; one that ends the run later
 * than the waits is none. */
orr_err orr_account_ask(const orr_case *c, orr_stock *stock, const char *job, orr_account *waits, size_t n,
                        orr_error *e);

#endif
