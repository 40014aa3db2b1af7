/* JUnit XML as CI services read it. Its schema was never written down; suites, tests, `failure` and `skipped` with a
 * message are what all of them know, and attributes that some don't know are passed over. */
#include "report/page.h"
#include "study/check_out.h"

static void attribute(orr_text *out, const char *name, const char *value)
{
    orr_text_addf(out, " %s=\"", name);
    orr_markup(out, value);
    orr_text_addf(out, "\"");
}

typedef struct tally {
    size_t tests, failures, skipped;
} tally;

/* A case that can't be compared, and has no numbers that say so, has one test of its own for that. */
static bool is_bare(const orr_check_case *k)
{
    return k->numbers.n == 0;
}

static tally tally_of(const orr_check_case *k, bool strict)
{
    tally t = {.tests = k->numbers.n};
    for (size_t i = 0; i < k->numbers.n; i++) {
        t.failures += orr_check_fails(&k->numbers.at[i], strict);
        t.skipped += k->numbers.at[i].judgement.verdict == ORR_VERDICT_NOT_COMPARABLE;
    }
    if (is_bare(k))
        t.tests = t.skipped = 1;
    return t;
}

static void add_tally(orr_text *out, tally t)
{
    orr_text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\"", t.tests, t.failures, t.skipped);
}

static void add_skipped(orr_text *out, const orr_check_problems *list)
{
    orr_text_addf(out, "      <skipped");
    attribute(out, "message", list->n ? list->at[0].text : "it couldn't be compared");
    orr_text_addf(out, "/>\n");
}

static const char *wish(orr_direction direction)
{
    return direction == ORR_BETTER_LOWER    ? "lower is better"
           : direction == ORR_BETTER_HIGHER ? "higher is better"
                                            : "any change is a failure";
}

static void add_failure(const orr_check_case *k, const orr_check_number *x, orr_text *out)
{
    orr_text text = {0};
    orr_check_sentence(k, x, &text);
    orr_text_addf(out, "      <failure");
    attribute(out, "message", text.at);
    attribute(out, "type", orr_verdict_name(x->judgement.verdict));
    orr_text_addf(out, ">");
    orr_text_clear(&text);
    orr_text_addf(&text, "%s: %s\n", orr_verdict_name(x->judgement.verdict), wish(x->direction));
    orr_check_moved(k, ORR_TABLE_TEXT, &text);
    orr_markup(out, text.at);
    orr_text_addf(out, "</failure>\n");
    orr_text_fini(&text);
}

static void begin_test(const orr_check *c, const char *suite, const char *name, int line, orr_text *out)
{
    orr_text_addf(out, "    <testcase");
    attribute(out, "classname", suite);
    attribute(out, "name", name);
    attribute(out, "file", c->file);
    orr_text_addf(out, " line=\"%d\"", line);
}

static bool has_something_to_say(const orr_check_number *x, bool strict)
{
    return orr_check_fails(x, strict) || x->judgement.verdict == ORR_VERDICT_NOT_COMPARABLE;
}

static void add_number(const orr_check *c, const orr_check_case *k, const orr_check_number *x, bool strict,
                       orr_text *out)
{
    begin_test(c, k->from->name, x->key, x->expected ? x->expected->value->line : k->from->at->line, out);
    if (!has_something_to_say(x, strict)) {
        orr_text_addf(out, "/>\n");
        return;
    }
    orr_text_addf(out, ">\n");
    if (orr_check_fails(x, strict))
        add_failure(k, x, out);
    else
        add_skipped(out, &k->problems);
    orr_text_addf(out, "    </testcase>\n");
}

static void add_skipped_test(const orr_check *c, const char *suite, int line, const orr_check_problems *why,
                             orr_text *out)
{
    begin_test(c, suite, "comparable", line, out);
    orr_text_addf(out, ">\n");
    add_skipped(out, why);
    orr_text_addf(out, "    </testcase>\n");
}

static void add_lines(const orr_check *c, const orr_check_problems *list, orr_text *out)
{
    orr_text text = {0};
    for (size_t i = 0; i < list->n; i++)
        orr_text_addf(&text, "%s:%d: %s\n", c->file, list->at[i].line, list->at[i].text);
    if (text.n) {
        orr_text_addf(out, "    <system-err>");
        orr_markup(out, text.at);
        orr_text_addf(out, "</system-err>\n");
    }
    orr_text_fini(&text);
}

static void add_suite(const orr_check *c, const orr_check_case *k, bool strict, orr_text *out)
{
    orr_text_addf(out, "  <testsuite");
    attribute(out, "name", k->from->name);
    add_tally(out, tally_of(k, strict));
    orr_text_addf(out, ">\n");
    for (size_t i = 0; i < k->numbers.n; i++)
        add_number(c, k, &k->numbers.at[i], strict, out);
    if (is_bare(k))
        add_skipped_test(c, k->from->name, k->from->at->line, &k->problems, out);
    add_lines(c, &k->problems, out);
    orr_text_addf(out, "  </testsuite>\n");
}

/* What is wrong with the baseline as a whole. */
static void add_general(const orr_check *c, orr_text *out)
{
    orr_text_addf(out, "  <testsuite name=\"baseline\"");
    add_tally(out, (tally){1, 0, 1});
    orr_text_addf(out, ">\n");
    add_skipped_test(c, "baseline", 1, &c->general, out);
    orr_text_addf(out, "  </testsuite>\n");
}

void orr_check_junit(const orr_check *c, bool strict, orr_text *out)
{
    tally all = {0};
    for (size_t i = 0; i < c->n; i++) {
        const tally t = c->cases[i].selected ? tally_of(&c->cases[i], strict) : (tally){0};
        all = (tally){all.tests + t.tests, all.failures + t.failures, all.skipped + t.skipped};
    }
    all.tests += c->general.n > 0;
    all.skipped += c->general.n > 0;
    orr_text_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    attribute(out, "name", c->file);
    add_tally(out, all);
    orr_text_addf(out, ">\n");
    for (size_t i = 0; i < c->n; i++)
        if (c->cases[i].selected)
            add_suite(c, &c->cases[i], strict, out);
    if (c->general.n)
        add_general(c, out);
    orr_text_addf(out, "</testsuites>\n");
}
