#define _XOPEN_SOURCE 700
#include "scratch.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

const char *scratch_folder(char buf[64])
{
    snprintf(buf, 64, "/tmp/orrery-trace-XXXXXX");
    assert_non_null(mkdtemp(buf));
    return buf;
}

static void make_path(char path[1024], const char *folder, const char *name)
{
    snprintf(path, 1024, "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
}

void scratch_write(const char *folder, const char *name, const char *text)
{
    char path[1024];
    make_path(path, folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

void scratch_link(const char *folder, const char *name, const char *target)
{
    char path[1024];
    make_path(path, folder, name);
    assert_int_equal(symlink(target, path), 0);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

void scratch_remove(const char *folder)
{
    assert_int_equal(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}
