/* Zones: fixed offsets, and places that change their clocks. 2017-11-05 02:00 clocks in Los Angeles went back to 01:00,
 * 2017-03-12 02:00 they went forward to 03:00. The bytes of a small zone file are made here, since a machine may lack
 * the real ones. */
#include "reading.h"
#include "trace/civil.h"
#include "trace/zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static orr_time face(const char *text)
{
    orr_civil c;
    assert_int_equal(orr_civil_parse(text, strlen(text), &c), ORR_OK);
    return c.local - c.offset_minutes * ORR_MINUTE;
}

static size_t put(unsigned char *p, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        p[i] = (unsigned char)(v >> (8 * (bytes - 1 - i)));
    return (size_t)bytes;
}

static size_t put_head(unsigned char *p, uint32_t times, uint32_t types)
{
    memset(p, 0, 44);
    memcpy(p, "TZif2", 5);
    put(p + 32, times, 4);
    put(p + 36, types, 4);
    put(p + 40, 4, 4);
    return 44;
}

/* Winter is UTC-8, summer UTC-7; the two changes of 2017. */
static size_t los_angeles(unsigned char *p)
{
    size_t n = put_head(p, 0, 1);
    n += put(p + n, (uint64_t)(uint32_t)-28800, 4) + put(p + n + 4, 0, 2);
    memcpy(p + n, "PST", 4);
    n += 4;
    n += put_head(p + n, 2, 2);
    n += put(p + n, (uint64_t)(face("2017-03-12 10:00:00") / ORR_SECOND), 8);
    n += put(p + n, (uint64_t)(face("2017-11-05 09:00:00") / ORR_SECOND), 8);
    n += put(p + n, 0x0001, 2) * 1;
    p[n - 2] = 1;
    p[n - 1] = 0;
    n += put(p + n, (uint64_t)(uint32_t)-28800, 4) + put(p + n + 4, 0, 2);
    n += put(p + n, (uint64_t)(uint32_t)-25200, 4) + put(p + n + 4, 0x0100, 2);
    memcpy(p + n, "PST", 4);
    return n + 4;
}

static void offsets(void **state)
{
    static const struct {
        const char *name;
        int32_t minutes;
    } rows[] = {{"UTC", 0}, {"Z", 0}, {"+08:00", 480}, {"+08", 480}, {"-0730", -450}, {"+00:00", 0}, {"+14:00", 840}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_error e = {0};
        orr_zone *z = orr_zone_open(rows[i].name, &e);
        orr_time utc;
        assert_non_null(z);
        assert_int_equal(orr_zone_offset(z, 0), rows[i].minutes);
        assert_int_equal(orr_zone_utc(z, 0, &utc), ORR_FACE_ONCE);
        assert_int_equal(utc, -rows[i].minutes * ORR_MINUTE);
        orr_zone_close(z);
    }
}

static void no_zones(void **state)
{
    static const char *const names[] = {"", "PST8PDT8", "+25:00", "+8", "+08:", "+08:61", "../../etc/passwd", "/etc/passwd",
                                        "Atlantis/Center", "+08:000"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        orr_error e = {0};
        assert_null(orr_zone_open(names[i], &e));
        assert_int_equal(e.code, ORR_E_BAD_VALUE);
    }
}

static void check_faces(const orr_zone *z)
{
    static const struct {
        const char *local, *utc;
        orr_face face;
    } rows[] = {
        {"2017-03-12 01:59:59", "2017-03-12 09:59:59", ORR_FACE_ONCE},
        {"2017-03-12 02:30:00", "2017-03-12 10:30:00", ORR_FACE_NEVER},
        {"2017-03-12 03:00:00", "2017-03-12 10:00:00", ORR_FACE_ONCE},
        {"2017-07-01 00:00:00", "2017-07-01 07:00:00", ORR_FACE_ONCE},
        {"2017-11-05 00:59:59", "2017-11-05 07:59:59", ORR_FACE_ONCE},
        {"2017-11-05 01:00:00", "2017-11-05 08:00:00", ORR_FACE_TWICE},
        {"2017-11-05 01:59:59", "2017-11-05 08:59:59", ORR_FACE_TWICE},
        {"2017-11-05 02:00:00", "2017-11-05 10:00:00", ORR_FACE_ONCE},
        {"2017-12-22 08:02:11", "2017-12-22 16:02:11", ORR_FACE_ONCE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_time utc;
        const orr_face f = orr_zone_utc(z, face(rows[i].local), &utc);
        if (f != rows[i].face || utc != face(rows[i].utc))
            fail_msg("%s", rows[i].local);
    }
    assert_int_equal(orr_zone_offset(z, face("2017-11-05 08:59:59")), -420);
    assert_int_equal(orr_zone_offset(z, face("2017-11-05 09:00:00")), -480);
}

static void a_place(void **state)
{
    unsigned char bytes[256];
    orr_error e = {0};
    (void)state;
    orr_zone *z = orr_zone_from_bytes("made", bytes, los_angeles(bytes), &e);
    assert_non_null(z);
    check_faces(z);
    orr_zone_close(z);
}

static void damaged_files(void **state)
{
    unsigned char bytes[256];
    const size_t n = los_angeles(bytes);
    (void)state;
    for (size_t cut = 0; cut < n; cut++) {
        orr_error e = {0};
        assert_null(orr_zone_from_bytes("made", bytes, cut, &e));
    }
}

static void the_machines_own(void **state)
{
    orr_error e = {0};
    (void)state;
    if (access("/usr/share/zoneinfo/America/Los_Angeles", R_OK) != 0) {
        print_message("skipped: this machine has no zone files\n");
        skip();
    }
    orr_zone *z = orr_zone_open("America/Los_Angeles", &e);
    assert_non_null(z);
    check_faces(z);
    orr_zone_close(z);
}

/* An hour passes between 01:30 before and 01:30 after the change, which the text can't tell; two between 00:30 and
 * 01:30 when clocks go back in between. */
static void a_trace_in_a_zone(void **state)
{
    static const char text[] = "submit,duration,gpus\n2017-11-05 00:30:00,1,1\n2017-11-05 01:30:00,1,1\n"
                               "2017-11-05 02:30:00,1,1\n";
    (void)state;
    orr_trace *plain = reading_well(text, NULL);
    assert_int_equal(orr_trace_jobs(plain)[2].submit, 2 * ORR_HOUR);
    assert_string_equal(orr_trace_origin(plain), "2017-11-05 00:30:00");
    orr_trace_destroy(plain);
    orr_trace *utc = reading_well(text, &(orr_trace_options){.tz = "+01:00"});
    assert_int_equal(orr_trace_jobs(utc)[2].submit, 2 * ORR_HOUR);
    assert_string_equal(orr_trace_origin(utc), "2017-11-05 00:30:00+01:00");
    orr_trace_destroy(utc);
    if (access("/usr/share/zoneinfo/America/Los_Angeles", R_OK) != 0)
        return;
    orr_trace *there = reading_well(text, &(orr_trace_options){.tz = "America/Los_Angeles"});
    assert_int_equal(orr_trace_jobs(there)[1].submit, ORR_HOUR);
    assert_int_equal(orr_trace_jobs(there)[2].submit, 3 * ORR_HOUR);
    assert_string_equal(orr_trace_origin(there), "2017-11-05 00:30:00-07:00");
    assert_int_equal(noted(there, "clock-face-twice"), 1);
    orr_trace_destroy(there);
}

/* Text with an offset of its own is taken exactly, whatever zone is given for the rest. */
static void zoned_text_keeps_its_zone(void **state)
{
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus\n2020-01-01T00:00:00Z,1,1\n2020-01-01T02:00:00,1,1\n",
                                &(orr_trace_options){.tz = "+01:00"});
    assert_int_equal(orr_trace_jobs(t)[1].submit, ORR_HOUR);
    orr_trace_destroy(t);
}

static void an_epoch_gives_relative_times_a_calendar(void **state)
{
    orr_error e = {0};
    (void)state;
    orr_trace *t = reading_well("submit,duration,gpus\n3600,1,1\n", &(orr_trace_options){.epoch = "2020-07-01"});
    assert_string_equal(orr_trace_origin(t), "2020-07-01 00:00:00");
    assert_int_equal(orr_trace_jobs(t)[0].submit, ORR_HOUR);
    orr_trace_destroy(t);
    assert_null(reading("submit,duration,gpus\n2020-01-01,1,1\n", &(orr_trace_options){.epoch = "2020-07-01"}, &e));
    assert_int_equal(e.code, ORR_E_CONFLICT);
    assert_null(reading("submit,duration,gpus\n0,1,1\n", &(orr_trace_options){.epoch = "soon"}, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
    assert_null(reading("submit,duration,gpus\n0,1,1\n", &(orr_trace_options){.tz = "nowhere"}, &e));
    assert_int_equal(e.code, ORR_E_BAD_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets),
        cmocka_unit_test(no_zones),
        cmocka_unit_test(a_place),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(the_machines_own),
        cmocka_unit_test(a_trace_in_a_zone),
        cmocka_unit_test(zoned_text_keeps_its_zone),
        cmocka_unit_test(an_epoch_gives_relative_times_a_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
