# What Orrery stands on. All that is missing is named at once, with the Debian and Ubuntu packages that bring it.
# Each row: pkg-config module, package.
set(orrery_modules
    yaml-0.1 libyaml-dev
    libcjson libcjson-dev
    gsl      libgsl-dev
    zlib     zlib1g-dev
    libzstd  libzstd-dev
    nettle   nettle-dev)

find_program(PKG_CONFIG_EXECUTABLE NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG_EXECUTABLE)
    message(FATAL_ERROR "pkg-config is missing. On Debian or Ubuntu: sudo apt-get install pkg-config")
endif()
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(orrery_depends INTERFACE)
target_link_libraries(orrery_depends INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)

set(missing)
set(rows ${orrery_modules})
while(rows)
    list(POP_FRONT rows module package)
    string(MAKE_C_IDENTIFIER "have_${module}" have)
    pkg_check_modules(${have} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(${have}_FOUND)
        target_link_libraries(orrery_depends INTERFACE PkgConfig::${have})
    else()
        list(APPEND missing ${package})
    endif()
endwhile()

find_path(UTHASH_INCLUDE_DIR uthash.h)
mark_as_advanced(UTHASH_INCLUDE_DIR)
if(NOT UTHASH_INCLUDE_DIR)
    list(APPEND missing uthash-dev)
elseif(NOT UTHASH_INCLUDE_DIR IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
    target_include_directories(orrery_depends SYSTEM INTERFACE $<BUILD_INTERFACE:${UTHASH_INCLUDE_DIR}>)
endif()

# GLPK brings no pkg-config module.
find_path(GLPK_INCLUDE_DIR glpk.h)
find_library(GLPK_LIBRARY glpk)
mark_as_advanced(GLPK_INCLUDE_DIR GLPK_LIBRARY)
if(NOT GLPK_INCLUDE_DIR OR NOT GLPK_LIBRARY)
    list(APPEND missing libglpk-dev)
else()
    target_link_libraries(orrery_depends INTERFACE ${GLPK_LIBRARY})
    if(NOT GLPK_INCLUDE_DIR IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
        target_include_directories(orrery_depends SYSTEM INTERFACE $<BUILD_INTERFACE:${GLPK_INCLUDE_DIR}>)
    endif()
endif()

# Nor does the reentrant Qhull everywhere.
find_path(QHULL_INCLUDE_DIR libqhull_r/libqhull_r.h)
find_library(QHULL_LIBRARY qhull_r)
mark_as_advanced(QHULL_INCLUDE_DIR QHULL_LIBRARY)
if(NOT QHULL_INCLUDE_DIR OR NOT QHULL_LIBRARY)
    list(APPEND missing libqhull-dev)
else()
    target_link_libraries(orrery_depends INTERFACE ${QHULL_LIBRARY})
    if(NOT QHULL_INCLUDE_DIR IN_LIST CMAKE_C_IMPLICIT_INCLUDE_DIRECTORIES)
        target_include_directories(orrery_depends SYSTEM INTERFACE $<BUILD_INTERFACE:${QHULL_INCLUDE_DIR}>)
    endif()
endif()

# SQLite is for one of the formats of results, which a program without it lacks.
pkg_check_modules(have_sqlite QUIET IMPORTED_TARGET GLOBAL sqlite3)
if(have_sqlite_FOUND)
    target_link_libraries(orrery_depends INTERFACE PkgConfig::have_sqlite)
    set(ORRERY_PC_SQLITE " sqlite3")
else()
    message(STATUS "sqlite3 is missing: no result.sqlite. On Debian or Ubuntu: sudo apt-get install libsqlite3-dev")
endif()

if(missing)
    list(JOIN missing " " missing)
    message(FATAL_ERROR "Libraries are missing. On Debian or Ubuntu: sudo apt-get install ${missing}")
endif()

if(ORRERY_TESTS)
    pkg_check_modules(cmocka QUIET IMPORTED_TARGET cmocka)
    if(NOT cmocka_FOUND)
        message(STATUS "cmocka is missing: no tests. On Debian or Ubuntu: sudo apt-get install libcmocka-dev")
        set(ORRERY_TESTS OFF)
    endif()
endif()
