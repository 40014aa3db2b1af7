# The table of built-in modules, made by listing policies/: adding a file is the only edit that a new policy needs.
# policies/<dir>/<name>.c defines the module `orr_module_<dir>_<name>`, by one of the macros at the end of policy.h.
# The order is that of (dir, name), the same on every machine.
function(orrery_list_builtins sources_out list_out)
    set(sources)
    set(externs "")
    set(rows "")
    set(count 0)
    foreach(dir estimate place sched serve wrap)
        file(GLOB found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/policies/${dir}/*.c)
        list(SORT found)
        foreach(source IN LISTS found)
            get_filename_component(name ${source} NAME_WE)
            if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
                message(FATAL_ERROR "${source}: a policy file is named as in C, by lower-case letters, digits and _")
            endif()
            string(APPEND externs "extern const orr_module orr_module_${dir}_${name};\n")
            string(APPEND rows "    &orr_module_${dir}_${name},\n")
            math(EXPR count "${count} + 1")
            list(APPEND sources ${source})
        endforeach()
    endforeach()
    if(count EQUAL 0)
        set(rows "    NULL,\n")
    endif()
    set(list ${PROJECT_BINARY_DIR}/builtin_modules.c)
    file(CONFIGURE OUTPUT ${list} @ONLY CONTENT [[
/* Made by tools/cmake/builtins.cmake from the files in policies/. */
#include <orrery/policy.h>

@externs@
extern const orr_module *const orr_builtin_modules[];
extern const size_t orr_builtin_module_count;

const orr_module *const orr_builtin_modules[] = {
@rows@};
const size_t orr_builtin_module_count = @count@;
]])
    set(${sources_out} ${sources} PARENT_SCOPE)
    set(${list_out} ${list} PARENT_SCOPE)
endfunction()
