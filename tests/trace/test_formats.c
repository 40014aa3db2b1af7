/* Helios, Philly (JSON and csv) and Tiresias: what is particular to each. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- Helios ---- */

#define HELIOS "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"

static void helios_row(void **state)
{
    (void)state;
    orr_trace *t = reading_well(HELIOS
        "2,uB,vc6,0,1,1,COMPLETED,2020-06-09 18:41:00,2020-06-09 18:41:00,2020-06-09 18:42:00,60,0\n"
        "1,uA,vcJ,8,64,1,FAILED,2020-06-09 18:41:01,2020-06-09 18:41:05,2020-06-09 18:42:05,60,4\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "helios");
    assert_int_equal(orr_trace_count(t), 1);
    assert_int_equal(noted(t, "cpu-only"), 1);
    assert_string_equal(job->id, "1");
    assert_string_equal(job->user, "uA");
    assert_string_equal(job->vc, "vcJ");
    assert_int_equal(job->gpus, 8);
    assert_int_equal(job->cpu_milli, 64000);
    assert_int_equal(job->ending, ORR_ENDING_FAILED);
    assert_int_equal(job->duration, 60 * ORR_SECOND);
    assert_int_equal(job->submit, 0); /* of the jobs that are kept, the first */
    assert_string_equal(orr_trace_origin(t), "2020-06-09 18:41:01");
    assert_int_equal(noted(t, "unknown-column"), 0);
    orr_trace_destroy(t);
}

static void helios_stamps(void **state)
{
    (void)state;
    static const struct {
        const char *start, *end, *duration;
        int64_t seconds; /* -1: dropped */
        const char *note;
    } rows[] = {
        {"2020-06-09 10:00:10", "2020-06-09 10:01:10", "60", 60, NULL},
        {"2020-06-09 10:00:10", "2020-06-09 10:01:10", "", 60, NULL},
        {"2020-06-09 10:00:10", "2020-06-09 10:01:10", "70.0", 60, "duration-mismatch"},
        {"", "", "33", 33, NULL},
        {"2020-06-09 10:00:10", "", "33", 33, NULL},
        {"None", "None", "33", 33, NULL},
        {"", "", "", -1, "no-duration"},
        {"2020-06-09 10:00:10", "", "", -1, "no-duration"},
        {"2020-06-09 10:00:10", "2020-06-09 10:00:09", "1", -1, "end-before-start"},
        {"2020-06-09 10:00:10", "2020-06-09 10:00:10", "0", 0, NULL},
        {"2020-06-09 09:59:59", "2020-06-09 10:00:00", "1", 1, "start-before-submit"},
        {"garbage", "2020-06-09 10:00:00", "1", -1, "bad-time"},
        {"", "", "-4", -1, "negative-duration"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, HELIOS "a,u,v,1,1,1,COMPLETED,2020-06-09 10:00:00,,,5,\n"
                      "b,u,v,1,1,1,COMPLETED,2020-06-09 10:00:00,%s,%s,%s,\n",
                      rows[i].start, rows[i].end, rows[i].duration);
        orr_trace *t = reading_well(text.at, NULL);
        const size_t kept = orr_trace_count(t);
        if (kept != (rows[i].seconds < 0 ? 1u : 2u) ||
            (kept == 2 && orr_trace_jobs(t)[1].duration != rows[i].seconds * ORR_SECOND) ||
            (rows[i].note ? noted(t, rows[i].note) != 1 : t->notes.n != 0))
            fail_msg("case %zu", i);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void helios_with_few_and_other_columns(void **state)
{
    (void)state;
    orr_trace *t = reading_well("vc,submit_time,gpu_num,job_id,jobname,start_time,end_time,submit_s,est_duration\n"
                                "0042,2020-06-09 10:00:00,2,x,train,2020-06-09 10:00:00,2020-06-09 10:00:07,0,600\n",
                                NULL);
    assert_string_equal(orr_trace_jobs(t)->vc, "0042");
    assert_string_equal(orr_trace_jobs(t)->name, "train");
    assert_int_equal(orr_trace_jobs(t)->duration, 7 * ORR_SECOND);
    assert_int_equal(noted(t, "unknown-column"), 2);
    orr_trace_destroy(t);
}

/* ---- Philly csv ---- */

static void philly_csv(void **state)
{
    (void)state;
    orr_trace *t = reading_well("timestamp,duration,num_gpus,gpu_time,cluster\n"
                                "2017-10-09 07:01:55,66.0,1,66.0,6214e9\n"
                                "2017-10-09 07:01:55,66.0,1,66.0,6214e9\n"
                                "2017-10-09 06:13:03,2951.0,2,2951.0,103959\n\n", NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(orr_trace_format(t), "philly-csv");
    assert_int_equal(orr_trace_count(t), 3); /* equal rows are different jobs */
    assert_string_equal(job[0].id, "2");
    assert_string_equal(job[0].vc, "103959");
    assert_string_equal(job[1].id, "0");
    assert_string_equal(job[2].id, "1");
    assert_string_equal(job[2].vc, "6214e9");
    assert_int_equal(job[1].duration, 66 * ORR_SECOND);
    assert_int_equal(noted(t, "gpu-time-mismatch"), 1);
    assert_int_equal(noted(t, "unsorted"), 1);
    assert_string_equal(orr_trace_origin(t), "2017-10-09 06:13:03");
    orr_trace_destroy(t);
}

/* ---- Tiresias ---- */

static void tiresias(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ("job_id,num_gpu,submit_time,iterations,model_name,duration,interval\r\n"
         "0,8,30,606,vgg19,164,30\r\n1,2,30,133,vgg11,147,23\r\n0,1,40,5,vgg11,20,0\r\n0,1,50,5,vgg11,20,0"),
        ("job_id  num_gpu submit_time\titerations model_name duration interval\n"
         "0 8 30 606 vgg19 164 30\n1 2 30 133 vgg11 147 23 \n0 1 40 5 vgg11 20 0\n 0 1 50 5 vgg11 20 0\n"),
    };
    for (int i = 0; i < 2; i++) {
        const orr_trace_options strict = {.strict = true};
        orr_error e;
        orr_trace *t = reading_well(texts[i], NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_string_equal(orr_trace_format(t), "tiresias");
        assert_int_equal(orr_trace_count(t), 4);
        assert_int_equal(job[0].submit, 30 * ORR_SECOND);
        assert_string_equal(job[0].model, "vgg19");
        assert_int_equal(job[0].duration, 164 * ORR_SECOND);
        assert_string_equal(job[1].id, "1");
        assert_string_equal(job[2].id, "0#2");
        assert_string_equal(job[3].id, "0#3");
        assert_int_equal(noted(t, "duplicate-id"), 2);
        orr_trace_destroy(t);
        assert_null(reading(texts[i], &strict, &e));
        assert_int_equal(e.code, ORR_E_DUPLICATE_ID);
        assert_int_equal(e.line, 4);
    }
}

static void siblings_of_tiresias_in_other_units_are_refused(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options named = {.format = "tiresias"};
    const char *muri = "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,iteration_time\n"
                       "0,1,0,1,vgg,16,1000,0,5\n";
    assert_null(reading(muri, &named, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
    assert_non_null(strstr(e.message, "Muri"));
    assert_non_null(strstr(e.hint, "--format muri"));
    assert_null(reading("job_id,user,num_gpu,submit_time,iterations,model_name,duration,interval,expect_time_list\n"
                        "0,u,1,0,1,vgg,1000,0,5\n", &named, &e));
    assert_non_null(strstr(e.message, "Chronus"));
}

/* ---- Philly JSON ---- */

#define ATTEMPT(start, end, detail) "{\"start_time\":" start ",\"end_time\":" end ",\"detail\":" detail "}"
#define T(s) "\"2017-10-09 03:00:" s "\""
#define ONE_GPU "[{\"ip\":\"m1\",\"gpus\":[\"gpu0\"]}]"
#define TWO_SERVERS "[{\"ip\":\"m1\",\"gpus\":[\"gpu0\",\"gpu1\"]},{\"ip\":\"m2\",\"gpus\":[\"gpu0\"]}]"

static void philly_json_rules(void **state)
{
    (void)state;
    static const struct {
        const char *name, *attempts, *notes[2];
        int64_t seconds; /* -1: dropped */
        int32_t gpus;
        uint32_t count; /* attempts replayed */
        bool censored;
    } rows[] = {
        {"one", ATTEMPT(T("10"), T("15"), ONE_GPU), {NULL}, 5, 1, 1, false},
        {"GPUs over all servers", ATTEMPT(T("10"), T("15"), TWO_SERVERS), {NULL}, 5, 3, 1, false},
        {"two attempts, the gap is no work", ATTEMPT(T("10"), T("15"), ONE_GPU) "," ATTEMPT(T("20"), T("27"), ONE_GPU),
         {NULL}, 12, 1, 2, false},
        {"no attempts", "", {"no-attempts"}, -1, 0, 0, false},
        {"null times", ATTEMPT("null", "null", ONE_GPU), {"no-usable-attempt"}, -1, 0, 0, false},
        {"empty times", ATTEMPT("\"\"", "\"\"", ONE_GPU), {"no-usable-attempt"}, -1, 0, 0, false},
        {"the word None", ATTEMPT("\"None\"", T("10"), ONE_GPU), {"no-usable-attempt"}, -1, 0, 0, false},
        {"absent times", "{\"detail\":" ONE_GPU "}", {"no-usable-attempt"}, -1, 0, 0, false},
        {"still running", ATTEMPT(T("10"), "\"None\"", ONE_GPU), {"no-end"}, -1, 0, 0, false},
        {"ran before, still running", ATTEMPT(T("10"), T("15"), ONE_GPU) "," ATTEMPT(T("20"), "null", ONE_GPU),
         {"open-end"}, 5, 1, 1, true},
        {"a hole in the middle", ATTEMPT(T("10"), "null", ONE_GPU) "," ATTEMPT(T("20"), T("22"), ONE_GPU),
         {"attempt-without-times"}, 2, 1, 1, false},
        {"end before start", ATTEMPT(T("10"), T("05"), ONE_GPU), {"no-usable-attempt"}, -1, 0, 0, false},
        {"no list of GPUs", ATTEMPT(T("10"), T("15"), "[]"), {"no-gpus"}, -1, 0, 0, false},
        {"a server without GPUs", ATTEMPT(T("10"), T("15"), "[{\"ip\":\"m1\",\"gpus\":[]}]"), {"cpu-only"}, -1, 0, 0,
         false},
        {"the first that lists GPUs counts",
         ATTEMPT(T("10"), T("15"), "[]") "," ATTEMPT(T("20"), T("22"), TWO_SERVERS) ","
         ATTEMPT(T("30"), T("31"), ONE_GPU),
         {"gpus-differ"}, 8, 3, 3, false},
        {"overlap", ATTEMPT(T("10"), T("20"), ONE_GPU) "," ATTEMPT(T("15"), T("25"), ONE_GPU), {"attempts-overlap"},
         20, 1, 2, false},
        {"started before submitted", ATTEMPT(T("01"), T("02"), ONE_GPU), {"start-before-submit"}, 1, 1, 1, false},
        {"a bad time", ATTEMPT("\"yesterday\"", T("02"), ONE_GPU), {"bad-time"}, -1, 0, 0, false},
    };
    const orr_trace_options replay = {.replay_attempts = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_text text = {0};
        orr_text_addf(&text, "[{\"status\":\"Killed\",\"vc\":\"6214e9\",\"jobid\":\"a\",\"submitted_time\":" T("05")
                      ",\"user\":\"u\",\"attempts\":[%s]},\n{\"jobid\":\"b\",\"submitted_time\":" T("06")
                      ",\"attempts\":[" ATTEMPT(T("06"), T("07"), ONE_GPU) "]}]", rows[i].attempts);
        orr_trace *t = reading_well(text.at, &replay);
        const orr_trace_job *job = orr_trace_jobs(t);
        bool right = orr_trace_count(t) == (rows[i].seconds < 0 ? 1u : 2u);
        if (rows[i].seconds >= 0)
            right = right && strcmp(job->id, "a") == 0 && job->duration == rows[i].seconds * ORR_SECOND &&
                    job->gpus == rows[i].gpus && job->attempt_count == rows[i].count &&
                    job->censored == rows[i].censored && job->ending == ORR_ENDING_KILLED &&
                    strcmp(job->vc, "6214e9") == 0 && job->line == 1;
        for (int n = 0; n < 2 && rows[i].notes[n]; n++)
            right = right && noted(t, rows[i].notes[n]) == 1;
        if (!right || (!rows[i].notes[0] && t->notes.n))
            fail_msg("%s", rows[i].name);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void philly_json_merges_attempts_by_default(void **state)
{
    (void)state;
    orr_trace *t = reading_well("[{\"jobid\":\"a\",\"submitted_time\":" T("05") ",\"attempts\":["
                                ATTEMPT(T("10"), T("15"), ONE_GPU) "," ATTEMPT(T("20"), T("27"), ONE_GPU) "]}]", NULL);
    assert_null(orr_trace_jobs(t)->attempts);
    assert_int_equal(orr_trace_jobs(t)->attempt_count, 1);
    assert_int_equal(orr_trace_jobs(t)->duration, 12 * ORR_SECOND);
    assert_string_equal(orr_trace_format(t), "philly-json");
    orr_trace_destroy(t);
}

static void philly_json_elements_that_are_no_jobs(void **state)
{
    (void)state;
    orr_trace *t = reading_well("[7, \"x\", null, [], {}, {\"submitted_time\":7},"
                                "{\"jobid\":\"a\",\"submitted_time\":" T("05") ",\"attempts\":["
                                ATTEMPT(T("10"), T("15"), ONE_GPU) "]}]", NULL);
    assert_int_equal(noted(t, "not-a-job"), 4);
    assert_int_equal(noted(t, "no-submit"), 2);
    assert_int_equal(orr_trace_rows_read(t), 7);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(helios_row),
        cmocka_unit_test(helios_stamps),
        cmocka_unit_test(helios_with_few_and_other_columns),
        cmocka_unit_test(philly_csv),
        cmocka_unit_test(tiresias),
        cmocka_unit_test(siblings_of_tiresias_in_other_units_are_refused),
        cmocka_unit_test(philly_json_rules),
        cmocka_unit_test(philly_json_merges_attempts_by_default),
        cmocka_unit_test(philly_json_elements_that_are_no_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
