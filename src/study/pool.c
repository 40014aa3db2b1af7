/* A parent and its children, each at one end of a line (a pair of sockets). A piece goes over as its number; back come
 * a head, the error if there is one, and the bytes. The parent sleeps in poll(2) until a child has something to say or
 * died, and looks after `tick` a few times a second.
 *
 * A child ends when its line is closed, which the death of the parent does, too; one in the middle of a piece is killed
 * then.
 */
#define _GNU_SOURCE
#include "study/pool.h"

#include "base/mem.h"
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 100, CHUNK = 1 << 16 };

typedef struct child {
    pid_t pid; /* 0: gone */
    int line;
    bool busy;
    size_t piece;
    orr_text got; /* of the result that is coming */
} child;

typedef struct head {
    uint64_t bytes;
    bool failed; /* an orr_error follows before the bytes */
} head;

typedef struct pool {
    const orr_pool_work *work;
    const size_t *list;
    size_t n, next; /* next: the first of the list that nobody has begun */
    child *children;
    size_t count;
    bool stop, hurried; /* nothing more is begun; and children were told to come to an end */
} pool;

/* ---- the line ---- */

/* No signal if nobody is there any more. */
static bool send_all(int line, const void *data, size_t n)
{
    for (const char *p = data; n > 0;) {
        const ssize_t k = send(line, p, n, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static bool receive_all(int line, void *data, size_t n)
{
    for (char *p = data; n > 0;) {
        const ssize_t k = recv(line, p, n, 0);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

/* ---- in a child ---- */

static bool do_piece(const orr_pool_work *work, size_t piece, int line)
{
    orr_text out = {0};
    orr_error e = {0};
    const orr_err err = work->piece(work->self, piece, &out, &e);
    if (err && !e.code)
        orr_error_set(&e, err, "%s", orr_err_text(err));
    head h = {.bytes = out.n, .failed = err != ORR_OK};
    const bool ok = send_all(line, &h, sizeof h) && (!h.failed || send_all(line, &e, sizeof e)) &&
                    send_all(line, out.at, out.n);
    orr_text_fini(&out);
    return ok;
}

/* A terminal sends SIGINT to all, and the parent may pass it on besides: the second must not kill what the first
 * asked to come to an end. */
static void stay_interruptible(void)
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) == 0 && action.sa_flags & (int)SA_RESETHAND) {
        action.sa_flags &= ~(int)SA_RESETHAND;
        sigaction(SIGINT, &action, NULL);
    }
}

static _Noreturn void be_child(const orr_pool_work *work, int line, pid_t parent)
{
    size_t piece;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    stay_interruptible();
    if (getppid() == parent)
        while (receive_all(line, &piece, sizeof piece) && do_piece(work, piece, line))
            ;
    _exit(0);
}

/* ---- children come and go ---- */

/* In a new child: the lines of its siblings, so that they close when the parent says so. */
static void close_others(const pool *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->children[i].pid)
            close(p->children[i].line);
}

static bool begin_child(pool *p, child *c)
{
    int ends[2];
    const pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    fflush(NULL); /* a child must not have a copy of what waits to be written */
    const pid_t pid = fork();
    if (pid == 0) {
        close_others(p);
        close(ends[0]);
        be_child(p->work, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    *c = (child){.pid = pid, .line = ends[0]};
    return true;
}

/* Waits for a child whose line has closed, or that has nothing to do; its wait status. */
static int end_child(child *c)
{
    int status = 0;
    close(c->line);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
        ;
    orr_text_fini(&c->got);
    *c = (child){0};
    return status;
}

static orr_err how_it_died(int status, bool stopped, orr_error *e)
{
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGINT && stopped)
        return orr_error_set(e, ORR_E_INTERRUPTED, "interrupted");
    if (signal)
        return orr_error_set(e, ORR_E_INVARIANT, "a working process was killed by signal %d (%s)", signal,
                             strsignal(signal));
    if (WEXITSTATUS(status) == orr_err_exit_status(ORR_E_MEMORY))
        return orr_error_set(e, ORR_E_MEMORY, "a working process ran out of memory");
    return orr_error_set(e, ORR_E_INVARIANT, "a working process ended with status %d", WEXITSTATUS(status));
}

/* ---- the parent's side of a piece ---- */

static void give(pool *p, child *c)
{
    c->busy = !p->stop && p->next < p->n;
    if (!c->busy)
        return;
    c->piece = p->list[p->next++];
    (void)!send_all(c->line, &c->piece, sizeof c->piece); /* that it is dead shows when it is heard */
}

static void report(pool *p, size_t piece, const orr_text *bytes, const orr_error *error)
{
    if (!p->work->done(p->work->self, piece, bytes, error))
        p->stop = true;
}

/* True if the child's result is complete: it was reported. */
static bool take_result(pool *p, child *c)
{
    head h;
    orr_error e;
    if (c->got.n < sizeof h)
        return false;
    memcpy(&h, c->got.at, sizeof h);
    const size_t begin = sizeof h + (h.failed ? sizeof e : 0);
    if (c->got.n - sizeof h < begin - sizeof h || c->got.n - begin < h.bytes)
        return false;
    if (h.failed)
        memcpy(&e, c->got.at + sizeof h, sizeof e);
    const orr_text bytes = {.at = c->got.at + begin, .n = (size_t)h.bytes};
    c->busy = false;
    report(p, c->piece, &bytes, h.failed ? &e : NULL);
    orr_text_fini(&c->got);
    return true;
}

static void bury(pool *p, child *c)
{
    static const orr_text nothing = {0};
    orr_error e = {0};
    const bool busy = c->busy;
    const size_t piece = c->piece;
    const int status = end_child(c);
    if (!busy)
        return;
    (void)!how_it_died(status, p->hurried, &e);
    report(p, piece, &nothing, &e);
}

/* A child has spoken, or its line has closed. */
static void hear(pool *p, child *c)
{
    char chunk[CHUNK];
    const ssize_t k = recv(c->line, chunk, sizeof chunk, 0);
    if (k < 0 && errno == EINTR)
        return;
    if (k > 0) {
        orr_text_add(&c->got, chunk, (size_t)k);
        if (take_result(p, c))
            give(p, c);
        return;
    }
    bury(p, c);
    if (!p->stop && p->next < p->n && begin_child(p, c))
        give(p, c);
}

/* ---- the whole ---- */

/* Asks children to bring what they are at to an end; what has no handler for it dies. */
static void hurry(pool *p)
{
    p->stop = p->hurried = true;
    for (size_t i = 0; i < p->count; i++)
        if (p->children[i].pid && p->children[i].busy)
            kill(p->children[i].pid, SIGINT);
}

static void look_around(pool *p)
{
    if (p->work->tick && !p->work->tick(p->work->self) && !p->hurried)
        hurry(p);
}

/* Waits for busy children; false: there are none. */
static bool wait_for_some(pool *p, struct pollfd *fds)
{
    nfds_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->children[i].pid && p->children[i].busy)
            fds[n++] = (struct pollfd){.fd = p->children[i].line, .events = POLLIN};
    if (n == 0)
        return false;
    if (poll(fds, n, TICK_MS) <= 0)
        return true;
    size_t k = 0;
    for (size_t i = 0; i < p->count; i++) {
        child *c = &p->children[i];
        if (!c->pid || k >= n || fds[k].fd != c->line)
            continue;
        if (fds[k++].revents)
            hear(p, c);
    }
    return true;
}

static bool begin_all(pool *p)
{
    size_t living = 0;
    for (size_t i = 0; i < p->count; i++)
        living += begin_child(p, &p->children[i]);
    for (size_t i = 0; i < p->count; i++)
        if (p->children[i].pid)
            give(p, &p->children[i]);
    return living > 0;
}

static orr_err no_process(orr_error *e)
{
    return orr_error_set(e, ORR_E_RESOURCE, "no process can be made to work in: %s", strerror(errno));
}

static orr_err run_children(pool *p, orr_error *e)
{
    struct pollfd *fds = orr_xcalloc(p->count, sizeof *fds);
    p->children = orr_xcalloc(p->count, sizeof *p->children);
    bool begun = begin_all(p);
    while (begun && wait_for_some(p, fds))
        look_around(p);
    const bool left = begun && !p->stop && p->next < p->n; /* the last child died and none could take its place */
    const orr_err err = !begun || left ? no_process(e) : ORR_OK;
    for (size_t i = 0; i < p->count; i++)
        if (p->children[i].pid)
            end_child(&p->children[i]);
    free(p->children);
    free(fds);
    return err;
}

static void run_here(pool *p)
{
    for (; !p->stop && p->next < p->n; p->next++) {
        orr_text bytes = {0};
        orr_error e = {0};
        if (p->work->tick && !p->work->tick(p->work->self))
            break;
        const orr_err err = p->work->piece(p->work->self, p->list[p->next], &bytes, &e);
        if (err && !e.code)
            orr_error_set(&e, err, "%s", orr_err_text(err));
        report(p, p->list[p->next], &bytes, err ? &e : NULL);
        orr_text_fini(&bytes);
    }
}

static size_t cores(void)
{
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

orr_err orr_pool_run(const orr_pool_work *work, const size_t *list, size_t n, int jobs, orr_error *e)
{
    pool p = {.work = work, .list = list, .n = n, .count = jobs > 0 ? (size_t)jobs : cores()};
    if (p.count == 1) {
        run_here(&p);
        return ORR_OK;
    }
    p.count = p.count < n ? p.count : n;
    return n ? run_children(&p, e) : ORR_OK;
}
