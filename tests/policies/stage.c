/* The stage of tests/sim, for this folder: jobs with more columns than run.h has. */
#include "../sim/stage.c"
