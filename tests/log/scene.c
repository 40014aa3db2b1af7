/* The schedule by hand of tests/verify, for this folder. */
#include "../verify/scene.c"
