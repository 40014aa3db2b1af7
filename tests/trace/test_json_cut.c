/* Cutting an array into its elements. */
#include "trace/json_cut.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static orr_err render(const char *text, size_t length, orr_text *out, orr_error *e)
{
    orr_json_cut cut;
    orr_input *in = orr_input_memory("t.json", text, length);
    orr_json_cut_init(&cut, in);
    const char *element;
    size_t n;
    orr_err err;
    orr_text_add(out, "", 0);
    while (!(err = orr_json_cut_next(&cut, &element, &n, e)) && element)
        orr_text_addf(out, "%u:%s;", cut.element_line, element);
    orr_json_cut_fini(&cut);
    orr_input_close(in);
    return err;
}

static void elements(void **state)
{
    (void)state;
    static const struct {
        const char *text, *elements;
    } rows[] = {
        {"[]", ""},
        {"\xEF\xBB\xBF [ ] \n", ""},
        {"[{}]", "1:{};"},
        {"[\n{\"a\":[1,2]},\n\n{\"b\":{}}]\n", "2:{\"a\":[1,2]};4:{\"b\":{}};"},
        {"[{\"a\":\"],}{[\"},{\"b\":\"\\\"]\"}]", "1:{\"a\":\"],}{[\"};1:{\"b\":\"\\\"]\"};"},
        {"[{\"a\":\"\\\\\"},1,null]", "1:{\"a\":\"\\\\\"};1:1;1:null;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text out = {0};
        orr_error e = {0};
        if (render(rows[i].text, strlen(rows[i].text), &out, &e) || strcmp(out.at, rows[i].elements) != 0)
            fail_msg("%s gives %s %s", rows[i].text, out.at, e.message);
        orr_text_fini(&out);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        orr_err code;
        int line;
    } rows[] = {
        {"", ORR_E_EMPTY, 0},
        {" \n", ORR_E_EMPTY, 0},
        {"{}", ORR_E_SYNTAX, 1},
        {"[", ORR_E_TRUNCATED, 1},
        {"[{}", ORR_E_TRUNCATED, 1},
        {"[\n{},\n{\"a\":\n", ORR_E_TRUNCATED, 3},
        {"[\n{},\n\n", ORR_E_TRUNCATED, 4},
        {"[{\"a", ORR_E_TRUNCATED, 1},
        {"[{},,{}]", ORR_E_SYNTAX, 1},
        {"[{}}]", ORR_E_SYNTAX, 1},
        {"[{}]\n]", ORR_E_SYNTAX, 2},
        {"[{}\n,{\"a\":\"\xFC\"}]", ORR_E_ENCODING, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text out = {0};
        orr_error e = {0};
        const orr_err err = render(rows[i].text, strlen(rows[i].text), &out, &e);
        if (err != rows[i].code || e.code != err || e.line != rows[i].line)
            fail_msg("%s: %s line %d", rows[i].text, orr_err_name(err), e.line);
        orr_text_fini(&out);
    }
}

static void zero_bytes_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"[{\"a\":\"#\"}]", "[#{}]", "[{}]#"};
    for (size_t i = 0; i < 3; i++) {
        char text[16];
        orr_text out = {0};
        orr_error e = {0};
        const size_t n = strlen(texts[i]);
        memcpy(text, texts[i], n);
        *(char *)memchr(text, '#', n) = '\0';
        assert_int_equal(render(text, n, &out, &e), ORR_E_ENCODING);
        orr_text_fini(&out);
    }
}

/* Elements that begin and end anywhere in a chunk of input. */
static void chunks_don_t_show(void **state)
{
    (void)state;
    orr_text text = {0}, out = {0}, expected = {0};
    orr_error e = {0};
    orr_text_addf(&text, "[");
    orr_text_add(&expected, "", 0);
    for (int i = 0; i < 900; i++) {
        orr_text_addf(&text, "%s{\"a\":\"%*d,]\"}", i ? "," : "", i % 700, i);
        orr_text_addf(&expected, "1:{\"a\":\"%*d,]\"};", i % 700, i);
    }
    orr_text_addf(&text, "]");
    assert_int_equal(render(text.at, text.n, &out, &e), ORR_OK);
    assert_string_equal(out.at, expected.at);
    orr_text_fini(&text);
    orr_text_fini(&out);
    orr_text_fini(&expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements),
        cmocka_unit_test(refused),
        cmocka_unit_test(zero_bytes_are_refused),
        cmocka_unit_test(chunks_don_t_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
