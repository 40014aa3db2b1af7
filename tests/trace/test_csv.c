/* Rows and fields of separated text. */
#include "trace/csv.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Reads a text and writes the fields back as "[a][b]\n", rows damaged by text behind a quote with a leading "!". */
static void render(const char *text, bool blanks, orr_text *out, orr_error *e)
{
    orr_csv csv;
    orr_input *in = orr_input_memory("t.csv", text, strlen(text));
    orr_csv_init(&csv, in);
    csv.separator = blanks ? ' ' : ',';
    orr_text_add(out, "", 0);
    while (!orr_csv_next(&csv, e) && csv.text) {
        orr_csv_split(&csv);
        orr_text_addf(out, "%s", csv.damaged ? "!" : "");
        for (size_t i = 0; i < csv.fields.n; i++)
            orr_text_addf(out, "[%s]", csv.fields.at[i].at);
        orr_text_addf(out, "\n");
    }
    orr_csv_fini(&csv);
    orr_input_close(in);
}

static void fields(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        bool blanks;
        const char *fields;
    } rows[] = {
        {"plain", "a,b,c\n1,2,3\n", false, "[a][b][c]\n[1][2][3]\n"},
        {"no final newline", "a,b", false, "[a][b]\n"},
        {"CRLF", "a,b\r\n1,2\r\n", false, "[a][b]\n[1][2]\n"},
        {"CRLF within quotes stays", "\"a\r\nb\",c\r\n", false, "[a\r\nb][c]\n"},
        {"CRLF, then a last line without", "a,b\r\n1,2", false, "[a][b]\n[1][2]\n"},
        {"BOM", "\xEF\xBB\xBF" "a,b\n", false, "[a][b]\n"},
        {"empty fields", ",a,\n,,\n", false, "[][a][]\n[][][]\n"},
        {"blank lines vanish", "\na\n \t\n\nb\n\n", false, "[a]\n[b]\n"},
        {"blanks around a field", " a , b\t,c d \n", false, "[a][b][c d]\n"},
        {"quotes", "\"a,b\",\"c\"\"d\",\"\"\n", false, "[a,b][c\"d][]\n"},
        {"blanks around quotes", "a, \"b \" ,c\n", false, "[a][b ][c]\n"},
        {"line end in quotes", "\"a\nb\",c\nd,e\n", false, "[a\nb][c]\n[d][e]\n"},
        {"many line ends in quotes", "x,\"\n\n\"\"\n\",y\nz\n", false, "[x][\n\n\"\n][y]\n[z]\n"},
        {"a quote inside is a quote", "a\"b,c\"\n", false, "[a\"b][c\"]\n"},
        {"text behind a quote", "\"a\"x,b\n", false, "![a][b]\n"},
        {"a quote after text behind a quote", "\"a\"x\"y,b\n", false, "![a][b]\n"},
        {"UTF-8", "\xC3\xA4,\xE2\x82\xAC\n", false, "[\xC3\xA4][\xE2\x82\xAC]\n"},
        {"runs of blanks", "  a  b\tc \n1 \t 2 3\n", true, "[a][b][c]\n[1][2][3]\n"},
        {"no quotes among blanks", "\"a b\" c,d\n", true, "[\"a][b\"][c,d]\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text out = {0};
        orr_error e = {0};
        render(rows[i].text, rows[i].blanks, &out, &e);
        if (e.code || strcmp(out.at, rows[i].fields) != 0)
            fail_msg("%s: %s\n%s", rows[i].name, e.message, out.at);
        orr_text_fini(&out);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        orr_err code;
        int line, column;
    } rows[] = {
        {"Latin-1", "a,b\nf\xFCr,1\n", ORR_E_ENCODING, 2, 2},
        {"a cut sequence", "abcdefgh,\xE2\x82\n", ORR_E_ENCODING, 1, 10},
        {"not UTF-8 within quotes", "a\n\"\nf\xFC\n\"\n", ORR_E_ENCODING, 3, 2},
        {"an open quote", "a\nb,\"c\nd\ne\n", ORR_E_TRUNCATED, 2, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text out = {0};
        orr_error e = {0};
        render(rows[i].text, false, &out, &e);
        if (e.code != rows[i].code || e.line != rows[i].line || e.column != rows[i].column)
            fail_msg("%s: %s, line %d:%d", rows[i].name, orr_err_name(e.code), e.line, e.column);
        assert_string_equal(e.file, "t.csv");
        assert_true(e.hint[0]);
        orr_text_fini(&out);
    }
}

static void a_stray_quote_does_not_swallow_a_file(void **state)
{
    (void)state;
    orr_text text = {0}, out = {0};
    orr_error e = {0};
    orr_text_addf(&text, "a,b\n1,\"2\n");
    for (int i = 0; i < 300000; i++)
        orr_text_addf(&text, "1,2345\n");
    render(text.at, false, &out, &e);
    assert_int_equal(e.code, ORR_E_TRUNCATED);
    assert_int_equal(e.line, 2);
    orr_text_fini(&text);
    orr_text_fini(&out);
}

static void places(void **state)
{
    (void)state;
    orr_csv csv;
    orr_input *in = orr_input_memory("t.csv", "\na, bb,\"c\"\n", 12);
    orr_csv_init(&csv, in);
    assert_int_equal(orr_csv_next(&csv, NULL), ORR_OK);
    orr_csv_split(&csv);
    assert_int_equal(csv.line, 2);
    assert_int_equal(csv.fields.at[0].column, 1);
    assert_int_equal(csv.fields.at[1].column, 4);
    assert_int_equal(csv.fields.at[1].n, 2);
    assert_int_equal(csv.fields.at[2].column, 8);
    orr_csv_fini(&csv);
    orr_input_close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(refused),
        cmocka_unit_test(a_stray_quote_does_not_swallow_a_file),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
