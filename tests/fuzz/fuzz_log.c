/* Bytes as an event log: read to its end, and proved. Mostly they are damaged; then what a frame holds is tried
 * without its packing: the first byte tells which. What can be read must not lead the verifier astray, whatever it
 * says of it. */
#include "log/record.h"
#include "verify/verify.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Small clusters and traces: the verifier's memory is theirs. */
static bool is_small(const orr_log_header *h)
{
    return orr_log_node_count(h) <= 1000 && h->jobs <= 100000;
}

static void prove(const void *data, size_t size)
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    orr_log *log = orr_log_memory("fuzz", data, size, &e);
    must((log == NULL) == (e.code != ORR_OK));
    if (log && is_small(orr_log_header_of(log))) {
        const orr_err err = orr_verify_log(log, NULL, &v, &e);
        must(err == e.code && (!v.cut.code || orr_log_is_cut(log)));
        must(v.findings.n <= 20 * 26);
    }
    orr_verification_fini(&v);
    orr_log_close(log);
}

/* A header, then records, packed as a writer would. */
static void prove_unpacked(const uint8_t *data, size_t size)
{
    orr_arena arena = {0};
    orr_log_header header;
    const size_t first = size < 2 ? size : data[0] | (size_t)data[1] << 8;
    orr_packed in = {data + (size < 2 ? size : 2), data + size, false};
    in.end = first < (size_t)(in.end - in.at) ? in.at + first : in.end;
    const uint8_t *rest = in.end;
    if (!orr_log_take_header(&in, ORR_LOG_VERSION, &arena, &header) || !is_small(&header)) {
        orr_arena_fini(&arena);
        return;
    }
    orr_log_writer *w = orr_log_writer_create(NULL, NULL);
    orr_log_write_header(w, &header);
    orr_log_state state = {.version = ORR_LOG_VERSION};
    orr_log_request request;
    orr_log_record r;
    in = (orr_packed){rest, data + size, false};
    while (in.at < in.end && orr_log_take(&in, &state, &arena, &request, &r))
        orr_log_write(w, &r);
    orr_text packed = orr_log_writer_take(w);
    prove(packed.at, packed.n);
    orr_text_fini(&packed);
    orr_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 16)
        return 0;
    if (size && data[0] == 'O')
        prove(data, size);
    else if (size)
        prove_unpacked(data + 1, size - 1);
    return 0;
}
