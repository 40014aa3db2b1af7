/* Inputs: plain, gzip and zstd, whole and damaged; lines and their ends; what can't be opened. */
#define _POSIX_C_SOURCE 200809L
#include "base/io.h"

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- making inputs ---- */

typedef struct orr_text bytes;

static void add_gzip(bytes *to, const char *data, size_t n)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, n);
    unsigned char *out = orr_xmalloc(room);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    orr_text_add(to, (char *)out, room - z.avail_out);
    deflateEnd(&z);
    free(out);
}

static void add_zstd(bytes *to, const char *data, size_t n)
{
    size_t room = ZSTD_compressBound(n);
    char *out = orr_xmalloc(room);
    size_t used = ZSTD_compress(out, room, data, n, 3);
    assert_false(ZSTD_isError(used));
    orr_text_add(to, out, used);
    free(out);
}

typedef void add_packed(bytes *to, const char *data, size_t n);
static add_packed *const packers[] = {orr_text_add, add_gzip, add_zstd};

/* Text that doesn't compress to nothing, so that it spans many buffers of the reader. */
static bytes noise(size_t n)
{
    bytes text = {0};
    for (uint64_t i = 0; text.n < n; i++)
        orr_text_addf(&text, "%llx\n", (unsigned long long)orr_mix64(i));
    return text;
}

static orr_input *input_of(const bytes *data)
{
    return orr_input_memory("jobs.csv", data->at, data->n);
}

static void check_digest(const orr_input *in, const char *data, size_t n)
{
    char got[65], expected[65];
    orr_sha256 s;
    orr_sha256_init(&s);
    orr_sha256_add(&s, data, n);
    orr_sha256_hex(&s, expected);
    orr_input_digest(in, got);
    assert_string_equal(got, expected);
}

/* ---- formats ---- */

static void check_all(const bytes *packed, const char *data, size_t n)
{
    orr_error e = {0};
    orr_input *in = input_of(packed);
    char *got = NULL;
    size_t size = 0;
    assert_int_equal(orr_input_all(in, &got, &size, &e), ORR_OK);
    assert_int_equal(size, n);
    assert_memory_equal(got, data, n);
    assert_int_equal(got[n], 0);
    check_digest(in, data, n);
    free(got);
    orr_input_close(in);
}

static void every_format_gives_the_same_bytes_and_digest(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 3, 4, 5, 65535, 65536, 65537, 1000000};
    bytes data = noise(1000000);
    for (size_t i = 0; i < COUNT(packers); i++)
        for (size_t k = 0; k < COUNT(sizes); k++) {
            bytes packed = {0};
            packers[i](&packed, data.at, sizes[k]);
            check_all(&packed, data.at, sizes[k]);
            orr_text_fini(&packed);
        }
    orr_text_fini(&data);
}

static void members_and_frames_are_joined(void **state)
{
    (void)state;
    bytes data = noise(300000);
    for (size_t i = 1; i < COUNT(packers); i++) {
        bytes packed = {0};
        packers[i](&packed, data.at, 100);
        packers[i](&packed, data.at + 100, 0);
        packers[i](&packed, data.at + 100, 150000);
        packers[i](&packed, data.at + 150100, data.n - 150100);
        check_all(&packed, data.at, data.n);
        orr_text_fini(&packed);
    }
    orr_text_fini(&data);
}

static void zeros_behind_gzip_are_padding(void **state)
{
    (void)state;
    bytes packed = {0};
    add_gzip(&packed, "one\n", 4);
    orr_text_add(&packed, "\0\0\0", 3);
    check_all(&packed, "one\n", 4);
    add_gzip(&packed, "two\n", 4);
    check_all(&packed, "one\ntwo\n", 8);
    orr_text_fini(&packed);
}

static void a_skippable_frame_may_come_first(void **state)
{
    (void)state;
    bytes packed = {0};
    orr_text_add(&packed, "\x50\x2a\x4d\x18\x02\0\0\0hi", 10);
    add_zstd(&packed, "one\n", 4);
    check_all(&packed, "one\n", 4);
    orr_text_fini(&packed);
}

static orr_err read_to_the_end(orr_input *in, orr_error *e)
{
    char buf[4096];
    size_t got = 1;
    orr_err err = ORR_OK;
    while (!err && got)
        err = orr_input_read(in, buf, sizeof buf, &got, e);
    return err;
}

static void check_refused(const char *data, size_t n, const char *message)
{
    orr_error e = {0};
    orr_input *in = orr_input_memory("jobs.csv.x", data, n);
    assert_int_equal(read_to_the_end(in, &e), ORR_E_TRUNCATED);
    assert_string_equal(e.file, "jobs.csv.x");
    assert_non_null(strstr(e.message, message));
    assert_true(e.hint[0] != '\0');
    orr_error again = {0}; /* a failure stays */
    char *line;
    size_t length;
    assert_int_equal(orr_input_line(in, &line, &length, &again), ORR_E_TRUNCATED);
    assert_string_equal(again.message, e.message);
    orr_input_close(in);
}

/* Cut anywhere behind the magic bytes, a compressed input is never taken for a whole one. */
static void a_cut_input_is_refused_wherever_it_is_cut(void **state)
{
    (void)state;
    bytes data = noise(400);
    for (size_t i = 1; i < COUNT(packers); i++) {
        bytes packed = {0};
        packers[i](&packed, data.at, data.n);
        for (size_t n = 4; n < packed.n; n++)
            check_refused(packed.at, n, "too early");
        size_t first = packed.n;
        packers[i](&packed, data.at, data.n);
        for (size_t n = first + 4; n < packed.n; n += 17)
            check_refused(packed.at, n, "too early");
        orr_text_fini(&packed);
    }
    orr_text_fini(&data);
}

static void a_damaged_input_is_refused(void **state)
{
    (void)state;
    bytes data = noise(100000), packed = {0};
    add_gzip(&packed, data.at, data.n);
    packed.at[packed.n - 8] ^= 1; /* the checksum */
    check_refused(packed.at, packed.n, "damaged");
    orr_text_clear(&packed);
    add_zstd(&packed, data.at, data.n);
    packed.at[4] ^= 0x08; /* a reserved bit of the frame's header */
    check_refused(packed.at, packed.n, "damaged");
    orr_text_fini(&packed);
    orr_text_fini(&data);
}

static void anything_else_behind_the_end_is_damage(void **state)
{
    (void)state;
    for (size_t i = 1; i < COUNT(packers); i++) {
        bytes packed = {0};
        packers[i](&packed, "one\n", 4);
        orr_text_add(&packed, "job_id,user,vc\n", 15);
        check_refused(packed.at, packed.n, "damaged");
        orr_text_fini(&packed);
    }
}

/* ---- bytes ---- */

static void peeking_consumes_nothing(void **state)
{
    (void)state;
    bytes data = noise(200000);
    orr_input *in = input_of(&data);
    const char *seen;
    size_t got;
    assert_int_equal(orr_input_peek(in, 10, &seen, &got, NULL), ORR_OK);
    assert_int_equal(got, 10);
    assert_memory_equal(seen, data.at, 10);
    assert_int_equal(orr_input_peek(in, 1 << 20, &seen, &got, NULL), ORR_OK);
    assert_int_equal(got, 65536);
    assert_memory_equal(seen, data.at, 65536);
    check_digest(in, "", 0);
    char *all;
    assert_int_equal(orr_input_all(in, &all, &got, NULL), ORR_OK);
    assert_int_equal(got, data.n);
    assert_memory_equal(all, data.at, data.n);
    assert_int_equal(orr_input_peek(in, 10, &seen, &got, NULL), ORR_OK);
    assert_int_equal(got, 0);
    free(all);
    orr_input_close(in);
    orr_text_fini(&data);
}

static void reads_are_short_only_at_the_end(void **state)
{
    (void)state;
    bytes data = noise(300000);
    orr_input *in = input_of(&data);
    char *buf = orr_xmalloc(100001);
    size_t done = 0, got;
    do {
        assert_int_equal(orr_input_read(in, buf, 100001, &got, NULL), ORR_OK);
        assert_memory_equal(buf, data.at + done, got);
        done += got;
        assert_true(got == 100001 || done == data.n);
    } while (got);
    check_digest(in, data.at, data.n);
    free(buf);
    orr_input_close(in);
    orr_text_fini(&data);
}

/* ---- lines ---- */

static void lines_lose_their_ends(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t n;
        const char *lines[5];
    } rows[] = {
        {"", 0, {NULL}},
        {"\n", 1, {""}},
        {"a\nb\n", 4, {"a", "b"}},
        {"a\nb", 3, {"a", "b"}},
        {"a\r\nb\r\n", 6, {"a", "b"}},
        {"a\n\nb\n", 5, {"a", "", "b"}},
        {"a\r\n\r\n", 5, {"a", ""}},
        {"a\r", 2, {"a"}},
        {"\r", 1, {""}},
        {"a\rb\nc", 5, {"a\rb", "c"}}, /* a lone CR inside is a byte like others */
        {"a\r\r\n", 4, {"a\r"}},
        {"\xef\xbb\xbf"
         "a\nb\n",
         7,
         {"a", "b"}},
        {"\xef\xbb\xbf", 3, {NULL}},
        {"a\n\xef\xbb\xbf"
         "b\n",
         7,
         {"a", "\xef\xbb\xbf"
               "b"}}, /* a mark only at the very beginning */
        {"\xef\xbb", 2, {"\xef\xbb"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        orr_input *in = orr_input_memory("x", rows[i].text, rows[i].n);
        for (uint32_t k = 0; k < 5; k++) {
            char *line;
            size_t length;
            assert_int_equal(orr_input_line(in, &line, &length, NULL), ORR_OK);
            if (!rows[i].lines[k]) {
                assert_null(line);
                break;
            }
            assert_string_equal(line, rows[i].lines[k]);
            assert_int_equal(length, strlen(line));
            assert_int_equal(orr_input_line_number(in), k + 1);
        }
        check_digest(in, rows[i].text, rows[i].n);
        orr_input_close(in);
    }
}

/* Lines of all lengths meet the borders of the reader's buffers at all places; changing one in place
 * changes no digest. */
static void lines_across_buffers(void **state)
{
    (void)state;
    bytes data = {0}, packed = {0};
    for (int i = 0; i < 3000; i++)
        orr_text_addf(&data, "%0*d\r\n", i + 1, i);
    add_zstd(&packed, data.at, data.n);
    orr_input *in = input_of(&packed);
    char *line;
    size_t length;
    for (int i = 0; i < 3000; i++) {
        assert_int_equal(orr_input_line(in, &line, &length, NULL), ORR_OK);
        assert_int_equal(length, i + 1 > 3 ? i + 1 : snprintf(NULL, 0, "%0*d", i + 1, i));
        assert_int_equal(atoi(line), i);
        memset(line, 'x', length);
    }
    assert_int_equal(orr_input_line(in, &line, &length, NULL), ORR_OK);
    assert_null(line);
    check_digest(in, data.at, data.n);
    orr_input_close(in);
    orr_text_fini(&data);
    orr_text_fini(&packed);
}

static void lines_and_bytes_mix(void **state)
{
    (void)state;
    orr_input *in = orr_input_memory("x", "head\nabcrest\n", 13);
    char *line, buf[3];
    size_t length, got;
    orr_input_line(in, &line, &length, NULL);
    assert_string_equal(line, "head");
    orr_input_read(in, buf, 3, &got, NULL);
    assert_memory_equal(buf, "abc", 3);
    orr_input_line(in, &line, &length, NULL);
    assert_string_equal(line, "rest");
    orr_input_close(in);
}

static void a_nul_byte_is_refused_with_its_line(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_input *in = orr_input_memory("jobs.csv", "a\nb\0c\n", 6);
    char *line;
    size_t length;
    assert_int_equal(orr_input_line(in, &line, &length, &e), ORR_OK);
    assert_int_equal(orr_input_line(in, &line, &length, &e), ORR_E_ENCODING);
    assert_string_equal(e.file, "jobs.csv");
    assert_int_equal(e.line, 2);
    orr_input_close(in);
}

static void lines_up_to_16_mib(void **state)
{
    (void)state;
    enum { MOST = 16 << 20 };
    char *data = orr_xmalloc(MOST + 1), *line;
    size_t length;
    orr_error e = {0};
    memset(data, 'a', MOST + 1);
    data[MOST - 1] = '\n';
    orr_input *in = orr_input_memory("x", data, MOST);
    assert_int_equal(orr_input_line(in, &line, &length, &e), ORR_OK);
    assert_int_equal(length, MOST - 1);
    orr_input_close(in);
    data[MOST - 1] = 'a';
    in = orr_input_memory("x", data, MOST + 1);
    assert_int_equal(orr_input_line(in, &line, &length, &e), ORR_E_FORMAT);
    assert_int_equal(e.line, 1);
    orr_input_close(in);
    free(data);
}

/* ---- files ---- */

typedef struct place {
    char folder[64], path[128];
} place;

static place create_place(void)
{
    place p;
    snprintf(p.folder, sizeof p.folder, "/tmp/orrery-test-XXXXXX");
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/workload.csv", p.folder);
    return p;
}

static void put_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    fclose(f);
}

static void a_file_is_read_and_named(void **state)
{
    (void)state;
    place p = create_place();
    bytes data = noise(500000), packed = {0};
    add_gzip(&packed, data.at, data.n);
    put_file(p.path, packed.at, packed.n); /* not named .gz: the bytes say it */
    orr_error e = {0};
    orr_input *in = orr_input_open(p.path, &e);
    assert_non_null(in);
    assert_string_equal(orr_input_name(in), p.path);
    assert_int_equal(read_to_the_end(in, &e), ORR_OK);
    check_digest(in, data.at, data.n);
    orr_input_close(in);
    unlink(p.path);
    rmdir(p.folder);
    orr_text_fini(&data);
    orr_text_fini(&packed);
}

static void a_missing_file_suggests_its_neighbour(void **state)
{
    (void)state;
    place p = create_place();
    put_file(p.path, "x", 1);
    char wrong[160], hint[200];
    snprintf(wrong, sizeof wrong, "%s/worklaod.csv", p.folder);
    snprintf(hint, sizeof hint, "did you mean %s?", p.path);
    orr_error e = {0};
    assert_null(orr_input_open(wrong, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_string_equal(e.file, wrong);
    assert_non_null(strstr(e.message, "No such file"));
    assert_string_equal(e.hint, hint);
    assert_null(orr_input_open(wrong, NULL));
    unlink(p.path);
    rmdir(p.folder);
}

static void a_folder_is_no_input(void **state)
{
    (void)state;
    orr_error e = {0};
    assert_null(orr_input_open("/tmp", &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_non_null(strstr(e.message, "directory"));
    memset(&e, 0, sizeof e);
    assert_null(orr_input_open("/nowhere/at/all.csv", &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    assert_true(e.hint[0] != '\0');
}

/* A pipe hands over its bytes a few at a time, even the magic ones. */
static void standard_input_in_small_pieces(void **state)
{
    (void)state;
    bytes packed = {0};
    add_zstd(&packed, "one\ntwo\n", 8);
    int ends[2], saved = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    if (fork() == 0) {
        close(ends[0]);
        for (size_t i = 0; i < packed.n; i++) {
            if (write(ends[1], packed.at + i, 1) != 1)
                _exit(1);
            nanosleep(&(struct timespec){0, 1000000}, NULL);
        }
        _exit(0);
    }
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    orr_input *in = orr_input_open("-", NULL);
    assert_non_null(in);
    assert_int_equal(read_to_the_end(in, NULL), ORR_OK);
    check_digest(in, "one\ntwo\n", 8);
    orr_input_close(in);
    assert_true(dup2(saved, STDIN_FILENO) == STDIN_FILENO); /* it was left open */
    close(saved);
    close(ends[0]);
    orr_text_fini(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_the_same_bytes_and_digest),
        cmocka_unit_test(members_and_frames_are_joined),
        cmocka_unit_test(zeros_behind_gzip_are_padding),
        cmocka_unit_test(a_skippable_frame_may_come_first),
        cmocka_unit_test(a_cut_input_is_refused_wherever_it_is_cut),
        cmocka_unit_test(a_damaged_input_is_refused),
        cmocka_unit_test(anything_else_behind_the_end_is_damage),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(reads_are_short_only_at_the_end),
        cmocka_unit_test(lines_lose_their_ends),
        cmocka_unit_test(lines_across_buffers),
        cmocka_unit_test(lines_and_bytes_mix),
        cmocka_unit_test(a_nul_byte_is_refused_with_its_line),
        cmocka_unit_test(lines_up_to_16_mib),
        cmocka_unit_test(a_file_is_read_and_named),
        cmocka_unit_test(a_missing_file_suggests_its_neighbour),
        cmocka_unit_test(a_folder_is_no_input),
        cmocka_unit_test(standard_input_in_small_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
