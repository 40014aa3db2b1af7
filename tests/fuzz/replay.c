/* Runs a fuzz target over files, or over all files of folders, without a fuzzer: corpora as ordinary tests. An empty input
 * always comes first. Fails if a target crashes, or if a folder named holds nothing.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A block of just the file's size, so that a sanitizer sees a read behind its end. */
static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || stat(path, &st) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return -1;
    }
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);
    size_t got = data ? fread(data, 1, size, f) : 0;
    fclose(f);
    if (data && got == size) {
        printf("%s\n", path);
        fflush(stdout);
        LLVMFuzzerTestOneInput(data, size);
    }
    free(data);
    return got == size ? 1 : -1;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Files run, or -1. In the order of names, so that a crash is found at the same place again. */
static int run_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_visible, alphasort);
    int ran = n < 0 ? -1 : 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        bool fits = length > 0 && (size_t)length < sizeof path;
        if (ran >= 0)
            ran = fits && run_file(path) == 1 ? ran + 1 : -1;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return ran;
}

int main(int argc, char **argv)
{
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    int total = 0;
    for (int i = 1; i < argc; i++) {
        struct stat st;
        bool folder = stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode);
        int ran = folder ? run_folder(argv[i]) : run_file(argv[i]);
        if (ran <= 0) {
            fprintf(stderr, "%s: nothing could be run\n", argv[i]);
            return 1;
        }
        total += ran;
    }
    printf("%d inputs\n", total);
    return 0;
}
