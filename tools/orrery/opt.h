/* The options: one table (options.c) describes each of them, and everything else is made from it: parsing, validation,
 * nearest names, --help, and what `orrery help COMMAND OPTION` says.
 *
 * Long options are `--name=value` or `--name value`, never abbreviated; letters bundle; every boolean `--x` has
 * `--no-x`; options may follow operands; `--` ends them. An option that takes one value may be given once.
 */
#ifndef ORRERY_TOOL_OPT_H
#define ORRERY_TOOL_OPT_H

#include "base/mem.h"
#include <orrery/orrery.h>

/* Texts that are not owned. */
typedef ORR_VEC(const char *) texts;

enum { PRINT_TEXT, PRINT_JSON, PRINT_CSV, PRINT_MARKDOWN };

enum { OPT_WORDS = 8 }; /* 64 options each */

/* Every value that an option can set, for all commands. The table names its members by offset. */
typedef struct settings {
    uint64_t given[OPT_WORDS]; /* bit i: option i of the table was typed */
    bool help, version, quiet, verbose;
    int32_t color; /* auto|always|never */
    bool json, csv, markdown;
    uint64_t seed;
    const char *trace, *format, *cluster, *capacity_day, *out, *costs, *clock, *measure;
    const char *profiles, *interference, *net, *scenario, *throughputs, *applications, *services;
    int32_t cpu_jobs, attempts, know, on_violation, unknown_vc, configured; /* indices into the option's values */
    int64_t gpus_per_node;
    texts policies, serves, plugins;
    texts metrics, bounds;  /* keys or expressions; how far they may move */
    const char *base;       /* of `compare` */
    bool strict, werror, ignore_vcs, force, wall;
    orr_time until, max_wall, warmup, cooldown;
    uint64_t max_events;
    int32_t kind; /* of `policies` */
    /* how a trace is read, and which part of it is taken */
    const char *tables, *gpu_type, *tz, *epoch;
    const char *where, *from, *to;
    texts only_vcs, only_users;
    int64_t least_gpus, most_gpus;
    double sample, scale_load;
    uint64_t first_jobs;
    const char *html, *svg; /* of `describe` */
    const char *convert_to;
    const char *job; /* of `explain` */
    bool rerun;
    const char *shape;
    int32_t arrivals;
    uint64_t jobs;
    orr_time span;
    double load, cv, deadline_share, limit_factor;
    int64_t gpus, vcs, users, max_gpus;
    double vc_zipf, user_zipf, recurrence;
    const char *mmpp, *durations, *deadline_slack, *with, *fit, *synth_model, *report, *save_model;
    int64_t trials;
    bool list_shapes, list_families;
    uint64_t requests; /* of `synth`; 0: jobs */
    const char *mixed, *tokens_in, *tokens_out;
    double service_zipf, rate, swing;
    orr_time bin;
    const char *manifest, *write; /* of `run` */
    bool print_config, log;
    /* of `check` */
    bool update, github;
    texts check_cases;
    bool check_wall;
    int64_t wall_runs;
    double wall_factor;
    int64_t jobs_diff, parallel;
    const char *message, *junit, *markdown_file, *metrics_file;
    bool list; /* of `survey` */
    /* of `plan` */
    const char *policy, *serve, *node, *sizes, *all_sizes;
    texts targets;
    int64_t neighbours;
    int32_t split; /* none|vc */
    bool allow_rejected;
    /* of `sweep` */
    bool list_cells, merge;
    uint64_t cell;
    const char *shard;
} settings;

/* Commands as bits, so that an option can belong to several. */
enum {
    CMD_RUN = 1u,
    CMD_POLICIES = 2u,
    CMD_DESCRIBE = 4u,
    CMD_SYNTH = 8u,
    CMD_VERSION = 16u,
    CMD_HELP = 32u,
    CMD_CONVERT = 64u,
    CMD_COMPARE = 128u,
    CMD_SWEEP = 256u,
    CMD_CHECK = 512u,
    CMD_SURVEY = 1024u,
    CMD_VERIFY = 2048u,
    CMD_EXPLAIN = 4096u,
    CMD_PLAN = 8192u,
    CMD_ALL = 16383u
};

typedef enum opt_type { OPT_BOOL, OPT_TEXT, OPT_LIST, OPT_INT, OPT_COUNT, OPT_REAL, OPT_TIME, OPT_CHOICE } opt_type;

typedef struct opt {
    const char *name; /* NULL ends the table */
    char letter;      /* 0: none */
    opt_type type;    /* settings member: bool, const char *, texts, int64_t, uint64_t, double, orr_time, int32_t */
    uint32_t commands;
    size_t offset;
    const char *metavar;  /* NULL for booleans */
    const char *fallback; /* the default as one would type it; NULL: none, the member stays zero */
    const char *shown;    /* what help prints as the default where `fallback` doesn't say it; NULL: `fallback` */
    const char *values;   /* CHOICE: "a|b|c"; numbers and times: "low..high"; NULL: any */
    const char *group;
    const char *brief;  /* the line in --help */
    const char *detail; /* for `orrery help COMMAND OPTION`; NULL: nothing to add */
    const char *env;    /* BOOL: a variable of the environment that turns it on by being "true"; the command line wins */
} opt;

/* What was found on the command line. */
typedef struct parsed {
    settings set;
    const char *command; /* NULL: none was given */
    texts operands;      /* after the command */
} parsed;

const opt *opt_table(void);
/* The option of `commands` with this name, or NULL. */
const opt *opt_find(uint32_t commands, const char *name, size_t length);
/* What a wrong name may have meant: one that it abbreviates, or the nearest; NULL: none is near. */
const char *opt_meant(uint32_t commands, const char *name);
bool opt_is_default_on(const opt *o);
/* Whether it was typed, rather than left at its default. */
bool opt_given(const settings *set, const opt *o);

/* `bit_of` gives a command's bit, 0 if there is none of this name: the caller then reports it. Parsing stops there, and
 * after --help or --version. */
ORR_NODISCARD orr_err opt_parse(int argc, char **argv, uint32_t (*bit_of)(const char *name), parsed *out, orr_error *e);
void parsed_fini(parsed *p);

#endif
