# Stops at the first access out of bounds, use after free, leak, or undefined operation. Lines are all that reports need of debug
# information: every test is linked with the whole library.
set(CMAKE_BUILD_TYPE Debug CACHE STRING "")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g1 -fno-omit-frame-pointer" CACHE STRING "")
set(CMAKE_C_FLAGS "-fsanitize=address,undefined -fno-sanitize-recover=all" CACHE STRING "")
set(ORRERY_BUILD_KIND asan-ubsan CACHE STRING "")
