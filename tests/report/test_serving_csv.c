/* serving.csv from requests and batches told by hand. */
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define MS (ORR_SECOND / 1000)

static orr_service both[] = {{.name = "a"}, {.name = "b"}};
static const orr_services services = {.name = "two", .services = both, .count = 2};

static orr_request_record request(orr_service_id service, orr_time arrival, orr_time start, orr_time end)
{
    return (orr_request_record){.service = service,
                                .answered = start != ORR_TIME_NONE,
                                .arrival = arrival * MS,
                                .start = start == ORR_TIME_NONE ? start : start * MS,
                                .end = end * MS};
}

static orr_batch_run batch(orr_exec_id exec, orr_time start, orr_time end)
{
    return (orr_batch_run){.exec_id = exec, .start = start * MS, .end = end * MS};
}

/* Bins of 1 ms: a request of `a` arrives at 0, waits 1 ms, is answered at 3 and late, which is the end; one of `b`
 * arrives at 1 and is dropped at 2. */
static void rates_waiting_and_work(void **state)
{
    (void)state;
    const char *path = sample_path("serving.csv");
    orr_error e = {0};
    orr_csv_sink *csv = orr_serving_csv_create(path, &services, &e);
    assert_non_null(csv);
    const orr_serving_sink sink = orr_serving_csv_sink(csv, NULL);
    orr_request_record first = request(0, 0, 1, 3), second = request(1, 1, ORR_TIME_NONE, 2);
    const orr_batch_run run = batch(1, 1, 3);
    first.late = true;
    sink.request(sink.self, &second);
    sink.request(sink.self, &first);
    sink.batch(sink.self, &run);
    assert_int_equal(orr_csv_sink_commit(csv, &e), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n"
                             "0,services,arrived,1000\n0,services,waiting,1\n"
                             "0,service:a,arrived,1000\n0,service:a,waiting,1\n"
                             "0.001,service:a,arrived,0\n0.001,service:a,waiting,0\n"
                             "0.001,service:b,arrived,1000\n0.001,service:b,waiting,1\n"
                             "0.001,executors,busy,1\n0.001,executor:1,busy,1\n"
                             "0.002,services,arrived,0\n0.002,services,answered,1000\n0.002,services,late,1000\n"
                             "0.002,services,dropped,1000\n0.002,services,waiting,0\n"
                             "0.002,service:a,answered,1000\n0.002,service:a,late,1000\n"
                             "0.002,service:b,arrived,0\n0.002,service:b,dropped,1000\n0.002,service:b,waiting,0\n"
                             "0.003,services,answered,0\n0.003,services,late,0\n0.003,services,dropped,0\n"
                             "0.003,service:a,answered,0\n0.003,service:a,late,0\n0.003,service:b,dropped,0\n"
                             "0.003,executors,busy,0\n0.003,executor:1,busy,0\n");
    sample_clean();
}

static size_t heard;
static void hear(void *self, const orr_request_record *r)
{
    (void)self, (void)r;
    heard++;
}

/* A run of ten seconds fits into bins of 32 ms: nothing is lost as they widen. */
static void bins_widen_without_loss(void **state)
{
    (void)state;
    const char *path = sample_path("serving.csv");
    orr_error e = {0};
    double integral[2] = {0}, value[2] = {0}, since = 0, t, v;
    char entity[32], metric[32];
    orr_csv_sink *csv = orr_serving_csv_create(path, &services, &e);
    const orr_serving_sink other = {.request = hear}, sink = orr_serving_csv_sink(csv, &other);
    for (int i = 0; i < 1000; i++) {
        const orr_request_record r = request(0, 10 * i, 10 * i + 5, 10 * i + 7);
        const orr_batch_run b = batch(0, 10 * i + 5, 10 * i + 7);
        sink.request(sink.self, &r);
        sink.batch(sink.self, &b);
    }
    assert_int_equal(orr_csv_sink_commit(csv, &e), ORR_OK);
    assert_int_equal(heard, 1000);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%*s"), 0);
    while (fscanf(f, " %lf,%31[^,],%31[^,],%lf", &t, entity, metric, &v) == 4) {
        for (int i = 0; i < 2; i++)
            integral[i] += value[i] * (t - since);
        since = t;
        if (strcmp(entity, "services") == 0 && strcmp(metric, "arrived") == 0)
            value[0] = v;
        if (strcmp(entity, "executors") == 0 && strcmp(metric, "busy") == 0)
            value[1] = v;
    }
    fclose(f);
    assert_true(integral[0] > 999.999 && integral[0] < 1000.001);
    assert_true(integral[1] > 1.999999 && integral[1] < 2.000001); /* 1,000 batches of 2 ms */
    assert_true(since > 9.9969 && since < 9.9971);
    sample_clean();
}

static void nothing_is_a_head(void **state)
{
    (void)state;
    const char *path = sample_path("serving.csv");
    orr_error e = {0};
    orr_csv_sink *csv = orr_serving_csv_create(path, &services, &e);
    assert_int_equal(orr_csv_sink_commit(csv, &e), ORR_OK);
    sample_assert_file(path, "t,entity,metric,value\n");
    sample_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_waiting_and_work),
        cmocka_unit_test(bins_widen_without_loss),
        cmocka_unit_test(nothing_is_a_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
