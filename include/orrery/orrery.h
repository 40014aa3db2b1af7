/* All of the public interface. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <orrery/applications.h>
#include <orrery/batching.h>
#include <orrery/blocks.h>
#include <orrery/bookings.h>
#include <orrery/cells.h>
#include <orrery/cluster.h>
#include <orrery/curves.h>
#include <orrery/evolve.h>
#include <orrery/fragment.h>
#include <orrery/goodput.h>
#include <orrery/metrics.h>
#include <orrery/mig.h>
#include <orrery/places.h>
#include <orrery/policy.h>
#include <orrery/profile.h>
#include <orrery/queueing.h>
#include <orrery/scenario.h>
#include <orrery/select.h>
#include <orrery/shares.h>
#include <orrery/sim.h>
#include <orrery/slots.h>
#include <orrery/solve.h>
#include <orrery/synth.h>
#include <orrery/throughputs.h>
#include <orrery/time.h>
#include <orrery/topology.h>
#include <orrery/trace.h>
#include <orrery/version.h>

#endif
