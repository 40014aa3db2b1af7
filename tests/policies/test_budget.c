/* A policy is one short file that sees what a plugin sees. Lines are counted without blank ones and comments. */
#include "base/io.h"
#include "base/text.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define POLICIES ORR_SOURCE_DIR "/policies/"

/* What is left of a line outside comments; *inside: a comment goes on. Good for our style, not for all of C. */
static const char *code_of(const char *line, bool *inside)
{
    if (*inside) {
        const char *end = strstr(line, "*/");
        if (!end)
            return "";
        *inside = false;
        line = end + 2;
    }
    line += strspn(line, " \t");
    if (strncmp(line, "/*", 2) == 0) {
        *inside = true;
        return code_of(line + 2, inside);
    }
    return strncmp(line, "//", 2) == 0 ? "" : line;
}

static bool may_include(const char *line)
{
    static const char *const plain[] = {"float",   "inttypes", "limits", "math",   "stdarg", "stdbool",
                                        "stddef",  "stdint",   "stdio",  "stdlib", "string"};
    char name[64];
    if (sscanf(line, "#include <%63[^>]>", name) != 1)
        return false;
    if (strncmp(name, "orrery/", 7) == 0)
        return true;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strncmp(name, plain[i], strlen(plain[i])) == 0 && strcmp(name + strlen(plain[i]), ".h") == 0)
            return true;
    return false;
}

/* Lines of code; fails on an include that a plugin couldn't have. */
static int lines_of(const char *path)
{
    orr_error e = {0};
    orr_input *in = orr_input_open(path, &e);
    if (!in)
        fail_msg("%s: %s", path, e.message);
    char *line = NULL;
    size_t length = 0;
    int count = 0;
    bool inside = false;
    while (orr_input_line(in, &line, &length, &e) == ORR_OK && line) {
        const char *code = code_of(line, &inside);
        count += *code != 0;
        if (strncmp(code, "#include", 8) == 0 && !may_include(code))
            fail_msg("%s: %s", path, code);
    }
    orr_input_close(in);
    return count;
}

static void short_ones_stay_short(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int most;
    } budget[] = {{"fifo", 25}, {"sjf", 25}, {"srtf", 35}, {"srsf", 35}, {"easy", 25}, {"las", 35}, {"tiresias", 150}};
    char path[512];
    for (size_t i = 0; i < sizeof budget / sizeof *budget; i++) {
        snprintf(path, sizeof path, POLICIES "sched/%s.c", budget[i].name);
        int lines = lines_of(path);
        if (lines > budget[i].most)
            fail_msg("%s has %d lines of code, %d are its budget", budget[i].name, lines, budget[i].most);
    }
}

/* Systems that are several at once: packing, slicing and migration; a profiler before a scheduler; apps before jobs; a matching and
 * gangs; models learned, a search, batches and a cluster that breathes. */
static int budget_of(const char *file)
{
    static const struct {
        const char *file;
        int most;
    } wide[] = {{"gandiva.c", 560}, {"lucid.c", 350}, {"themis.c", 350}, {"allox.c", 350}, {"hived.c", 320}, {"pollux.c", 500}, {"elasticflow.c", 655},
              {"sia.c", 525}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (strcmp(file, wide[i].file) == 0)
            return wide[i].most;
    return 300;
}

/* All others: 300 lines, after which something is missing in the library. */
static void every_file(void **state)
{
    (void)state;
    static const char *const folders[] = {"sched", "place", "estimate", "serve"};
    int files = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[768];
        snprintf(path, sizeof path, POLICIES "%s", folders[i]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
            size_t n = strlen(entry->d_name);
            if (n < 3 || strcmp(entry->d_name + n - 2, ".c") != 0)
                continue;
            snprintf(path, sizeof path, POLICIES "%s/%s", folders[i], entry->d_name);
            if (lines_of(path) > budget_of(entry->d_name))
                fail_msg("%s has %d lines of code", path, lines_of(path));
            files++;
        }
        closedir(dir);
    }
    assert_true(files >= 25);
}

static void counting(void **state)
{
    (void)state;
    bool inside = false;
    assert_string_equal(code_of("    int x; /* why */", &inside), "int x; /* why */");
    assert_string_equal(code_of("/* a", &inside), "");
    assert_true(inside);
    assert_string_equal(code_of("   b */", &inside), "");
    assert_false(inside);
    assert_string_equal(code_of("   ", &inside), "");
    assert_string_equal(code_of("/* one */ int y;", &inside), "int y;");
    assert_true(may_include("#include <orrery/policy.h>"));
    assert_true(may_include("#include <math.h>"));
    assert_false(may_include("#include <time.h>"));
    assert_false(may_include("#include \"sched/list.h\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counting),
        cmocka_unit_test(short_ones_stay_short),
        cmocka_unit_test(every_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
