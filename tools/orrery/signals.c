/* The only variables of the program that outlive a call: a handler has nowhere else to leave its word. */
#define _POSIX_C_SOURCE 200809L
#include "signals.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted, progress_wanted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

static void on_user(int signal)
{
    (void)signal;
    progress_wanted = 1;
}

static void on_pipe(int signal)
{
    (void)signal;
    _exit(141);
}

static void install(int signal, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_flags = flags};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void signals_start(void)
{
    install(SIGPIPE, on_pipe, 0);
    install(SIGUSR1, on_user, SA_RESTART);
}

void signals_run(void)
{
    install(SIGINT, on_interrupt, SA_RESTART | (int)SA_RESETHAND);
}

bool signals_interrupted(void)
{
    return interrupted;
}

bool signals_take_progress(void)
{
    if (!progress_wanted)
        return false;
    progress_wanted = 0;
    return true;
}
