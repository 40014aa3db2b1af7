/* Similarity of names: values of Python 3.11's difflib.SequenceMatcher(None, a, b).ratio(). */
#include "predict/similar.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static double similarity(const char *a, const char *b)
{
    orr_similar like;
    orr_similar_to(&like, b);
    double first = orr_similarity(&like, a);
    assert_true(orr_similarity(&like, a) == first); /* comparing leaves nothing behind */
    assert_true(orr_similarity_bound(&like, a) >= first && orr_similarity_bound(&like, a) <= 1);
    return first;
}

static void as_difflib(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        double matched; /* 2 M */
    } rows[] = {
        {"train_resnet50", "train_resnet101", 26}, /* "train_resnet", then the 0 */
        {"abcd", "bcde", 6},
        {"abxcd", "abcd", 8},
        {"job-37", "job-73", 10},
        {"hello world", "yellow worl", 18},
        {"private conversation", "private thread", 20},
        {"private thread", "private conversation", 18}, /* the order counts */
        {"xyabab", "abxyab", 8},
        {"bert_base_lr1e-4_seed0", "bert_base_lr3e-4_seed1", 40},
        {"gpt2", "eval-imagenet", 4},
        {"WIKIMEDIA", "WIKIMANIA", 14},
        {"aab", "ab", 4},
        {"aaab", "bacac", 4},
        {"aaba", "abbaa", 4},
        {"abbaa", "aaba", 6},
        {"a", "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double expected = rows[i].matched / (double)(strlen(rows[i].a) + strlen(rows[i].b));
        double got = similarity(rows[i].a, rows[i].b);
        if (got != expected)
            fail_msg("%s and %s: %.17g instead of %.17g", rows[i].a, rows[i].b, got, expected);
    }
    assert_true(similarity("", "") == 1);
    assert_true(similarity("same", "same") == 1);
}

/* The longest common block by trying all, and on from there. */
static size_t matched(const char *a, size_t na, const char *b, size_t nb)
{
    size_t at_a = 0, at_b = 0, best = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) {
            size_t n = 0;
            while (i + n < na && j + n < nb && a[i + n] == b[j + n])
                n++;
            if (n <= best)
                continue;
            best = n;
            at_a = i;
            at_b = j;
        }
    if (best == 0)
        return 0;
    return best + matched(a, at_a, b, at_b) +
           matched(a + at_a + best, na - at_a - best, b + at_b + best, nb - at_b - best);
}

static double by_definition(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    return na + nb ? 2.0 * (double)matched(a, na, b, nb) / (double)(na + nb) : 1;
}

/* On random words of three letters. */
static void as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        char word[2][16];
        for (int k = 0; k < 2; k++) {
            uint64_t bits = orr_mix64(2 * seed + (uint64_t)k);
            size_t n = bits % 15;
            for (size_t i = 0; i < n; i++)
                word[k][i] = (char)('a' + (bits >> (4 + 2 * i)) % 3);
            word[k][n] = '\0';
        }
        assert_true(similarity(word[0], word[1]) == by_definition(word[0], word[1]));
        assert_true(similarity(word[0], word[0]) == 1);
    }
}

/* What lies behind byte 255 doesn't count, and the deepest recursion is no trouble. */
static void long_names(void **state)
{
    (void)state;
    char a[400], b[400];
    memset(a, 'a', sizeof a - 1);
    memset(b, 'a', sizeof b - 1);
    a[399] = b[399] = '\0';
    memset(a + 255, 'x', 144);
    assert_true(similarity(a, b) == 1);
    for (int i = 0; i < 399; i++) /* a common byte in every second place */
        a[i] = i % 2 ? 'a' : 'x';
    assert_true(similarity(a, b) == 2 * 127.0 / 510);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_difflib),
        cmocka_unit_test(as_defined),
        cmocka_unit_test(long_names),
    };
    return cmocka_run_group_tests_name("similar", tests, NULL, NULL);
}
