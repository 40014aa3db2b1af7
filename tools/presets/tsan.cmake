# Stops at the first data race between threads.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_C_FLAGS "-fsanitize=thread" CACHE STRING "")
set(ORRERY_BUILD_KIND tsan CACHE STRING "")
