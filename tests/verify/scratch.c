/* Scratch folders as in tests/trace, for this folder. */
#include "../trace/scratch.c"
