/* The random worlds of tests/laws, for this folder. */
#include "../laws/world.c"
