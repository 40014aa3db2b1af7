/* What a node is doing. A node takes new jobs only while it is up; those that are on a draining one run on. */
#ifndef ORRERY_NODE_H
#define ORRERY_NODE_H

#include <orrery/api.h>

typedef enum orr_node_state {
    ORR_NODE_UP,
    ORR_NODE_DRAINING,       /* runs what it has, takes nothing new */
    ORR_NODE_FALLING_ASLEEP, /* is being switched off: holds no job */
    ORR_NODE_ASLEEP,
    ORR_NODE_WAKING, /* is being switched on */
    ORR_NODE_DOWN,   /* failed, or taken away: its jobs were interrupted */
    ORR_NODE_STATES
} orr_node_state;

ORR_BEGIN

ORR_API const char *orr_node_state_name(orr_node_state state); /* "up", "draining", "falling-asleep", … */

ORR_END
#endif
