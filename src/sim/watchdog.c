/* Runs that don't move: found, and named. */
#include "sim/sim.h"

#include <stdio.h>

static void name_waiting(orr_sim *sim, orr_text *out)
{
    const orr_job *waiting[5];
    size_t n = orr_life_waiting(&sim->life, waiting, 5);
    for (size_t i = 0; i < n; i++) {
        char why[256];
        orr_ctx_explain(sim->policy, waiting[i], why, sizeof why);
        orr_text_addf(out, "%sjob %s (%d GPUs): %s", i ? "; " : "", waiting[i]->record->id, waiting[i]->record->gpus, why);
    }
    if (sim->life.live > n)
        orr_text_addf(out, "; and %llu more", (unsigned long long)(sim->life.live - n));
}

static orr_err stop_with(orr_sim *sim, orr_stop stop, orr_err code, const char *what, orr_error *e)
{
    char name[64];
    orr_text waiting = {0};
    name_waiting(sim, &waiting);
    sim->stop = stop;
    orr_error_set(e, code, "policy '%s' %s: %s", orr_ctx_name(sim->policy, name, sizeof name), what,
                  waiting.at ? waiting.at : "no job waits");
    orr_error_when(e, sim->life.now, NULL);
    orr_text_fini(&waiting);
    return code;
}

orr_err orr_sim_stalled(orr_sim *sim, orr_error *e)
{
    const char *what = "leaves jobs waiting that nothing can ever start";
    const orr_err err = stop_with(sim, ORR_STOP_STALLED, ORR_E_STALLED, what, e);
    if (sim->serving)
        orr_error_hint(e, "executors of services hold GPUs all the while: a cluster for both needs room for the widest "
                          "job beside them");
    return err;
}

static uint64_t ends(const orr_sim *sim)
{
    const orr_sim_counts *c = &sim->life.counts;
    return c->done + c->failed + c->killed + c->rejected + c->submitted + c->retries;
}

/* A million decisions in which no job came or went while at least every second one preempted somebody. */
static bool churns(orr_sim *sim)
{
    if (ends(sim) != sim->churn_ends || sim->churn_decisions == 0) {
        sim->churn_ends = ends(sim);
        sim->churn_decisions = 1;
        sim->churn_preemptions = sim->life.counts.preemptions;
        return false;
    }
    return ++sim->churn_decisions > ORR_CHURN_DECISIONS &&
           sim->life.counts.preemptions - sim->churn_preemptions > ORR_CHURN_DECISIONS / 2;
}

orr_err orr_sim_watch_progress(orr_sim *sim, bool changed, orr_error *e)
{
    const orr_levels *all = &sim->life.levels[orr_cluster_owners(sim->world.real)];
    if (all->milli_busy > 0 || sim->life.live == 0)
        sim->idle_decisions = 0;
    else if (all->milli_held == 0 || changed) /* a delay that is paid undisturbed comes to an end */
        sim->idle_decisions++;
    if (sim->idle_decisions > ORR_IDLE_DECISIONS) {
        if (all->milli_held == 0 && !changed)
            return orr_sim_stalled(sim, e);
        return stop_with(sim, ORR_STOP_ERROR, ORR_E_NO_PROGRESS, "decides again and again and no job progresses", e);
    }
    if (churns(sim))
        return stop_with(sim, ORR_STOP_ERROR, ORR_E_NO_PROGRESS, "preempts again and again and no job ends", e);
    return ORR_OK;
}
