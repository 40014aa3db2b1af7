/* SIGINT asks a run to stop at the next event boundary (a second one ends the program at once), SIGUSR1 for one line of
 * progress, SIGPIPE ends the program silently with status 141 whatever the parent had set. */
#ifndef ORRERY_TOOL_SIGNALS_H
#define ORRERY_TOOL_SIGNALS_H

#include <stdbool.h>

void signals_start(void); /* at program start: SIGPIPE, SIGUSR1 */
void signals_run(void);   /* before the first simulation: SIGINT */
bool signals_interrupted(void);
bool signals_take_progress(void); /* true once for each SIGUSR1 */

#endif
