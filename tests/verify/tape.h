/* A log taken apart into records that can be changed, and put together again. */
#ifndef TESTS_VERIFY_TAPE_H
#define TESTS_VERIFY_TAPE_H

#include "verify/verify.h"

typedef struct tape {
    orr_log_header header;
    orr_log_nodes *nodes; /* the header's, to be changed */
    orr_log_record *at;   /* each with its own request, slices, texts */
    size_t n;
    orr_arena arena;
} tape;

tape *tape_of(const orr_text *bytes);
void tape_free(tape *t);
orr_text tape_bytes(const tape *t);
/* The result is to be finished. Fails the test if the log can't be read. */
orr_verification tape_verify(const tape *t);
/* Did it find this rule broken? */
bool tape_breaks(const orr_verification *v, const char *rule);

/* The n-th record (from 0) of this kind of the job with this id, fails the test if there is none; NULL id: of any. */
orr_log_record *tape_find(tape *t, orr_log_kind kind, const char *id, size_t n);
uint32_t tape_job(const tape *t, const char *id);
void tape_drop(tape *t, const orr_log_record *r);
void tape_insert(tape *t, size_t at, orr_log_record r); /* room for a few more is there */
orr_log_slice *tape_slice(orr_log_record *r, int32_t i);
orr_log_request *tape_request(tape *t, const char *id);

#endif
