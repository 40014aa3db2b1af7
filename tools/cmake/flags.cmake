# Flags that every target shares, whatever the variant. Results must be the same bytes from every compiler and at every
# level of optimisation, so nothing may fuse, reorder or approximate floating point: no fast-math, no contraction, no
# -march=native. The source folder is mapped away, so that two checkouts build the same binary.
add_library(orrery_flags INTERFACE)
target_compile_options(orrery_flags INTERFACE
    -ffp-contract=off
    -ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/=
    -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion
    $<$<BOOL:${ORRERY_WERROR}>:-Werror>)

if(ORRERY_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "ORRERY_FUZZ needs Clang: configure with -DCMAKE_C_COMPILER=clang")
    endif()
    target_compile_options(orrery_flags INTERFACE -g -fsanitize=fuzzer-no-link,address,undefined)
    target_link_options(orrery_flags INTERFACE -fsanitize=address,undefined)
endif()
