/* continuous: requests that make tokens join and leave the set that runs between iterations.
 *
 * Sources: Yu et al., "Orca: a distributed serving system for transformer-based generative models", OSDI 2022, §3.1 and §4.2 (iteration-level
 * scheduling, first come first served); Agrawal et al., "Taming throughput-latency tradeoff in LLM inference with Sarathi-Serve", OSDI 2024,
 * §4 (chunked prefills).
 *
 * mode=iteration: as many heads join as fit into memory and the largest batch, their whole prompts in the iteration in which they join
 * (or in chunks, where the profile itself states them).
 * mode=static: a set is what fits when it begins, and nobody joins until all of it are answered: the baseline of both papers.
 * mode=chunked: as iteration, but at most `chunk` prompt tokens an iteration, beside all who decode.
 *
 * Known deviations: Orca reserves memory for the longest answer when a request is admitted and so never takes it back; here the engine
 * reserves the prompt and evicts the newest when it is full, as vLLM does. Sarathi's budget counts who decodes as well: one token each.
 * A static set's members leave as they end; those papers' baseline pads them to the longest, which costs time that isn't modelled.
 */
#include <orrery/serve.h>

enum { ITERATION, STATIC, CHUNKED };

struct knobs {
    int64_t chunk;
    int32_t mode;
};

static const orr_knob knobs[] = {
    {"mode", ORR_KNOB_CHOICE, offsetof(struct knobs, mode), "iteration", "iteration|static|chunked",
     "who joins a running set: all who fit; nobody; all who fit, in chunks"},
    {"chunk", ORR_KNOB_INT, offsetof(struct knobs, chunk), "512", "1..1000000", "prompt tokens of an iteration at most, where it is chunked"},
    {0},
};

static const orr_preset presets[] = {
    {"static", "mode=static", "a set is answered before the next one begins"},
    {"chunked", "mode=chunked", "prompts in chunks of 512 tokens"},
    {0},
};

static void step(orr_ctx *ctx, orr_exec_id exec, orr_step *s)
{
    const struct knobs *k = orr_knobs(ctx);
    (void)exec;
    if (k->mode == CHUNKED)
        s->chunk = k->chunk;
    if (k->mode == STATIC && s->running > 0)
        s->admit = 0;
}

ORR_BATCHER(continuous) = {
    .summary = "requests join and leave between iterations",
    .cite = "Yu et al., Orca, OSDI 2022, sections 3.1 and 4.2; Agrawal et al., Sarathi-Serve, OSDI 2024, section 4",
    .deviations = "memory is reserved for prompts alone and the newest is evicted where it is full; a chunk doesn't count who decodes; the "
                  "static baseline isn't padded",
    .knobs = knobs,
    .presets = presets,
    .knobs_size = sizeof(struct knobs),
    .step = step,
};
