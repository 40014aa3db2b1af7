/* What `--serve` names resolves, with every preset, to a form that has every knob and resolves to itself. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void resolved(const char *spec, char *out, size_t size)
{
    small_world w;
    small_world_init(&w, 0.001, 0.001, 1, 1, 1);
    snprintf(out, size, "%s", orr_serving_resolved(small_world_run(&w, spec, 1)));
    small_world_fini(&w);
}

static void resolves(const char *spec, const char *head)
{
    char once[1024], again[1024];
    resolved(spec, once, sizeof once);
    if (strncmp(once, head, strlen(head)) != 0)
        fail_msg("%s resolves to %s", spec, once);
    resolved(once, again, sizeof again);
    assert_string_equal(once, again);
}

static void every_module_resolves_with_every_preset(void **state)
{
    (void)state;
    orr_registry *registry = orr_registry_create();
    const orr_module *const *modules;
    const size_t n = orr_registry_modules(registry, &modules);
    int seen = 0;
    for (size_t i = 0; i < n; i++) {
        if (modules[i]->kind < ORR_KIND_BATCHER)
            continue;
        char name[64], spec[256];
        const orr_batcher *head = modules[i]->descriptor;
        orr_module_shown_name(modules[i], name, sizeof name);
        resolves(name, name);
        for (const orr_preset *p = head->presets; p && p->name; p++) {
            snprintf(spec, sizeof spec, "%s:%s", name, p->name);
            resolves(spec, name);
        }
        seen++;
    }
    assert_true(seen > 20);
    orr_registry_destroy(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_module_resolves_with_every_preset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
