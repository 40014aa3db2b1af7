# What users get. cmake -C tools/presets/release.cmake -S . -B build
set(CMAKE_BUILD_TYPE Release CACHE STRING "")
set(ORRERY_BUILD_KIND release CACHE STRING "")
