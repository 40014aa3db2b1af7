/* Errors: a code, and where and why.
 *
 * Fallible functions return `orr_err`, 0 being success, and leave their results untouched on failure. The detail goes
 * into an `orr_error` that the caller passes (NULL: not wanted). It is a plain struct of fixed size: no allocation, no
 * ownership, zeroed memory is "no error". The first error written stays: later writes to a set error are ignored, so a
 * cleanup path can't hide the cause.
 *
 * One list below makes the enum, the stable names, the sentences and the exit codes, so that no code lacks a text.
 * Codes are grouped with gaps and never change once released. The library prints nothing and never exits, with one
 * exception: when the machine has no memory left it writes one line to stderr and ends the process with status 71.
 */
#ifndef ORRERY_ERROR_H
#define ORRERY_ERROR_H

#include <orrery/api.h>

/* X(symbol, number, stable name, process exit status, sentence) */
#define ORR_ERRORS(X)                                                                                                  \
    X(OK, 0, "ok", 0, "no error")                                                                                      \
    X(NOFIT, 1, "no-fit", 0, "there is no room for this request now")                                                  \
    X(LAYOUT, 2, "layout", 0, "a GPU can't be cut so, or not while its instances are in use")                          \
    X(BUSY, 3, "busy", 0, "what it would take away is in use now")                                                    \
    X(USAGE, 100, "usage", 64, "the command line is wrong")                                                            \
    X(UNKNOWN_OPTION, 101, "unknown-option", 64, "no option has this name")                                            \
    X(UNKNOWN_COMMAND, 102, "unknown-command", 64, "no command has this name")                                         \
    X(UNKNOWN_POLICY, 103, "unknown-policy", 64, "no policy, placer or estimator has this name")                       \
    X(UNKNOWN_PRESET, 104, "unknown-preset", 64, "the policy has no preset of this name")                              \
    X(UNKNOWN_KNOB, 105, "unknown-knob", 64, "the policy has no knob of this name")                                    \
    X(BAD_VALUE, 106, "bad-value", 64, "the value has the wrong form or is out of range")                              \
    X(CONFLICT, 107, "conflict", 64, "two of the settings exclude each other")                                         \
    X(MISSING, 108, "missing-input", 64, "something that this policy or command needs was not given")                  \
    X(OPEN, 200, "input-open", 66, "an input can't be opened")                                                         \
    X(EMPTY, 201, "input-empty", 65, "an input holds nothing")                                                         \
    X(FORMAT, 202, "input-format", 65, "the format of an input is not known, or not what was asked")                   \
    X(MISSING_COLUMN, 203, "trace-missing-column", 65, "a column that can't be done without is absent")                \
    X(RAGGED, 204, "trace-ragged-row", 65, "a row has another number of fields than the header")                       \
    X(NUMBER, 205, "bad-number", 65, "a field should be a number and isn't, or is out of range")                       \
    X(TIME, 206, "bad-time", 65, "a field should be a time and isn't, or is out of range")                             \
    X(ENCODING, 207, "bad-encoding", 65, "the text is not UTF-8")                                                      \
    X(TRUNCATED, 208, "input-truncated", 65, "a compressed or structured input ends too early or is damaged")          \
    X(MIXED_CLOCKS, 209, "mixed-clocks", 65, "times of different clocks stand side by side")                           \
    X(DUPLICATE_ID, 210, "duplicate-id", 65, "two jobs have one id")                                                   \
    X(NO_JOBS, 211, "no-jobs", 65, "no job is left to simulate")                                                       \
    X(SYNTAX, 212, "syntax", 65, "a structured input does not parse")                                                  \
    X(UNKNOWN_KEY, 213, "unknown-key", 65, "a key is not known here")                                                  \
    X(NO_GPUS, 214, "cluster-no-gpus", 65, "the cluster has no GPUs")                                                  \
    X(BAD_CLUSTER, 215, "bad-cluster", 65, "the cluster description contradicts itself")                               \
    X(BAD_JOB, 216, "bad-job", 65, "a job contradicts itself")                                                         \
    X(STRICT, 217, "strict", 65, "an input needed cleaning and --strict or --werror was given")                        \
    X(RANGE, 218, "time-range", 65, "a time leaves the range of the clock (292 years)")                                \
    X(VERSION, 219, "schema-too-new", 2, "a result has a schema that this program does not know")                      \
    X(NOT_COMPARABLE, 220, "not-comparable", 2, "what should be compared is of different inputs, or missing")          \
    X(BAD_SCENARIO, 224, "bad-scenario", 65, "a scenario doesn't fit the cluster or the trace")                        \
    X(NO_ROOM, 225, "no-room", 65, "the cluster has no room for an executor of the services")                          \
    X(CHANGED, 221, "input-changed", 65, "an input isn't the one that a manifest tells of")                            \
    X(PLUGIN_LOAD, 300, "plugin-load", 76, "a plugin can't be loaded")                                                 \
    X(PLUGIN_ABI, 301, "plugin-abi", 76, "a plugin was built against another interface")                               \
    X(PLUGIN_DESCRIPTOR, 302, "plugin-descriptor", 76, "a plugin's descriptor contradicts itself")                     \
    X(CAPABILITY, 303, "missing-capability", 65, "a policy needs a capability that the scenario lacks")                \
    X(KNOWLEDGE, 304, "knowledge", 76, "a policy asked for more than it declared, or than the scenario grants")        \
    X(PLAN_CAPACITY, 310, "plan-capacity", 76, "a plan gives away a resource that isn't free")                         \
    X(PLAN_GANG, 311, "plan-gang", 76, "a plan gives a job another number of GPUs than it can run on")                 \
    X(PLAN_STATE, 312, "plan-state", 76, "a plan acts on a job whose state does not allow it")                         \
    X(SERVE_DECISION, 313, "serve-decision", 76, "a serving policy decides what can't be done")                        \
    X(NO_PROGRESS, 320, "no-progress", 76, "a policy decides again and again and nothing moves")                       \
    X(STALLED, 321, "stalled", 76, "jobs wait and nothing can ever start them")                                        \
    X(POLICY, 322, "policy", 76, "a policy reported a failure")                                                        \
    X(MEMORY, 400, "memory", 71, "out of memory")                                                                      \
    X(CREATE, 401, "output-create", 73, "an output can't be created")                                                  \
    X(RESOURCE, 405, "resource", 71, "the system has no process, memory or file left for this")                        \
    X(WRITE, 402, "output-write", 74, "writing an output failed")                                                      \
    X(LIMIT, 403, "limit", 75, "a limit that was set by the user was hit")                                             \
    X(INTERRUPTED, 404, "interrupted", 130, "the run was interrupted")                                                 \
    X(INVARIANT, 500, "invariant", 70, "the engine broke one of its own rules: always a bug of ours")

typedef enum orr_err {
#define ORR_X(sym, num, name, status, text) ORR_E_##sym = (num),
    ORR_ERRORS(ORR_X)
#undef ORR_X
} orr_err;

#define ORR_OK ORR_E_OK

typedef struct orr_error {
    orr_err code;
    int line, column;   /* 1-based; 0: not known */
    bool settled;       /* a later error was ignored; so are its details */
    bool has_time;      /* `at_ns` and perhaps `job` say when in simulated time */
    int64_t at_ns;
    char file[512];     /* "" when the error isn't about a file; "-" is stdin */
    char job[64];
    char message[768];  /* one sentence, no final stop */
    char text[256];     /* the offending text, "" if none */
    char hint[384];     /* what to do, "" if nothing helps */
} orr_error;

ORR_BEGIN

/* The stable name ("trace-missing-column"), the sentence, and the process exit status of a code. Never NULL. */
ORR_API const char *orr_err_name(orr_err code);
ORR_API const char *orr_err_text(orr_err code);
ORR_API int orr_err_exit_status(orr_err code);
/* The code with this stable name, or -1. */
ORR_API int orr_err_by_name(const char *name);

/* Sets code and message (printf) unless an error is set already; returns `code`, so that `return orr_error_set(…)`
 * reads well. `e` may be NULL. */
ORR_API orr_err orr_error_set(orr_error *e, orr_err code, const char *fmt, ...) ORR_PRINTF(3, 4);
/* Adds a place, an offending text, a hint, or a simulated time to the error just set, where it has none yet: a caller
 * can add the file to what a callee knew only the line of. Each takes NULL for `e`. Bytes of `text` that are no UTF-8,
 * and control characters, are kept as \xNN; a long text ends in "...". */
ORR_API void orr_error_at(orr_error *e, const char *file, int line, int column);
ORR_API void orr_error_text(orr_error *e, const char *text, size_t length);
ORR_API void orr_error_hint(orr_error *e, const char *fmt, ...) ORR_PRINTF(2, 3);
ORR_API void orr_error_when(orr_error *e, int64_t at_ns, const char *job);

/* Writes the full form (`file:line:column: error: message [code]`, the offending text, `hint: …`) with a final newline;
 * returns the length it needs, like snprintf. */
ORR_API int orr_error_format(const orr_error *e, char *buf, size_t size);

ORR_END
#endif
