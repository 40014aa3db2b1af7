/* bad-abi: of a generation to come, with a descriptor that nobody here can read. */
#include <orrery/policy.h>

ORR_API extern const orr_module orr_plugin;
ORR_API const orr_module orr_plugin = {
    .abi = ORR_ABI + 41, .module_size = sizeof(orr_module) + 64, .kind = (orr_kind)17, .name = (const char *)8, .descriptor = (const void *)16};
