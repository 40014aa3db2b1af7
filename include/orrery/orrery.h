/* All of the public interface. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <orrery/cluster.h>
#include <orrery/metrics.h>
#include <orrery/policy.h>
#include <orrery/select.h>
#include <orrery/sim.h>
#include <orrery/synth.h>
#include <orrery/time.h>
#include <orrery/trace.h>
#include <orrery/version.h>

#endif
