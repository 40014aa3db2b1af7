#include "report/codes.h"
#include "trace/flaw.h"

/* How each error comes about and what to do. */
static const char *const errors[] = {
    [ORR_E_OK] =
        "Nothing went wrong.",
    [ORR_E_NOFIT] =
        "Not a failure: a placer found no room for a request at this moment, and the policy may go on with another "
        "job.",
    [ORR_E_LAYOUT] =
        "Not a failure: the hardware has no such MIG instance, or no place for it beside those that the GPU has, and the "
        "policy may ask for another one.",
    [ORR_E_BUSY] =
        "Not a failure: weights that a running batch uses, or that are on their way, can't be put out, and the policy may "
        "choose others.",
    [ORR_E_USAGE] =
        "An operand is missing or one too many, or options don't go together. `orrery COMMAND --help` shows the "
        "form, with examples that run.",
    [ORR_E_UNKNOWN_OPTION] =
        "Options are written in full; an abbreviation is not taken, since a later version could give it another "
        "meaning. The hint names the nearest option of this command; `orrery COMMAND --help` lists all.",
    [ORR_E_UNKNOWN_COMMAND] =
        "`orrery help` lists the commands. The hint names the nearest one.",
    [ORR_E_UNKNOWN_POLICY] =
        "A policy, placer or estimator is named by what `orrery policies` lists: "
        "NAME[:PRESET][,KNOB=VALUE...][+PLACER][~ESTIMATOR]. One from outside is known once its file is loaded by "
        "--plugin.",
    [ORR_E_UNKNOWN_PRESET] =
        "A preset is a named set of knob values, written behind a colon: tiresias:lucid. `orrery policies NAME` "
        "lists those of a policy.",
    [ORR_E_UNKNOWN_KNOB] =
        "Knobs are a policy's own settings, written behind a comma: las,queues=3. `orrery policies NAME` lists them "
        "with type, range and default.",
    [ORR_E_BAD_VALUE] =
        "Durations are written 90, 90s, 15m, 2h, 7d, 250ms, 1.5us; plain numbers are seconds; bytes are 16GiB or "
        "25GB. A unit that doesn't belong to the setting is refused rather than guessed. `orrery help COMMAND "
        "OPTION` tells what an option takes.",
    [ORR_E_CONFLICT] =
        "Two settings say different things about one matter. Leave one of them away; the message names both.",
    [ORR_E_MISSING] =
        "The command can't do without this input: a trace (-t), a cluster (-c), a policy (-p), or a table that a "
        "policy's knobs name. The hint tells how to give it.",
    [ORR_E_OPEN] =
        "The file isn't there, or may not be read, or is a folder where a file is meant. - stands for standard "
        "input.",
    [ORR_E_EMPTY] =
        "The file has no content, or only blank lines and comments. A download that broke off looks like this.",
    [ORR_E_FORMAT] =
        "The content fits none of the formats that `orrery version` lists, or not the one that --format names. "
        "Formats are recognised by their header or first row, not by the file's name; traces/README.md shows how "
        "each begins.",
    [ORR_E_MISSING_COLUMN] =
        "The header lacks a column without which no job can be made. Names are those of traces/README.md for this "
        "format; a column that is spelled otherwise is named in the hint.",
    [ORR_E_RAGGED] =
        "A row has more or fewer fields than the header, often since a text holds a comma without quotes. Without "
        "--strict such rows are dropped and counted.",
    [ORR_E_NUMBER] =
        "The field holds no number, or one that can't be (negative GPUs, say). The line and column point at it. "
        "Without --strict rows of a trace with such a field are dropped and counted; in a configuration it is always "
        "an error.",
    [ORR_E_TIME] =
        "Times are decimal seconds, or calendar times such as 2020-04-01 12:00:00 or 2020-04-01T12:00:00+08:00. "
        "Without --strict rows with such a field are dropped and counted.",
    [ORR_E_ENCODING] =
        "Text must be UTF-8. Files of other encodings have to be converted first, for instance by `iconv -f latin1 "
        "-t utf8`.",
    [ORR_E_TRUNCATED] =
        "A compressed file ends in the middle, a quote never closes, or a frame's checksum is wrong. Fetch the file "
        "again; of an event log that was cut by a kill, `orrery verify` proves what is whole.",
    [ORR_E_MIXED_CLOCKS] =
        "Seconds since an epoch stand beside seconds since the trace's beginning, or calendar times with a zone "
        "beside such without. Any reading would be a guess, so none is taken. Both places are named; bring the "
        "column to one clock.",
    [ORR_E_DUPLICATE_ID] =
        "Two rows have one job id, and the format says that ids are unique. Logs of several clusters must not be "
        "joined before their ids are made different, for instance by a prefix.",
    [ORR_E_NO_JOBS] =
        "Every row was dropped or left out: the counts by reason stand in the message. CPU-only jobs are left out "
        "unless --cpu-jobs schedule is given; `orrery describe FILE` tells what the trace holds.",
    [ORR_E_SYNTAX] =
        "The text isn't well-formed JSON or YAML, or has another shape than its schema wants: a list where a map "
        "should be, a key that is required and absent. The place is where reading stopped making sense.",
    [ORR_E_UNKNOWN_KEY] =
        "Keys are checked against the tables of configs/README.md, so that a slip of the pen isn't silently ignored. "
        "The hint names the nearest key.",
    [ORR_E_NO_GPUS] =
        "A cluster without a single GPU can't run the jobs of a trace. CPU nodes may be there beside others.",
    [ORR_E_BAD_CLUSTER] =
        "Two statements about the cluster can't both be true, such as more GPUs in virtual clusters than there are "
        "nodes for. `orrery describe FILE` of a cluster shows what was understood.",
    [ORR_E_BAD_SCENARIO] =
        "A scenario names nodes, GPUs, a virtual cluster or a job that isn't there, or wants energy of a GPU type whose "
        "power isn't known. The message has the line of the scenario file; `orrery describe` of the cluster lists its "
        "nodes.",
    [ORR_E_NO_ROOM] =
        "A file of services says which executors are there from the beginning (`replicas`, `executors`), and the cluster "
        "must have GPUs of their types free for all of them at once, an executor's on one node. The message has the "
        "line, the hint what is there. `orrery describe FILE` of the services lists their executors.",
    [ORR_E_BAD_JOB] =
        "A job that is impossible: a range of GPUs that doesn't hold its gang, an end before its start, a duration "
        "that is not the sum of its attempts. Without --strict such rows of a file are dropped or repaired, and "
        "counted.",
    [ORR_E_STRICT] =
        "Under --strict a row that would be dropped or repaired ends the reading, and under --werror a warning does. "
        "Without them the same is counted and told.",
    [ORR_E_RANGE] =
        "Virtual time is whole nanoseconds in 64 bits, some 292 years. A time beyond that is nearly always "
        "milliseconds or microseconds that were taken for seconds.",
    [ORR_E_VERSION] =
        "The file was written by a later version of this program, with a schema that this one can't be sure to "
        "understand. Use that version, or make the result anew.",
    [ORR_E_NOT_COMPARABLE] =
        "Results differ in trace, cluster, costs or measured set, or one of them is missing or empty, so that a "
        "comparison would say nothing. The list names what differs. `compare --force` shows them side by side all "
        "the same; a check never passes on it.",
    [ORR_E_CHANGED] =
        "A manifest names its inputs with the SHA-256 of their content, and this file has another: both values are "
        "in the message. Running it would give other results than those that the manifest belongs to. Bring the "
        "input back, or run without the manifest.",
    [ORR_E_PLUGIN_LOAD] =
        "The file isn't a shared object that this system can load, or it defines no module. The system's own words "
        "are in the message. Build it with `cc -shared -fPIC`.",
    [ORR_E_PLUGIN_ABI] =
        "The plugin was compiled against headers with another interface number or other sizes of shared structures; "
        "both values are in the message. Compile it again against the headers of this version.",
    [ORR_E_PLUGIN_DESCRIPTOR] =
        "The module's description contradicts itself: no name, a knob whose default is out of its range, a missing "
        "function that its kind can't do without. The message names the member.",
    [ORR_E_CAPABILITY] =
        "The policy asks for something that this cluster or trace doesn't have, for instance deadlines or GPU types. "
        "With -p all such policies are left out, and named.",
    [ORR_E_KNOWLEDGE] =
        "A policy may use only the knowledge that it declares, and no more than --know grants. A policy that reads a "
        "job's true duration without declaring it would win unfairly; the run ends instead.",
    [ORR_E_PLAN_CAPACITY] =
        "The policy gave away GPUs, cores or memory that another job holds or that don't exist. The job, the time "
        "and the resource are named. --on-violation skip counts such plans and goes on.",
    [ORR_E_PLAN_GANG] =
        "A gang runs on the number of GPUs that it asks for, an elastic job on one within its range. The plan gave "
        "another.",
    [ORR_E_PLAN_STATE] =
        "The plan starts a job that runs, preempts one that waits or must not be preempted, or touches one that has "
        "ended.",
    [ORR_E_SERVE_DECISION] =
        "A serving policy answered or asked what can't be: a batch larger than what waits, a replica of another "
        "executor, a load of weights that isn't its to order. It has no effect, and ends the run unless "
        "--on-violation=skip counts it and goes on.",
    [ORR_E_NO_PROGRESS] =
        "At one instant the policy decided a million times, and each time something changed but no time passed: most "
        "often two jobs that preempt each other. The run would never end.",
    [ORR_E_STALLED] =
        "Nothing runs, nothing will come, no timer is set, and jobs wait. The message names some of them and why: "
        "too wide for the cluster, of a virtual cluster without nodes, or never chosen by the policy.",
    [ORR_E_POLICY] =
        "The policy's own code gave up, and the message is its own. Its knobs and inputs are in the manifest.",
    [ORR_E_MEMORY] =
        "The system gave no more memory. A million jobs need about half a gigabyte.",
    [ORR_E_CREATE] =
        "The folder or file can't be made, or the folder isn't empty: a result is never mixed with another one. "
        "--force writes into it all the same.",
    [ORR_E_RESOURCE] =
        "No further process, pipe or open file could be had. Fewer parallel jobs (-j), or a higher limit (`ulimit`), "
        "help.",
    [ORR_E_WRITE] =
        "Most often the disk is full. Files appear under their names only when they are complete, so nothing "
        "half-written is left; what was finished before stays.",
    [ORR_E_LIMIT] =
        "--max-events or --max-wall ended the run, as asked. Results are written and say so in their stop reason; "
        "means over jobs that had ended by then are marked as biased.",
    [ORR_E_INTERRUPTED] =
        "A signal ended the run at the next event. Results are written and say so. A sweep goes on from there when "
        "it is started again.",
    [ORR_E_INVARIANT] =
        "The program found itself in a state that can't be. It is a bug, whatever the input was: please report it, "
        "with the manifest or the command line.",
};

/* What becomes of a row, by the kind of its note. */
static const char *const rows[] = {
    [ORR_NOTE_DROP] =
        "The row is left out and counted under this name, with its first places, in the summary and by `orrery "
        "describe`; rows read are the jobs kept plus all rows dropped.",
    [ORR_NOTE_FIX] =
        "The row is kept, repaired as said, and counted. --strict refuses the file instead.",
    [ORR_NOTE_ASSUME] =
        "The row is kept. The record leaves this open, so a reading was chosen; it is counted, so that you can tell "
        "whether it matters.",
    [ORR_NOTE_WARN] =
        "The row is kept as it stands, though the record contradicts itself.",
};

static const char *const kinds[] = {
    [ORR_NOTE_DROP] = "reason for which a row is dropped",
    [ORR_NOTE_FIX] = "reason for which a row is repaired",
    [ORR_NOTE_ASSUME] = "what was assumed of a row",
    [ORR_NOTE_WARN] = "what is odd about a row",
};

typedef struct listed_error {
    orr_err code;
    const char *name, *what, *sentence;
} listed_error;

static const listed_error list[] = {
#define ORR_X(symbol, number, name, status, sentence) {ORR_E_##symbol, name, "error, exit status " #status, sentence},
    ORR_ERRORS(ORR_X)
#undef ORR_X
};
enum { ERRORS = sizeof list / sizeof *list };

static const orr_code_about others[] = {
    {"too-wide", "reason for which a job is rejected", "the job asks for more GPUs than the cluster has where it may run",
     "Where it may run are the nodes of its virtual cluster and of its GPU types. It is rejected when it is submitted, since "
     "it could never start; --ignore-vcs makes one pool of all nodes."},
    {"no-room-even-when-empty", "reason for which a job is rejected",
     "even an empty cluster has no place for this gang under the policy's placer",
     "There are GPUs enough, but not in the shape that the placer wants: consolidate takes as few nodes as the gang needs "
     "at least. Another placer (+consolidate-first, +first-fit) may spread it."},
    {"unknown-vc", "reason for which a job is rejected", "the job's virtual cluster isn't one of the cluster's",
     "This is what --unknown-vc reject asks for; by default such jobs share all nodes."},
    {"jobs-rejected", "warning", "some jobs of the trace were rejected",
     "They count as submitted and as rejected, in no mean. The reasons are counted in the warning; `orrery explain REASON` "
     "tells about one of them."},
    {"cluster-assumed", "note", "the description of the cluster leaves something open, and a reading was chosen",
     "Files that count only GPUs or nodes don't say how large a node is; --gpus-per-node says it."},
    {"sweep-resumed", "note", "the folder of a sweep held finished cells of the same plan, and they are not run again",
     "The same command goes on where it was stopped. --force doesn't drop them: it is for folders of another plan. To run "
     "everything anew choose another folder, or remove this one."},
};
enum { OTHERS = sizeof others / sizeof *others };

static orr_code_about about_flaw(orr_flaw flaw)
{
    const orr_flaw_info *f = orr_flaw_about(flaw);
    return (orr_code_about){f->reason, kinds[f->kind], f->sentence, rows[f->kind]};
}

bool orr_code_at(size_t i, orr_code_about *out)
{
    if (i < ERRORS)
        *out = (orr_code_about){list[i].name, list[i].what, list[i].sentence, errors[list[i].code]};
    else if (i - ERRORS + 1 < ORR_FLAW_COUNT)
        *out = about_flaw((orr_flaw)(i - ERRORS + 1));
    else if (i - ERRORS + 1 < ORR_FLAW_COUNT + OTHERS)
        *out = others[i - ERRORS + 1 - ORR_FLAW_COUNT];
    else
        return false;
    return true;
}

size_t orr_code_count(void)
{
    return ERRORS + ORR_FLAW_COUNT - 1 + OTHERS; /* the first flaw is none */
}
