/* Runs a fuzz target over files: each argument is a file, or a folder whose files are run in the order of their names.
 * Fails if there was none, so that a corpus that moved away is noticed. */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return -1;
    }
    size_t size = 0, room = 0;
    uint8_t *data = NULL;
    for (size_t got = 1; got; size += got) {
        if (size == room) {
            room = room ? 2 * room : 4096;
            data = realloc(data, room);
            if (!data)
                abort();
        }
        got = fread(data + size, 1, room - size, f);
    }
    fclose(f);
    printf("%s (%zu bytes)\n", path, size);
    fflush(stdout); /* names the culprit if the next line never comes */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int run_folder(const char *path)
{
    struct dirent **entries;
    const int n = scandir(path, &entries, not_hidden, alphasort);
    int run = 0;
    if (n < 0)
        return run_file(path);
    for (int i = 0; i < n; i++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        const int one = run_file(name);
        run = one < 0 || run < 0 ? -1 : run + one;
        free(entries[i]);
    }
    free(entries);
    return run;
}

int main(int argc, char **argv)
{
    int run = 0;
    for (int i = 1; i < argc && run >= 0; i++) {
        const int some = run_folder(argv[i]);
        run = some < 0 ? -1 : run + some;
    }
    if (run == 0)
        fprintf(stderr, "%s: no input was run\n", argv[0]);
    return run > 0 ? 0 : 1;
}
