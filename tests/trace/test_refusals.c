/* Whole files that are refused: the code, the place, and a hint where there is help. */
#define _POSIX_C_SOURCE 200809L
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include <cmocka.h>

#define OURS "submit,duration,gpus\n"
#define HELIOS "job_id,user,vc,gpu_num,state,submit_time,duration\n"

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *format;
        orr_err code;
        int line;
        const char *says; /* part of message, text or hint */
    } rows[] = {
        {"empty", "", NULL, ORR_E_EMPTY, 0, "empty"},
        {"blank", " \n\r\n\t\n", NULL, ORR_E_EMPTY, 0, "empty"},
        {"comments alone", "# a\n# b\n", NULL, ORR_E_EMPTY, 0, "empty"},
        {"empty, format named", "", "orrery", ORR_E_EMPTY, 0, "no header"},
        {"empty, JSON named", "", "philly-json", ORR_E_EMPTY, 0, "empty"},
        {"header only", OURS, NULL, ORR_E_NO_JOBS, 0, "no rows"},
        {"header only, Helios", HELIOS "\n\n", NULL, ORR_E_NO_JOBS, 0, "no rows"},
        {"no elements", "[]", NULL, ORR_E_NO_JOBS, 0, "no rows"},
        {"all dropped", OURS "0,1\n1,1,1,1\n2,1,-1\n", NULL, ORR_E_NO_JOBS, 2,
         "no job is left of 3 rows: ragged-row 2 (first in line 2), negative-gpus 1 (first in line 4)"},
        {"one dropped", OURS "0,1,1h\n", NULL, ORR_E_NO_JOBS, 2, "bad-number: 1h"},
        {"CPU jobs only", OURS "0,1,0\n", NULL, ORR_E_NO_JOBS, 2, "left out unless"},
        {"milliseconds", OURS "1504521041000,1,1\n", NULL, ORR_E_NO_JOBS, 2, "milliseconds"},
        {"semicolons", "submit;duration;gpus\n0;1;1\n", NULL, ORR_E_FORMAT, 0, "semicolons"},
        {"tabs", "job_id\tvc\tgpu_num\tsubmit_time\n1\tv\t1\t0\n", NULL, ORR_E_FORMAT, 0, "tabs"},
        {"bars", "submit|duration|gpus\n", NULL, ORR_E_FORMAT, 0, "vertical bars"},
        {"semicolons, format named", "submit;duration;gpus\n0;1;1\n", "orrery", ORR_E_MISSING_COLUMN, 1, "semicolons"},
        {"another file", "num_switch,num_node_p_switch\n1,1\n", NULL, ORR_E_FORMAT, 0, "num_switch,num_node_p_switch"},
        {"no header", "1,2,3\n4,5,6\n", NULL, ORR_E_FORMAT, 0, "lists the formats"},
        {"prose", "Dear all\n", NULL, ORR_E_FORMAT, 0, "lists the formats"},
        {"a JSON object", "{\"works\":[]}", NULL, ORR_E_FORMAT, 0, "lists the formats"},
        {"no such format", OURS, "swf9", ORR_E_FORMAT, 0, "swf9"},
        {"missing column", "submit,duration,gpu\n0,1,1\n", NULL, ORR_E_MISSING_COLUMN, 1,
         "is \"gpu\" meant to be \"gpus\"?"},
        {"missing column, Helios", "job_id,vc,gpu_num,duration\n1,v,1,1\n", NULL, ORR_E_MISSING_COLUMN, 1,
         "submit_time"},
        {"missing column, Philly", "timestamp,duration,cluster\n", NULL, ORR_E_MISSING_COLUMN, 1, "num_gpus"},
        {"wrong format named", OURS "0,1,1\n", "helios", ORR_E_MISSING_COLUMN, 1, "job_id"},
        {"a column twice", "submit,gpus,duration,gpus\n0,1,1,1\n", NULL, ORR_E_FORMAT, 1, "twice"},
        {"not UTF-8", OURS "0,1,1\n0,1,\xFF\n", NULL, ORR_E_ENCODING, 3, "UTF-8"},
        {"not UTF-8 in the header", "submit,duration,gpus,gr\xFC\xDF" "e\n0,1,1,1\n", NULL, ORR_E_ENCODING, 1, "UTF-8"},
        {"not UTF-8 in JSON", "[\n{\"jobid\":\"\xFF\"}]", NULL, ORR_E_ENCODING, 2, "UTF-8"},
        {"duplicate id", "job_id," OURS "a,0,1,1\nb,0,1,1\na,5,1,1\n", NULL, ORR_E_DUPLICATE_ID, 4, "line 2"},
        {"duplicate id, Helios", HELIOS "7,u,v,1,,0,1\n7,u,v,1,,1,1\n", NULL, ORR_E_DUPLICATE_ID, 3, "line 2"},
        {"mixed clocks, Helios", HELIOS "7,u,v,1,,2020-06-09 18:41:00,1\n8,u,v,1,,1,1\n", NULL, ORR_E_MIXED_CLOCKS, 3,
         "line 2"},
        {"open quote", OURS "0,1,1\n\"0,1,1\n", NULL, ORR_E_TRUNCATED, 3, "never ends"},
        {"JSON that ends early", "[{\"jobid\":\"a\",\n\"attempts\":[", NULL, ORR_E_TRUNCATED, 1, "ends in the element"},
        {"bad JSON", "[{\"jobid\":\"a\"},\n{\"jobid\":\n\"a\" \"b\"}]", NULL, ORR_E_SYNTAX, 3, "line 2"},
        {"trailing text", "[]\nx", NULL, ORR_E_SYNTAX, 2, "follows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_trace_options options = {.format = rows[i].format};
        orr_error e;
        char form[2048];
        assert_null(reading(rows[i].text, &options, &e));
        orr_error_format(&e, form, sizeof form);
        if (e.code != rows[i].code || e.line != rows[i].line || strcmp(e.file, "t.csv") != 0 ||
            !strstr(form, rows[i].says))
            fail_msg("%s:\n%s", rows[i].name, form);
        assert_int_equal(orr_err_exit_status(e.code), 65);
    }
}

static void zero_bytes_are_no_text(void **state)
{
    (void)state;
    static const char utf16[] = "s\0u\0b\0m\0i\0t\0\n\0";
    orr_error e = {0};
    orr_input *in = orr_input_memory("t.csv", utf16, sizeof utf16);
    assert_null(orr_trace_read_input(in, NULL, &e));
    assert_int_equal(e.code, ORR_E_ENCODING);
    orr_input_close(in);
}

static void no_error_wanted_is_fine(void **state)
{
    (void)state;
    orr_input *in = orr_input_memory("t.csv", "x", 1);
    assert_null(orr_trace_read_input(in, NULL, NULL));
    orr_input_close(in);
    assert_null(orr_trace_read("/nonexistent/file.csv", NULL, NULL));
}

static void missing_file(void **state)
{
    (void)state;
    orr_error e = {0};
    assert_null(orr_trace_read("/nonexistent/file.csv", NULL, &e));
    assert_int_equal(e.code, ORR_E_OPEN);
}

/* Compressed input reads as its content; cut short it is an error, not a shorter trace. */
static void gzip_whole_and_cut(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-trace-XXXXXX";
    unsigned char bytes[4096];
    orr_error e = {0};
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    gzFile gz = gzdopen(fd, "wb");
    gzputs(gz, OURS);
    for (int i = 0; i < 999; i++)
        gzprintf(gz, "%d,%d,1\n", i, i * 7919 % 1009);
    gzclose(gz);
    orr_trace *t = orr_trace_read(path, NULL, &e);
    assert_non_null(t);
    assert_int_equal(orr_trace_count(t), 999);
    assert_string_equal(orr_trace_name(t), path);
    orr_trace_destroy(t);
    FILE *f = fopen(path, "rb");
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    f = fopen(path, "wb");
    fwrite(bytes, 1, n / 2, f);
    fclose(f);
    assert_null(orr_trace_read(path, NULL, &e));
    assert_int_equal(e.code, ORR_E_TRUNCATED);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused),
        cmocka_unit_test(zero_bytes_are_no_text),
        cmocka_unit_test(no_error_wanted_is_fine),
        cmocka_unit_test(missing_file),
        cmocka_unit_test(gzip_whole_and_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
