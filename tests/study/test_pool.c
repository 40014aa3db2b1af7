/* Pieces in child processes: what comes out is that of one process, whatever happens to the children. */
#define _GNU_SOURCE
#include "base/mem.h"
#include "study/pool.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct outcome {
    orr_text bytes;
    orr_err code;
    char message[800];
    int times;
} outcome;

typedef struct stage {
    outcome *of; /* by piece */
    size_t n, done, stop_after; /* 0: never */
    size_t crash, fail, quit;   /* pieces that do so; SIZE_MAX: none */
    bool slow, tick_stops;
} stage;

static stage *new_stage(size_t n)
{
    stage *s = orr_xcalloc(1, sizeof *s);
    s->of = orr_xcalloc(n, sizeof *s->of);
    s->n = n;
    s->crash = s->fail = s->quit = SIZE_MAX;
    return s;
}

static void free_stage(stage *s)
{
    for (size_t i = 0; i < s->n; i++)
        orr_text_fini(&s->of[i].bytes);
    free(s->of);
    free(s);
}

static void nap(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* The text of a piece grows with it: from nothing to far more than a socket holds. */
static orr_err piece(void *self, size_t i, orr_text *out, orr_error *e)
{
    const stage *s = self;
    if (i == s->crash)
        raise(SIGKILL);
    if (i == s->quit)
        _exit(3);
    if (s->slow)
        nap(20000);
    for (size_t k = 0; k < i * i; k++)
        orr_text_addf(out, "%zu,", i + k);
    if (i != s->fail)
        return ORR_OK;
    orr_error_set(e, ORR_E_NUMBER, "piece %zu is bad", i);
    orr_error_at(e, "its.file", 7, 3);
    return ORR_E_NUMBER;
}

static bool done(void *self, size_t i, const orr_text *bytes, const orr_error *error)
{
    stage *s = self;
    outcome *o = &s->of[i];
    o->times++;
    if (bytes->n)
        orr_text_add(&o->bytes, bytes->at, bytes->n);
    if (error) {
        o->code = error->code;
        snprintf(o->message, sizeof o->message, "%.100s:%d %.600s", error->file, error->line, error->message);
    }
    return ++s->done != s->stop_after;
}

static bool tick(void *self)
{
    return !((stage *)self)->tick_stops;
}

static orr_err go(stage *s, int jobs)
{
    orr_error e = {0};
    size_t *list = orr_xcalloc(s->n, sizeof *list);
    for (size_t i = 0; i < s->n; i++)
        list[i] = s->n - 1 - i;
    const orr_pool_work work = {s, piece, done, tick};
    const orr_err err = orr_pool_run(&work, list, s->n, jobs, &e);
    assert_int_equal(err, e.code);
    free(list);
    return err;
}

static size_t open_files(void)
{
    size_t n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void nothing_is_left(size_t files)
{
    assert_int_equal(open_files(), files);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void any_number_of_children_gives_the_same(void **state)
{
    (void)state;
    static const int jobs[] = {2, 3, 40, 0};
    const size_t n = 30, files = open_files();
    stage *alone = new_stage(n);
    alone->fail = 11;
    assert_int_equal(go(alone, 1), ORR_OK);
    for (size_t k = 0; k < 4; k++) {
        stage *many = new_stage(n);
        many->fail = 11;
        assert_int_equal(go(many, jobs[k]), ORR_OK);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(many->of[i].times, 1);
            assert_int_equal(many->of[i].code, i == 11 ? ORR_E_NUMBER : ORR_OK);
            assert_string_equal(many->of[i].message, alone->of[i].message);
            assert_int_equal(many->of[i].bytes.n, alone->of[i].bytes.n);
            assert_memory_equal(many->of[i].bytes.at, alone->of[i].bytes.at, alone->of[i].bytes.n);
        }
        free_stage(many);
        nothing_is_left(files);
    }
    assert_string_equal(alone->of[11].message, "its.file:7 piece 11 is bad");
    free_stage(alone);
}

static void a_child_that_dies_is_named_and_replaced(void **state)
{
    (void)state;
    const size_t files = open_files();
    stage *s = new_stage(20);
    s->crash = 18;
    s->quit = 5;
    assert_int_equal(go(s, 2), ORR_OK);
    for (size_t i = 0; i < 20; i++) {
        assert_int_equal(s->of[i].times, 1);
        assert_int_equal(s->of[i].code, i == 18 || i == 5 ? ORR_E_INVARIANT : ORR_OK);
    }
    assert_non_null(strstr(s->of[18].message, "signal 9"));
    assert_non_null(strstr(s->of[5].message, "status 3"));
    assert_int_equal(s->of[4].bytes.n, strlen("4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,"));
    nothing_is_left(files);
    free_stage(s);
}

static void a_thousand_pieces(void **state)
{
    (void)state;
    const size_t files = open_files();
    orr_error e = {0};
    stage *s = new_stage(1000);
    size_t list[1000];
    for (size_t i = 0; i < 1000; i++)
        list[i] = i % 40; /* small ones; each is done 25 times */
    const orr_pool_work work = {s, piece, done, NULL};
    assert_int_equal(orr_pool_run(&work, list, 1000, 4, &e), ORR_OK);
    assert_int_equal(s->done, 1000);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(s->of[i].times, 25);
    nothing_is_left(files);
    free_stage(s);
}

static void done_can_stop_it(void **state)
{
    (void)state;
    for (int jobs = 1; jobs <= 3; jobs++) {
        const size_t files = open_files();
        stage *s = new_stage(50);
        s->stop_after = 4;
        assert_int_equal(go(s, jobs), ORR_OK);
        assert_in_range(s->done, 4, 4 + jobs - 1); /* those at work end */
        nothing_is_left(files);
        free_stage(s);
    }
}

/* Pieces that nothing but a signal ends. */
static void a_tick_can_stop_it(void **state)
{
    (void)state;
    const time_t began = time(NULL);
    const size_t files = open_files();
    stage *s = new_stage(8);
    s->slow = s->tick_stops = true;
    assert_int_equal(go(s, 2), ORR_OK);
    assert_int_equal(s->done, 2);
    assert_int_equal(s->of[7].code, ORR_E_INTERRUPTED);
    assert_int_equal(s->of[6].code, ORR_E_INTERRUPTED);
    assert_true(time(NULL) - began < 10);
    nothing_is_left(files);
    free_stage(s);
    s = new_stage(8);
    s->tick_stops = true;
    assert_int_equal(go(s, 1), ORR_OK);
    assert_int_equal(s->done, 0);
    free_stage(s);
}

static void no_pieces(void **state)
{
    (void)state;
    stage *s = new_stage(1);
    const orr_pool_work work = {s, piece, done, NULL};
    assert_int_equal(orr_pool_run(&work, NULL, 0, 1, NULL), ORR_OK);
    assert_int_equal(orr_pool_run(&work, NULL, 0, 4, NULL), ORR_OK);
    assert_int_equal(s->done, 0);
    free_stage(s);
}

/* A child writes its number down and sleeps; its parent is killed. */
static orr_err sleeper(void *self, size_t i, orr_text *out, orr_error *e)
{
    (void)i, (void)out, (void)e;
    const pid_t me = getpid();
    assert_int_equal(write(*(int *)self, &me, sizeof me), sizeof me);
    nap(30000);
    return ORR_OK;
}

static bool is_gone(pid_t pid)
{
    char path[64], text[400] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f)
        return true;
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    return n == 0 || strstr(text, ") Z ");
}

static void children_die_with_their_parent(void **state)
{
    (void)state;
    int ends[2];
    pid_t child[2];
    const size_t list[] = {0, 1};
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();
    if (parent == 0) {
        const orr_pool_work work = {&ends[1], sleeper, done, NULL};
        _exit(orr_pool_run(&work, list, 2, 2, NULL));
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(ends[0], &child[i], sizeof child[i]), sizeof child[i]);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    for (int i = 0; i < 500 && !(is_gone(child[0]) && is_gone(child[1])); i++)
        nap(10);
    assert_true(is_gone(child[0]) && is_gone(child[1]));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_children_gives_the_same),
        cmocka_unit_test(a_child_that_dies_is_named_and_replaced),
        cmocka_unit_test(a_thousand_pieces),
        cmocka_unit_test(done_can_stop_it),
        cmocka_unit_test(a_tick_can_stop_it),
        cmocka_unit_test(no_pieces),
        cmocka_unit_test(children_die_with_their_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
