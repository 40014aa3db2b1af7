/* Names, numbers in and out, comparison, suggestions, growable text, SHA-256. */
#include "base/text.h"

#include "base/mem.h"
#include "base/rng.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* ---- names ---- */

static void names_keep_one_copy_and_count_from_zero(void **state)
{
    (void)state;
    orr_names *names = orr_names_create();
    char text[16];
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(orr_names_id(names, text, (size_t)snprintf(text, sizeof text, "user-%u", i)), i);
    const char *kept = orr_names_text(names, 17);
    for (uint32_t i = 0; i < 5000; i++)
        assert_int_equal(orr_names_id(names, text, (size_t)snprintf(text, sizeof text, "user-%u", i)), i);
    assert_int_equal(orr_names_count(names), 5000);
    assert_string_equal(kept, "user-17");
    assert_ptr_equal(kept, orr_names_text(names, 17));
    orr_names_destroy(names);
    orr_names_destroy(NULL);
}

static void a_name_is_its_bytes(void **state)
{
    (void)state;
    orr_names *names = orr_names_create();
    assert_int_equal(orr_names_find(names, "a", 1), -1);
    assert_int_equal(orr_names_id(names, "abc", 2), 0);
    assert_int_equal(orr_names_id(names, "", 0), 1);
    assert_int_equal(orr_names_id(names, "a\0b", 3), 2);
    assert_string_equal(orr_names_text(names, 0), "ab");
    assert_int_equal(orr_names_find(names, "ab", 2), 0);
    assert_int_equal(orr_names_find(names, "", 0), 1);
    assert_int_equal(orr_names_find(names, "a\0b", 3), 2);
    assert_int_equal(orr_names_find(names, "a\0c", 3), -1);
    assert_int_equal(orr_names_find(names, "abc", 3), -1);
    orr_names_destroy(names);
}

/* ---- numbers in ---- */

static void integers_are_whole_fields_that_fit(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool ok;
        int64_t expected;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"-12", true, -12},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {"1 ", false, 0},
        {"1.0", false, 0},
        {"0x1", false, 0},
        {"one", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t v = 77;
        bool ok = orr_parse_i64(rows[i].text, strlen(rows[i].text), &v);
        if (ok != rows[i].ok || v != (ok ? rows[i].expected : 77))
            fail_msg("\"%s\": %d, %lld", rows[i].text, ok, (long long)v);
    }
}

static void unsigned_integers(void **state)
{
    (void)state;
    uint64_t v = 0;
    assert_true(orr_parse_u64("18446744073709551615", 20, &v));
    assert_true(v == UINT64_MAX);
    assert_false(orr_parse_u64("18446744073709551616", 20, &v));
    assert_false(orr_parse_u64("-1", 2, &v));
    assert_true(orr_parse_u64("12,34", 2, &v));
    assert_true(v == 12);
}

static void doubles_are_decimal_and_finite(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool ok;
        double expected;
    } rows[] = {
        {"0.1", true, 0.1},
        {"-0.1", true, -0.1},
        {".5", true, 0.5},
        {"5.", true, 5},
        {"1e3", true, 1000},
        {"1E+3", true, 1000},
        {"123456789012345678", true, 123456789012345678.0},
        {"9007199254740993", true, 9007199254740992.0},
        {"9007199254740993.0000000000000000000001", true, 9007199254740994.0},
        {"2.2250738585072011e-308", true, 2.2250738585072011e-308},
        {"5e-324", true, 5e-324},
        {"1e-400", true, 0},
        {"1.7976931348623157e308", true, DBL_MAX},
        {"1.7976931348623159e308", false, 0},
        {"1e309", false, 0},
        {"1e99999999999999999999", false, 0},
        {"0e99999999999999999999", true, 0},
        {"8.5e22", true, 8.5e22},
        {"", false, 0},
        {".", false, 0},
        {"-", false, 0},
        {"e5", false, 0},
        {"1e", false, 0},
        {"1e+", false, 0},
        {"1,5", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"+1", false, 0},
        {"0x1p3", false, 0},
        {"inf", false, 0},
        {"nan", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double v = 77;
        bool ok = orr_parse_double(rows[i].text, strlen(rows[i].text), &v);
        if (ok != rows[i].ok || v != (ok ? rows[i].expected : 77))
            fail_msg("\"%s\": %d, %.17g", rows[i].text, ok, v);
    }
}

/* 1 + 2^-53 lies halfway between 1 and its successor: exactly so it rounds down to even, one digit more and it rounds
 * up, even where that digit is the thousandth. */
static void the_last_digit_of_a_long_number_counts(void **state)
{
    (void)state;
    const char *half = "1.00000000000000011102230246251565404236316680908203125";
    double v = 0;
    assert_true(orr_parse_double(half, strlen(half), &v));
    assert_true(v == 1.0);
    orr_text text = {0};
    orr_text_add(&text, half, strlen(half));
    for (int i = 0; i < 2000; i++)
        orr_text_add(&text, "0", 1);
    assert_true(orr_parse_double(text.at, text.n, &v));
    assert_true(v == 1.0);
    orr_text_add(&text, "1", 1);
    assert_true(orr_parse_double(text.at, text.n, &v));
    assert_true(v == 1.0 + DBL_EPSILON);
    orr_text_fini(&text);
}

static void sizes_in_bytes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool ok;
        int64_t expected;
    } rows[] = {
        {"0", true, 0},
        {"512", true, 512},
        {"512B", true, 512},
        {"16GiB", true, INT64_C(16) << 30},
        {"25GB", true, INT64_C(25000000000)},
        {"512MiB", true, INT64_C(512) << 20},
        {"1.5KiB", true, 1536},
        {"1e3kB", true, 1000000},
        {"0.1TB", true, INT64_C(100000000000)},
        {"8191PiB", true, INT64_C(8191) << 50},
        {"8192PiB", false, 0},
        {"-1GiB", false, 0},
        {"GiB", false, 0},
        {"1 GiB", false, 0},
        {"1G", false, 0},
        {"1Gb", false, 0},
        {"1gib", false, 0},
        {"1GB/s", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t v = 77;
        bool ok = orr_parse_bytes(rows[i].text, &v);
        if (ok != rows[i].ok || v != (ok ? rows[i].expected : 77))
            fail_msg("\"%s\": %d, %lld", rows[i].text, ok, (long long)v);
    }
}

static void bandwidths(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool ok;
        int64_t expected;
    } rows[] = {
        {"12GB/s", true, INT64_C(12000000000)},
        {"100Gb/s", true, INT64_C(12500000000)},
        {"20.6GB/s", true, INT64_C(20600000000)},
        {"1.6Tb/s", true, INT64_C(200000000000)},
        {"5", true, 5},
        {"0", true, 0},
        {"12GB", false, 0},
        {"12GiB/s", false, 0},
        {"12 GB/s", false, 0},
        {"-1GB/s", false, 0},
        {"100Gbps", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        int64_t v = 77;
        bool ok = orr_parse_bandwidth(rows[i].text, &v);
        if (ok != rows[i].ok || v != (ok ? rows[i].expected : 77))
            fail_msg("\"%s\": %d, %lld", rows[i].text, ok, (long long)v);
    }
}

static void switches(void **state)
{
    (void)state;
    const char *on[] = {"on", "yes", "true", "1", "True", "YES"}, *off[] = {"off", "no", "false", "0", "Off"};
    const char *neither[] = {"", "o", "onn", "2", "y", "01", "on "};
    bool v = false;
    for (size_t i = 0; i < COUNT(on); i++)
        assert_true(orr_parse_bool(on[i], &v) && v);
    for (size_t i = 0; i < COUNT(off); i++)
        assert_true(orr_parse_bool(off[i], &v) && !v);
    for (size_t i = 0; i < COUNT(neither); i++)
        assert_false(orr_parse_bool(neither[i], &v));
}

/* ---- numbers out ---- */

static void doubles_in_the_shortest_form(void **state)
{
    (void)state;
    const struct {
        double v;
        const char *expected;
    } rows[] = {
        {0, "0"},
        {-0.0, "-0"},
        {3, "3"},
        {-17, "-17"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {100, "100"},
        {999999999999999, "999999999999999"},
        {1e15, "1e+15"},
        {1234567890123456, "1234567890123456"},
        {1e30, "1e+30"},
        {1.5e-7, "1.5e-07"},
        {5e-324, "5e-324"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char buf[ORR_DOUBLE_BUF];
        int n = orr_format_double(rows[i].v, buf);
        assert_string_equal(buf, rows[i].expected);
        assert_int_equal(n, (int)strlen(buf));
    }
}

static void every_double_reads_back(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t bits = orr_mix64(i);
        double v, back = 0;
        memcpy(&v, &bits, sizeof v);
        if (i % 2)
            v = (double)(bits >> 40) / 1000; /* ordinary ones too */
        if (!isfinite(v))
            continue;
        char buf[ORR_DOUBLE_BUF];
        int n = orr_format_double(v, buf);
        assert_true(n < ORR_DOUBLE_BUF);
        if (!orr_parse_double(buf, (size_t)n, &back) || memcmp(&back, &v, sizeof v) != 0)
            fail_msg("%.17g became %s, then %.17g", v, buf, back);
    }
}

static void counts_are_grouped(void **state)
{
    (void)state;
    const struct {
        uint64_t v;
        const char *expected;
    } rows[] = {
        {0, "0"},
        {7, "7"},
        {999, "999"},
        {1000, "1,000"},
        {82247, "82,247"},
        {117325, "117,325"},
        {1000000, "1,000,000"},
        {UINT64_MAX, "18,446,744,073,709,551,615"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char buf[ORR_DOUBLE_BUF];
        assert_int_equal(orr_format_count(rows[i].v, buf), (int)strlen(rows[i].expected));
        assert_string_equal(buf, rows[i].expected);
    }
}

/* The library never sets a locale; a program that uses it may have set one with a decimal comma. */
static void the_locale_does_not_matter(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    doubles_in_the_shortest_form(state);
    doubles_are_decimal_and_finite(state);
    every_double_reads_back(state);
    counts_are_grouped(state);
    setlocale(LC_ALL, "C");
}

/* ---- comparison ---- */

/* In ascending order; every pair is compared both ways. */
static void ids_are_ordered_as_people_do(void **state)
{
    (void)state;
    const char *ascending[] = {
        "",
        "#1",
        "1",
        "01",
        "001",
        "1a",
        "2",
        "10",
        "99999999999999999999999999",
        "100000000000000000000000000",
        "J2",
        "job",
        "job-0",
        "job-00",
        "job-1",
        "job-1-2",
        "job-1-10",
        "job-01-10",
        "job-2",
        "job-10",
        "job-10a",
        "jobs",
        "x00y0",
        "x0y00",
        "x1y",
        "\xc3\xa9"
        "2",
        "\xc3\xa9"
        "10",
    };
    for (int i = 0; i < (int)COUNT(ascending); i++)
        for (int k = 0; k < (int)COUNT(ascending); k++) {
            int expected = (i > k) - (i < k);
            if (orr_natural_compare(ascending[i], ascending[k]) != expected)
                fail_msg("\"%s\" against \"%s\" isn't %d", ascending[i], ascending[k], expected);
        }
}

static const char *random_id(uint64_t seed, char buf[8])
{
    static const char letters[] = "00112a-";
    int n = (int)(orr_mix64(seed) % 7);
    for (int i = 0; i < n; i++)
        buf[i] = letters[orr_mix64(seed * 8 + (uint64_t)i) % (sizeof letters - 1)];
    buf[n] = '\0';
    return buf;
}

static void the_order_of_ids_is_total(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60000; i++) {
        char abuf[8], bbuf[8], cbuf[8];
        const char *a = random_id(3 * i, abuf), *b = random_id(3 * i + 1, bbuf), *c = random_id(3 * i + 2, cbuf);
        int ab = orr_natural_compare(a, b), bc = orr_natural_compare(b, c), ac = orr_natural_compare(a, c);
        assert_int_equal(ab, -orr_natural_compare(b, a));
        assert_int_equal(ab == 0, strcmp(a, b) == 0);
        if (ab <= 0 && bc <= 0 && ac > 0)
            fail_msg("\"%s\" <= \"%s\" <= \"%s\" and yet not", a, b, c);
    }
}

static void utf8(void **state)
{
    (void)state;
    const struct {
        const char *text;
        size_t n;
        bool valid;
    } rows[] = {
        {"", 0, true},
        {"job", 3, true},
        {"a\0b", 3, true},
        {"\xc3\xa9", 2, true},
        {"\xe2\x82\xac", 3, true},
        {"\xf0\x9f\x94\xad", 4, true},
        {"\xf4\x8f\xbf\xbf", 4, true},
        {"\xed\x9f\xbf", 3, true},
        {"\xc3", 1, false},     /* cut */
        {"\xc3(", 2, false},    /* no continuation */
        {"\xa9", 1, false},     /* only a continuation */
        {"\xc0\xaf", 2, false}, /* overlong */
        {"\xe0\x80\xaf", 3, false},
        {"\xf0\x80\x80\xaf", 4, false},
        {"\xed\xa0\x80", 3, false},     /* surrogate */
        {"\xf4\x90\x80\x80", 4, false}, /* past 10FFFF */
        {"\xf5\x80\x80\x80", 4, false},
        {"\xff", 1, false},
        {"Malm\xf6", 5, false}, /* Latin-1 */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (orr_utf8_valid(rows[i].text, rows[i].n) != rows[i].valid)
            fail_msg("row %zu", i);
}

static void edit_distances(void **state)
{
    (void)state;
    const struct {
        const char *a, *b;
        int expected;
    } rows[] = {
        {"", "", 0},        {"", "abc", 3},      {"abc", "", 3},           {"fifo", "fifo", 0},
        {"fifo", "fio", 1}, {"srtf", "srft", 2}, {"kitten", "sitting", 3}, {"tiresias", "tiresas", 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(orr_edit_distance(rows[i].a, rows[i].b), rows[i].expected);
        assert_int_equal(orr_edit_distance(rows[i].b, rows[i].a), rows[i].expected);
    }
}

static void suggestions(void **state)
{
    (void)state;
    const char *const names[] = {"fifo", "sjf", "srtf", "tiresias", "gpu-count", "consolidate", "consolidate-first"};
    const struct {
        const char *typed, *expected;
    } rows[] = {
        {"fio", "fifo"},
        {"FIFO", "fifo"},
        {"srft", "srtf"},
        {"tiresas", "tiresias"},
        {"tire", "tiresias"},
        {"gpu_cuont", "gpu-count"},
        {"consolidat", "consolidate"},
        {"consolidate-frist", "consolidate-first"},
        {"gittins", NULL},
        {"x", NULL},
        {"", NULL},
        {"an-option-that-is-very-far-from-everything-and-longer-than-any-name-we-have", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *got = orr_nearest(rows[i].typed, names, COUNT(names));
        if (got != rows[i].expected && (!got || !rows[i].expected || strcmp(got, rows[i].expected) != 0))
            fail_msg("\"%s\" suggests %s", rows[i].typed, got ? got : "nothing");
    }
    assert_null(orr_nearest("fifo", NULL, 0));
}

/* ---- growable text ---- */

static void text_grows(void **state)
{
    (void)state;
    orr_text t = {0};
    assert_null(t.at);
    orr_text_clear(&t);
    orr_text_add(&t, "", 0);
    assert_string_equal(t.at, "");
    for (int i = 0; i < 1000; i++)
        orr_text_addf(&t, "%03d,", i);
    assert_int_equal(t.n, 4000);
    assert_memory_equal(t.at + 3996, "999,", 5);
    orr_text_clear(&t);
    orr_text_add(&t, "a\0b", 3);
    assert_int_equal(t.n, 3);
    assert_memory_equal(t.at, "a\0b", 4);
    orr_text_fini(&t);
    assert_null(t.at);
}

/* ---- SHA-256: the examples of FIPS 180 ---- */

static void check_digest(const char *text, size_t n, size_t step, const char *expected)
{
    orr_sha256 s;
    char hex[65];
    orr_sha256_init(&s);
    for (size_t i = 0; i < n; i += step)
        orr_sha256_add(&s, text + i, n - i < step ? n - i : step);
    orr_sha256_hex(&s, hex);
    assert_string_equal(hex, expected);
}

static void known_digests(void **state)
{
    (void)state;
    const struct {
        const char *text, *expected;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
         "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t step = 1; step < 130; step += 13)
            check_digest(rows[i].text, strlen(rows[i].text), step, rows[i].expected);
}

static void the_digest_of_a_million_letters(void **state)
{
    (void)state;
    enum { N = 1000000 };
    char *text = orr_xmalloc(N);
    memset(text, 'a', N);
    const char *expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    check_digest(text, N, N, expected);
    check_digest(text, N, 1000, expected);
    check_digest(text, N, 63, expected);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_keep_one_copy_and_count_from_zero),
        cmocka_unit_test(a_name_is_its_bytes),
        cmocka_unit_test(integers_are_whole_fields_that_fit),
        cmocka_unit_test(unsigned_integers),
        cmocka_unit_test(doubles_are_decimal_and_finite),
        cmocka_unit_test(the_last_digit_of_a_long_number_counts),
        cmocka_unit_test(sizes_in_bytes),
        cmocka_unit_test(bandwidths),
        cmocka_unit_test(switches),
        cmocka_unit_test(doubles_in_the_shortest_form),
        cmocka_unit_test(every_double_reads_back),
        cmocka_unit_test(counts_are_grouped),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(ids_are_ordered_as_people_do),
        cmocka_unit_test(the_order_of_ids_is_total),
        cmocka_unit_test(utf8),
        cmocka_unit_test(edit_distances),
        cmocka_unit_test(suggestions),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(known_digests),
        cmocka_unit_test(the_digest_of_a_million_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
