/* The journal of a sweep: nothing that was written is lost, and what comes out depends on the cells alone. */
#define _POSIX_C_SOURCE 200809L
#include "study/cells.h"

#include "base/mem.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/orrery-cells-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    (void)state;
    orr_error e = {0};
    (void)!orr_cells_remove(dir, &e);
    return rmdir(dir);
}

static void path_of(const char *name, char path[160])
{
    snprintf(path, 160, "%s/%s", dir, name);
}

static void append(orr_cells *c, size_t cell)
{
    orr_error e = {0};
    orr_text t = {0};
    orr_cells_line_begin(cell, &t);
    orr_text_addf(&t, "\"square\":%zu}\n", cell * cell);
    assert_int_equal(orr_cells_append(c, &t, true, &e), ORR_OK);
    orr_text_fini(&t);
}

static orr_cells *reopen(size_t total)
{
    orr_error e = {0};
    orr_cells *c = orr_cells_open(dir, total, &e);
    if (!c)
        fail_msg("%s", e.message);
    return c;
}

static void assert_file(const char *name, const char *want)
{
    char path[160], got[1000] = "";
    path_of(name, path);
    FILE *f = fopen(path, "rb");
    if (!f && !want)
        return;
    assert_non_null(f);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    if (!want)
        fail_msg("%s is there", name);
    assert_string_equal(got, want);
}

#define LINE(n, square) "{\"schema\":\"orrery.cell/1\",\"cell\":" n ",\"square\":" square "}\n"

static void order_of_ending_does_not_show(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_text t = {0};
    orr_cells *c = reopen(3);
    append(c, 2);
    append(c, 3);
    assert_file(ORR_CELLS_JOURNAL, LINE("2", "4") LINE("3", "9"));
    append(c, 1);
    assert_int_equal(orr_cells_finish(c, &e), ORR_OK);
    assert_file(ORR_CELLS_FILE, LINE("1", "1") LINE("2", "4") LINE("3", "9"));
    assert_file(ORR_CELLS_JOURNAL, NULL);
    assert_int_equal(orr_cells_line(c, 3, &t, &e), ORR_OK);
    assert_string_equal(t.at, "{\"schema\":\"orrery.cell/1\",\"cell\":3,\"square\":9}");
    orr_text_fini(&t);
    orr_cells_close(c);
    c = reopen(3);
    assert_int_equal(orr_cells_count(c), 3);
    orr_cells_close(c);
}

/* As a kill leaves it: the last line without its end. It is dropped, and what follows stands on a line of its own. */
static void a_torn_line_is_dropped(void **state)
{
    (void)state;
    char path[160];
    orr_cells *c = reopen(3);
    append(c, 3);
    orr_cells_close(c);
    path_of(ORR_CELLS_JOURNAL, path);
    FILE *f = fopen(path, "ab");
    fputs("{\"schema\":\"orrery.cell/1\",\"cell\":1,\"squ", f);
    fclose(f);
    c = reopen(3);
    assert_true(orr_cells_has(c, 3) && !orr_cells_has(c, 1));
    append(c, 1);
    orr_cells_close(c);
    assert_file(ORR_CELLS_JOURNAL, LINE("3", "9") LINE("1", "1"));
    c = reopen(3);
    assert_int_equal(orr_cells_count(c), 2);
    orr_cells_close(c);
}

/* A disk that lost power may hold anything; such lines are no cells, and no cell beyond the plan is one. */
static void foreign_lines_are_no_cells(void **state)
{
    (void)state;
    char path[160];
    path_of(ORR_CELLS_JOURNAL, path);
    FILE *f = fopen(path, "wb");
    fputs("\n{}\n" LINE("x", "1") LINE("0", "0") LINE("4", "16")
              LINE("2", "4") "{\"schema\":\"orrery.cell/1\",\"cell\":1,\n",
          f);
    fclose(f);
    orr_cells *c = reopen(3);
    assert_int_equal(orr_cells_count(c), 1);
    assert_true(orr_cells_has(c, 2));
    orr_cells_close(c);
}

static void a_journal_has_one_writer(void **state)
{
    (void)state;
    orr_cells *c = reopen(3);
    const pid_t child = fork();
    if (child == 0) {
        orr_error e = {0};
        _exit(!orr_cells_open(dir, 3, &e) && e.code == ORR_E_CREATE ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    orr_cells_close(c);
}

static void without_a_folder_nothing_is_left(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_cells *c = orr_cells_open(NULL, 5, &e);
    assert_non_null(c);
    append(c, 4);
    orr_text t = {0};
    assert_int_equal(orr_cells_finish(c, &e), ORR_OK);
    assert_int_equal(orr_cells_line(c, 4, &t, &e), ORR_OK);
    assert_non_null(strstr(t.at, "\"square\":16}"));
    orr_text_fini(&t);
    orr_cells_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(order_of_ending_does_not_show, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(a_torn_line_is_dropped, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(foreign_lines_are_no_cells, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(a_journal_has_one_writer, make_dir, drop_dir),
        cmocka_unit_test(without_a_folder_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
