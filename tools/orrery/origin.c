#define _POSIX_C_SOURCE 200809L
#include "origin.h"

#include "base/mem.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

void origin_date(char date[16])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    int64_t seconds = 0;
    struct tm t = {0};
    if (!epoch || !orr_parse_i64(epoch, strlen(epoch), &seconds))
        seconds = (int64_t)time(NULL);
    const time_t when = (time_t)seconds;
    gmtime_r(&when, &t);
    strftime(date, 16, "%Y-%m-%d", &t);
}

static void folder_of(const char *file, orr_text *out)
{
    const char *slash = strrchr(file, '/');
    if (!slash)
        orr_text_addf(out, ".");
    else
        orr_text_add(out, file, slash == file ? 1 : (size_t)(slash - file));
}

/* Starts git with its stdout in `pipe` and nothing else of ours; false: it can't be started. */
static bool start_git(const char *folder, int write_end, int read_end, pid_t *pid)
{
    char *argv[] = {"git", "-C", (char *)(uintptr_t)folder, "rev-parse", "--verify", "HEAD", NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions))
        return false;
    posix_spawn_file_actions_adddup2(&actions, write_end, 1);
    posix_spawn_file_actions_addclose(&actions, read_end);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(pid, "git", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed == 0;
}

static void read_line(int from, char *buf, size_t size)
{
    size_t n = 0;
    for (ssize_t got = 1; got > 0 && n + 1 < size; n += (size_t)(got > 0 ? got : 0))
        got = read(from, buf + n, size - 1 - n);
    buf[n] = '\0';
    buf[strcspn(buf, "\n")] = '\0';
}

static bool is_commit(const char *text)
{
    const size_t n = strspn(text, "0123456789abcdef");
    return n >= 40 && text[n] == '\0';
}

void origin_commit(const char *file, char commit[72])
{
    orr_text folder = {0};
    int ends[2], status = 1;
    pid_t pid;
    commit[0] = '\0';
    if (pipe(ends))
        return;
    folder_of(file, &folder);
    const bool started = start_git(folder.at, ends[1], ends[0], &pid);
    close(ends[1]);
    if (started) {
        read_line(ends[0], commit, 72);
        if (waitpid(pid, &status, 0) < 0 || status != 0 || !is_commit(commit))
            commit[0] = '\0';
    }
    close(ends[0]);
    orr_text_fini(&folder);
}
