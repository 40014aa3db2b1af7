# For stepping through, and what the tests run in: full debug information, light optimisation so that replays stay quick.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g3 -fno-omit-frame-pointer" CACHE STRING "")
set(ORRERY_BUILD_KIND debug CACHE STRING "")
