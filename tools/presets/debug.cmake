# For stepping through, and what the tests run in: full debug information, beside the objects since hundreds of tests are
# linked with the whole library; light optimisation so that replays stay quick.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g3 -gsplit-dwarf -fno-omit-frame-pointer" CACHE STRING "")
set(ORRERY_BUILD_KIND debug CACHE STRING "")
