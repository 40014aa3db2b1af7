/* A record or the header as bytes, both ways. Private to this folder. */
#ifndef ORR_LOG_RECORD_H
#define ORR_LOG_RECORD_H

#include "log/code.h"
#include "log/log.h"

/* What the next record's time and job are told against; zeroed where a frame begins. */
typedef struct orr_log_state {
    orr_time at;
    uint32_t job;
    uint32_t version; /* of what is read */
} orr_log_state;

/* The checksum of a frame: CRC-32 over its sizes and its packed bytes, so that no bit of the file can change unseen. */
uint32_t orr_log_sum(uint32_t packed, uint32_t size, const void *bytes);

void orr_log_put(orr_text *out, orr_log_state *state, const orr_log_record *record);
/* False: no record. What `record` points to is in `arena` or in `request`. */
bool orr_log_take(orr_packed *in, orr_log_state *state, orr_arena *arena, orr_log_request *request,
                  orr_log_record *record);

void orr_log_put_header(orr_text *out, const orr_log_header *header);
bool orr_log_take_header(orr_packed *in, uint32_t version, orr_arena *arena, orr_log_header *header);

#endif
