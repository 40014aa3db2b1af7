# Stops at the first access out of bounds, use after free, leak, or undefined operation.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_C_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all" CACHE STRING "")
set(ORRERY_BUILD_KIND asan-ubsan CACHE STRING "")
