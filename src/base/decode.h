/* The bytes of an input as they come, decompressed: gzip (any number of members) and zstd (any number of frames) are
 * known by their magic bytes, anything else passes unchanged. Private to input.c.
 */
#ifndef ORR_BASE_DECODE_H
#define ORR_BASE_DECODE_H

#include <orrery/error.h>

typedef struct orr_decoder orr_decoder;
/* Takes over the descriptor; it's closed by `destroy` unless it is 0 (stdin). */
orr_decoder *orr_decoder_of_file(int descriptor);
/* Borrows `data`. */
orr_decoder *orr_decoder_of_memory(const void *data, size_t size);
void orr_decoder_destroy(orr_decoder *d);
/* Some bytes, at least one and at most `room` (> 0); *got is 0 at the end. ORR_E_TRUNCATED for what is damaged or cut,
 * ORR_E_OPEN if the system can't read; neither names the file. */
orr_err orr_decoder_read(orr_decoder *d, void *buf, size_t room, size_t *got, orr_error *e);

#endif
