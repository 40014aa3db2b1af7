/* The stage of tests/sim, for this folder. */
#include "../sim/stage.c"
