#include "study/story.h"

#include <stdlib.h>

static const char *given(const char *text)
{
    return text && text[0] ? text : NULL;
}

orr_sim_options orr_case_options(const orr_case *c, const orr_stock *stock)
{
    orr_sim_options o = orr_sim_options_default();
    o.registry = orr_stock_registry(stock);
    o.seed = c->seed;
    o.policy = given(c->policy);
    o.serve = given(c->serve) && strcmp(c->serve, "none") != 0 ? c->serve : NULL;
    o.costs = given(c->costs);
    o.interference = given(c->interference);
    o.net = given(c->net);
    o.clock = given(c->clock);
    o.know = (orr_know)c->know;
    o.until = c->until;
    o.max_events = c->max_events;
    o.skip_violations = c->on_violation == 1;
    o.ignore_vcs = c->ignore_vcs;
    o.reject_unknown_vc = c->unknown_vc == 1;
    return o;
}

struct orr_case_story *orr_story_begin(const orr_case *c, orr_stock *stock, orr_error *e)
{
    const orr_cluster_spec *cluster = orr_stock_cluster(stock, c, e);
    const orr_trace *trace = cluster ? orr_stock_trace(stock, c, e) : NULL;
    const orr_profiles *profiles = NULL;
    const orr_scenario *scenario = NULL;
    const orr_throughputs *throughputs = NULL;
    const orr_applications *applications = NULL;
    const orr_services *services = NULL;
    if (!trace || orr_stock_profiles(stock, c, &profiles, e) || orr_stock_throughputs(stock, c, &throughputs, e) ||
        orr_stock_applications(stock, c, &applications, e) || orr_stock_scenario(stock, c, &scenario, e) ||
        orr_stock_services(stock, c, &services, e))
        return NULL;
    struct orr_case_story *story = orr_xcalloc(1, sizeof *story);
    if (orr_exprs_parse(c->metrics.at, c->metrics.n, &story->asked, e)) {
        free(story);
        return NULL;
    }
    story->options = orr_case_options(c, stock);
    story->options.profiles = profiles;
    story->options.throughputs = throughputs;
    story->options.applications = applications;
    story->options.scenario = scenario;
    story->options.services = services;
    orr_case_label(c, &story->label);
    story->report = (orr_report_run){.trace = trace,
                                     .cluster = cluster,
                                     .options = &story->options,
                                     .error = &story->sim_error,
                                     .cluster_asked = given(c->cluster),
                                     .label = story->label.at,
                                     .without_jobs = !orr_case_has_jobs(c)};
    return story;
}

void orr_story_destroy(struct orr_case_story *story)
{
    if (!story)
        return;
    orr_report_run_fini(&story->report);
    orr_exprs_fini(&story->asked);
    free(story->custom);
    orr_text_fini(&story->label);
    orr_arena_fini(&story->texts);
    free(story);
}

void orr_story_tell(struct orr_case_story *story, orr_case_result *result)
{
    *result = (orr_case_result){.story = story, .report = &story->report};
}

void orr_case_result_fini(orr_case_result *result)
{
    orr_text_fini(&result->summary);
    free(result->metrics);
    free(result->failed);
    free(result->rejected);
    orr_story_destroy(result->story);
    *result = (orr_case_result){0};
}
