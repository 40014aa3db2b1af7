# Every test is found by its place:
#   tests/<area>/test_*.c   one executable each, named <area>.<file> in ctest; other .c files there are a library for each
#   tests/sim/run.[ch]      linked with every test: runs a policy and keeps what was reported
#   tests/plugin/*.c        one plugin each, built as an outsider would
#   tests/fuzz/fuzz_*.c     replayed over tests/fuzz/corpus/<name>/ (and, with ORRERY_FUZZ, a libFuzzer binary each)
#   tests/cli/<topic>/*.sh  one case of the command line each, run by tests/cli/run.sh
#   tests/batch/*.sh        one batch system each; 77: it isn't here
#   tests/pages/browser.sh  the HTML pages in a browser, skipped where there is none
#   tests/layering.sh, tests/readme.sh
set(tests ${PROJECT_SOURCE_DIR}/tests)
set(tests_out ${PROJECT_BINARY_DIR}/tests)

# ---- plugins: include/ alone, and no word of being built in ----
file(GLOB plugin_sources CONFIGURE_DEPENDS ${tests}/plugin/*.c)
set(plugins)
foreach(source IN LISTS plugin_sources)
    get_filename_component(name ${source} NAME_WE)
    add_library(plugin_${name} MODULE ${source})
    target_include_directories(plugin_${name} PRIVATE include)
    target_link_libraries(plugin_${name} PRIVATE orrery_flags)
    set_target_properties(plugin_${name} PROPERTIES PREFIX "" DEFINE_SYMBOL "" OUTPUT_NAME ${name}
                          LIBRARY_OUTPUT_DIRECTORY ${tests_out}/plugin)
    list(APPEND plugins plugin_${name})
endforeach()

function(orrery_test_knows target)
    target_include_directories(${target} PRIVATE src include ${ARGN})
    target_compile_definitions(${target} PRIVATE ORR_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ORR_TEST_DATA_DIR="${tests}"
                               ORR_PLUGIN_DIR="${tests_out}/plugin" ORR_CLI="$<TARGET_FILE:orrery>")
endfunction()

function(orrery_test_target target)
    orrery_test_knows(${target} ${ARGN})
    target_link_libraries(${target} PRIVATE orrery_host PkgConfig::cmocka)
    set_target_properties(${target} PROPERTIES ENABLE_EXPORTS ON DEFINE_SYMBOL "" RUNTIME_OUTPUT_DIRECTORY ${tests_out})
    if(plugins)
        add_dependencies(${target} ${plugins})
    endif()
endfunction()

file(GLOB fuzz_formats CONFIGURE_DEPENDS RELATIVE ${tests}/fuzz/corpus/read ${tests}/fuzz/corpus/read/*)

if(ORRERY_TESTS)
    # ---- what tests of several folders run simulations with ----
    add_library(tests_run STATIC EXCLUDE_FROM_ALL ${tests}/sim/run.c)
    target_include_directories(tests_run PUBLIC ${tests}/sim PRIVATE src include)
    target_compile_definitions(tests_run PRIVATE ORR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(tests_run PRIVATE orrery_flags orrery_depends PkgConfig::cmocka)

    # ---- what the tests of one folder share, compiled once ----
    function(orrery_tests_shared area dir)
        file(GLOB shared CONFIGURE_DEPENDS ${dir}/*.c)
        list(FILTER shared EXCLUDE REGEX "/(test_[^/]*|sim/run\\.c)$")
        if(shared AND NOT TARGET tests_of_${area})
            add_library(tests_of_${area} STATIC EXCLUDE_FROM_ALL ${shared})
            orrery_test_knows(tests_of_${area} ${dir})
            target_link_libraries(tests_of_${area} PRIVATE orrery_flags orrery_depends PkgConfig::cmocka PUBLIC tests_run)
        endif()
    endfunction()

    # ---- unit tests ----
    file(GLOB test_sources CONFIGURE_DEPENDS ${tests}/*/test_*.c)
    foreach(source IN LISTS test_sources)
        get_filename_component(dir ${source} DIRECTORY)
        get_filename_component(area ${dir} NAME)
        get_filename_component(file ${source} NAME_WE)
        string(REGEX REPLACE "^test_" "" file ${file})
        set(target test_${area}_${file})
        add_executable(${target} ${source})
        orrery_test_target(${target} ${dir})
        orrery_tests_shared(${area} ${dir})
        if(TARGET tests_of_${area})
            target_link_libraries(${target} PRIVATE tests_of_${area})
        endif()
        target_link_libraries(${target} PRIVATE tests_run)
        add_dependencies(${target} orrery)
        add_test(NAME ${area}.${file} COMMAND ${target})
        set_tests_properties(${area}.${file} PROPERTIES TIMEOUT 600)
    endforeach()

    # ---- corpora of the fuzzers as ordinary tests ----
    file(GLOB fuzz_sources CONFIGURE_DEPENDS ${tests}/fuzz/fuzz_*.c)
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(target ${source} NAME_WE)
        string(REGEX REPLACE "^fuzz_" "" name ${target})
        add_executable(replay_${name} ${source} ${tests}/fuzz/replay.c)
        orrery_test_target(replay_${name} ${tests}/fuzz)
        if(name STREQUAL "read")
            continue()
        endif()
        add_test(NAME fuzz.${name} COMMAND replay_${name} ${tests}/fuzz/corpus/${name})
        set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300)
    endforeach()
    # fuzz_read.c is a target for each format that has a corpus: corpus/read/<format>/
    foreach(format IN LISTS fuzz_formats)
        add_test(NAME fuzz.read_${format} COMMAND replay_read ${tests}/fuzz/corpus/read/${format})
        set(environment "ORRERY_FUZZ_FORMAT=${format}")
        if(EXISTS ${tests}/fuzz/tables/${format}) # beside the trace, for formats that need them
            list(APPEND environment "ORRERY_FUZZ_TABLES=${tests}/fuzz/tables/${format}")
        endif()
        set_tests_properties(fuzz.read_${format} PROPERTIES TIMEOUT 300 ENVIRONMENT "${environment}")
    endforeach()

    # ---- scripts ----
    add_test(NAME house.layering COMMAND sh ${tests}/layering.sh ${PROJECT_SOURCE_DIR})
    add_test(NAME house.layering_catches COMMAND sh ${tests}/layering.sh --self-test)
    file(GLOB cases CONFIGURE_DEPENDS RELATIVE ${tests}/cli ${tests}/cli/*/*.sh)
    foreach(case IN LISTS cases)
        string(REGEX REPLACE "\\.sh$" "" case ${case})
        string(REPLACE "/" "." name ${case})
        add_test(NAME cli.${name} COMMAND bash ${tests}/cli/run.sh $<TARGET_FILE:orrery> ${PROJECT_SOURCE_DIR} ${case})
        set_tests_properties(cli.${name} PROPERTIES TIMEOUT 150)
    endforeach()
    file(GLOB batches CONFIGURE_DEPENDS ${tests}/batch/*.sh)
    foreach(batch IN LISTS batches)
        get_filename_component(name ${batch} NAME_WE)
        add_test(NAME batch.${name} COMMAND bash ${batch} $<TARGET_FILE:orrery> ${PROJECT_SOURCE_DIR})
        set_tests_properties(batch.${name} PROPERTIES TIMEOUT 150 SKIP_RETURN_CODE 77)
    endforeach()
    # pages in a browser; skipped where there is none
    add_test(NAME house.pages COMMAND bash ${tests}/pages/browser.sh $<TARGET_FILE:orrery> ${PROJECT_SOURCE_DIR})
    set_tests_properties(house.pages PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
    add_test(NAME house.readme COMMAND bash ${tests}/readme.sh $<TARGET_FILE:orrery> ${PROJECT_SOURCE_DIR})
    set_tests_properties(house.readme PROPERTIES TIMEOUT 300)
endif()

if(ORRERY_FUZZ)
    file(GLOB fuzz_sources CONFIGURE_DEPENDS ${tests}/fuzz/fuzz_*.c)
    foreach(source IN LISTS fuzz_sources)
        get_filename_component(target ${source} NAME_WE)
        add_executable(${target} ${source})
        target_include_directories(${target} PRIVATE src include)
        target_link_libraries(${target} PRIVATE liborrery orrery_flags)
        target_link_options(${target} PRIVATE -fsanitize=fuzzer)
        set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    endforeach()
endif()
