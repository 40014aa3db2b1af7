/* Outputs: whole or not there at all; the same bytes each time; failures told at the end. */
#define _POSIX_C_SOURCE 200809L
#include "base/io.h"

#include "base/mem.h"
#include "base/rng.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct place {
    char folder[64], path[128];
} place;

static place create_place(const char *name)
{
    place p;
    snprintf(p.folder, sizeof p.folder, "/tmp/orrery-test-XXXXXX");
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/%s", p.folder, name);
    return p;
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

/* Nothing but the file itself was left behind. */
static void remove_place(const place *p, bool with_file)
{
    assert_int_equal(files_in(p->folder), with_file);
    assert_int_equal(unlink(p->path), with_file ? 0 : -1);
    assert_int_equal(rmdir(p->folder), 0);
}

static void check_raw(const char *path, const char *expected, size_t n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *got = orr_xmalloc(n + 1);
    assert_int_equal(fread(got, 1, n + 1, f), n);
    assert_memory_equal(got, expected, n);
    free(got);
    fclose(f);
}

static void put(const char *path, const char *text)
{
    orr_output *out = orr_output_create(path, NULL);
    assert_non_null(out);
    orr_output_text(out, text);
    assert_int_equal(orr_output_commit(out, NULL), ORR_OK);
}

static void a_file_appears_when_it_is_complete(void **state)
{
    (void)state;
    place p = create_place("summary.json");
    orr_output *out = orr_output_create(p.path, NULL);
    assert_non_null(out);
    orr_output_write(out, "a\0b", 3);
    orr_output_text(out, "{}");
    orr_output_printf(out, "%d %s\n", 7, "jobs");
    assert_int_equal(access(p.path, F_OK), -1);
    assert_int_equal(files_in(p.folder), 1); /* under its temporary name */
    assert_int_equal(orr_output_commit(out, NULL), ORR_OK);
    check_raw(p.path, "a\0b{}7 jobs\n", 12);
    remove_place(&p, true);
}

static void an_abandoned_file_leaves_what_was_there(void **state)
{
    (void)state;
    place p = create_place("summary.json");
    orr_output *out = orr_output_create(p.path, NULL);
    orr_output_text(out, "half");
    orr_output_abandon(out);
    assert_int_equal(files_in(p.folder), 0);
    put(p.path, "old");
    out = orr_output_create(p.path, NULL);
    orr_output_text(out, "half");
    orr_output_abandon(out);
    check_raw(p.path, "old", 3);
    put(p.path, "new");
    check_raw(p.path, "new", 3);
    remove_place(&p, true);
    orr_output_abandon(NULL);
}

static void two_outputs_of_one_name_do_not_mix(void **state)
{
    (void)state;
    place p = create_place("x");
    orr_output *a = orr_output_create(p.path, NULL), *b = orr_output_create(p.path, NULL);
    orr_output_text(a, "aaaa");
    orr_output_text(b, "b");
    assert_int_equal(orr_output_commit(b, NULL), ORR_OK);
    assert_int_equal(orr_output_commit(a, NULL), ORR_OK);
    check_raw(p.path, "aaaa", 4);
    remove_place(&p, true);
}

static void the_longest_name_is_no_obstacle(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    place p = {0};
    char path[400];
    p = create_place("x");
    snprintf(path, sizeof path, "%s/%s", p.folder, name);
    put(path, "x");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(p.folder), 0);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    place p = create_place("real");
    char link[140];
    snprintf(link, sizeof link, "%s/link", p.folder);
    put(p.path, "old");
    assert_int_equal(symlink(p.path, link), 0);
    put(link, "new");
    check_raw(p.path, "new", 3);
    struct stat facts;
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    unlink(link);
    remove_place(&p, true);
}

static void write_much(orr_output *out)
{
    for (uint64_t i = 0; i < 30000; i++)
        orr_output_printf(out, "%llx,%d\n", (unsigned long long)orr_mix64(i), (int)i);
}

static char *contents(const char *path, size_t *size, bool decompressed)
{
    char *data = NULL;
    if (decompressed) {
        orr_input *in = orr_input_open(path, NULL);
        assert_non_null(in);
        assert_int_equal(orr_input_all(in, &data, size, NULL), ORR_OK);
        orr_input_close(in);
        return data;
    }
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    *size = (size_t)facts.st_size;
    data = orr_xmalloc(*size);
    assert_int_equal(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static char *written(const place *p, size_t *size, bool decompressed)
{
    orr_output *out = orr_output_create(p->path, NULL);
    assert_non_null(out);
    write_much(out);
    assert_int_equal(orr_output_commit(out, NULL), ORR_OK);
    return contents(p->path, size, decompressed);
}

static void compressed_by_name_and_the_same_each_time(void **state)
{
    (void)state;
    const char *const names[] = {"x.csv.gz", "x.csv.zst"};
    place plain = create_place("x.csv");
    size_t size;
    char *expected = written(&plain, &size, false);
    for (int i = 0; i < 2; i++) {
        place p = create_place(names[i]);
        size_t n, first, second;
        char *text = written(&p, &n, true), *a = written(&p, &first, false);
        nanosleep(&(struct timespec){1, 100000000}, NULL); /* a time stamp would change */
        char *b = written(&p, &second, false);
        assert_int_equal(n, size);
        assert_memory_equal(text, expected, size);
        assert_true(first < size);
        assert_int_equal(first, second);
        assert_memory_equal(a, b, first);
        free(text);
        free(a);
        free(b);
        remove_place(&p, true);
    }
    free(expected);
    remove_place(&plain, true);
}

static void nothing_compresses_to_a_valid_file(void **state)
{
    (void)state;
    const char *const names[] = {"x.gz", "x.zst"};
    for (int i = 0; i < 2; i++) {
        place p = create_place(names[i]);
        put(p.path, "");
        size_t n;
        free(contents(p.path, &n, false));
        assert_true(n > 0);
        free(contents(p.path, &n, true));
        assert_int_equal(n, 0);
        remove_place(&p, true);
    }
}

static void printf_of_any_length(void **state)
{
    (void)state;
    place p = create_place("x");
    orr_output *out = orr_output_create(p.path, NULL);
    orr_output_printf(out, "%*d", 65530, 1);
    orr_output_printf(out, "%s", "123456"); /* its NUL falls behind the buffer */
    orr_output_printf(out, "%s", "1234567");
    orr_output_printf(out, "%*d", 200000, 2);
    assert_int_equal(orr_output_commit(out, NULL), ORR_OK);
    size_t n;
    char *got = contents(p.path, &n, false);
    assert_int_equal(n, 65530 + 6 + 7 + 200000);
    assert_memory_equal(got + 65529, "11234561234567   ", 17);
    assert_int_equal(got[n - 1], '2');
    free(got);
    remove_place(&p, true);
}

static void csv_fields_are_quoted_only_if_they_must_be(void **state)
{
    (void)state;
    const struct {
        const char *text, *expected;
    } rows[] = {
        {"", ""},
        {"plain text", "plain text"},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"\"", "\"\"\"\""},
        {"a\nb", "\"a\nb\""},
        {"a\rb", "\"a\rb\""},
        {"#no comment", "\"#no comment\""},
        {"job #3", "job #3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        place p = create_place("x");
        orr_output *out = orr_output_create(p.path, NULL);
        orr_output_csv(out, rows[i].text);
        assert_int_equal(orr_output_commit(out, NULL), ORR_OK);
        check_raw(p.path, rows[i].expected, strlen(rows[i].expected));
        remove_place(&p, true);
    }
}

/* ---- failures ---- */

static void what_cannot_be_created(void **state)
{
    (void)state;
    place p = create_place("file");
    put(p.path, "x");
    char under_file[160];
    snprintf(under_file, sizeof under_file, "%s/summary.json", p.path);
    const char *const paths[] = {under_file, "/nowhere/at/all/x", p.folder};
    for (int i = 0; i < 3; i++) {
        orr_error e = {0};
        assert_null(orr_output_create(paths[i], &e));
        assert_int_equal(e.code, ORR_E_CREATE);
        assert_string_equal(e.file, paths[i]);
        assert_true(e.hint[0] != '\0');
        assert_null(orr_output_create(paths[i], NULL));
    }
    remove_place(&p, true);
}

static void a_folder_without_permission(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        print_message("skipped: the superuser may write anywhere\n");
        skip();
    }
    place p = create_place("x");
    assert_int_equal(chmod(p.folder, 0500), 0);
    orr_error e = {0};
    assert_null(orr_output_create(p.path, &e));
    assert_int_equal(e.code, ORR_E_CREATE);
    assert_non_null(strstr(e.message, "ermission"));
    chmod(p.folder, 0700);
    remove_place(&p, false);
}

static void a_full_disk_is_told_at_the_end(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: there is no /dev/full\n");
        skip();
    }
    for (int much = 0; much < 2; much++) {
        orr_error e = {0};
        orr_output *out = orr_output_create("/dev/full", &e);
        assert_non_null(out);
        orr_output_text(out, "a little");
        if (much)
            write_much(out);
        assert_int_equal(orr_output_commit(out, &e), ORR_E_WRITE);
        assert_string_equal(e.file, "/dev/full");
        assert_non_null(strstr(e.message, "No space"));
        assert_non_null(strstr(e.hint, "disk is full"));
    }
    struct stat facts; /* a device isn't renamed over */
    assert_int_equal(stat("/dev/full", &facts), 0);
    assert_true(S_ISCHR(facts.st_mode));
}

static int write_with_a_limit(const char *path)
{
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, 100000});
    orr_error e = {0};
    orr_output *out = orr_output_create(path, &e);
    if (!out)
        return 1;
    write_much(out);
    return orr_output_commit(out, &e) == ORR_E_WRITE && e.message[0] ? 0 : 2;
}

/* A limit on the size of files stands for a disk that fills up midway: the old file stays, no temporary one does. */
static void a_write_that_fails_midway_leaves_the_old_file(void **state)
{
    (void)state;
    const char *const names[] = {"x.csv", "x.csv.gz", "x.csv.zst"};
    for (int i = 0; i < 3; i++) {
        place p = create_place(names[i]);
        put(p.path, "old");
        size_t n, still;
        char *old = contents(p.path, &n, false);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(write_with_a_limit(p.path));
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        char *now = contents(p.path, &still, false);
        assert_int_equal(n, still);
        assert_memory_equal(old, now, n);
        free(old);
        free(now);
        remove_place(&p, true);
    }
}

static void standard_output_is_written_and_left_open(void **state)
{
    (void)state;
    place p = create_place("captured");
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    assert_non_null(freopen(p.path, "wb", stdout));
    printf("before ");
    orr_output *out = orr_output_create("-", NULL);
    orr_output_text(out, "between");
    orr_err err = orr_output_commit(out, NULL);
    printf(" after");
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(err, ORR_OK);
    check_raw(p.path, "before between after", 20);
    remove_place(&p, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_appears_when_it_is_complete),
        cmocka_unit_test(an_abandoned_file_leaves_what_was_there),
        cmocka_unit_test(two_outputs_of_one_name_do_not_mix),
        cmocka_unit_test(the_longest_name_is_no_obstacle),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(compressed_by_name_and_the_same_each_time),
        cmocka_unit_test(nothing_compresses_to_a_valid_file),
        cmocka_unit_test(printf_of_any_length),
        cmocka_unit_test(csv_fields_are_quoted_only_if_they_must_be),
        cmocka_unit_test(what_cannot_be_created),
        cmocka_unit_test(a_folder_without_permission),
        cmocka_unit_test(a_full_disk_is_told_at_the_end),
        cmocka_unit_test(a_write_that_fails_midway_leaves_the_old_file),
        cmocka_unit_test(standard_output_is_written_and_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
