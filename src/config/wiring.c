#include "config/wiring.h"

#include <stdlib.h>

/* ---- one copy of each kind --------------------------------------------------------------------------------------- */

/* Member by member: what lies between members may be anything. */
static void add_key(orr_text *key, const orr_wiring *w, int32_t gpus)
{
    orr_text_add(key, (const char *)&gpus, sizeof gpus);
    orr_text_add(key, (const char *)&w->nvswitch_links, sizeof w->nvswitch_links);
    orr_text_add(key, (const char *)&w->nvlink_bps, sizeof w->nvlink_bps);
    orr_text_add(key, (const char *)&w->switches, sizeof w->switches);
    orr_text_add(key, (const char *)&w->pcie_bps, sizeof w->pcie_bps);
    orr_text_add(key, (const char *)&w->uplink_bps, sizeof w->uplink_bps);
    orr_text_add(key, (const char *)&w->socket_bps, sizeof w->socket_bps);
    orr_text_add(key, (const char *)&w->nics, sizeof w->nics);
    orr_text_add(key, (const char *)&w->nic_bps, sizeof w->nic_bps);
    if (w->nvlinks)
        orr_text_add(key, (const char *)w->nvlinks, (size_t)gpus * (size_t)gpus);
}

static orr_wiring *copy(const orr_wiring *w, int32_t gpus)
{
    orr_wiring *kept = orr_xmalloc(sizeof *kept);
    *kept = *w;
    if (!w->nvlinks)
        return kept;
    const size_t n = (size_t)gpus * (size_t)gpus;
    uint8_t *matrix = orr_xmalloc(n);
    memcpy(matrix, w->nvlinks, n);
    kept->nvlinks = matrix;
    return kept;
}

const orr_wiring *orr_wirings_keep(orr_wirings *w, const orr_wiring *wiring, int32_t gpus)
{
    if (!wiring)
        return NULL;
    if (!w->kinds)
        w->kinds = orr_names_create();
    orr_text key = {0};
    add_key(&key, wiring, gpus);
    const uint32_t id = orr_names_id(w->kinds, key.at, key.n);
    orr_text_fini(&key);
    if (id == w->at.n)
        ORR_VEC_PUSH(&w->at, copy(wiring, gpus));
    return w->at.at[id];
}

void orr_wirings_fini(orr_wirings *w)
{
    for (size_t i = 0; i < w->at.n; i++) {
        free((void *)w->at.at[i]->nvlinks);
        free(w->at.at[i]);
    }
    ORR_VEC_FREE(&w->at);
    orr_names_destroy(w->kinds);
    w->kinds = NULL;
}

/* ---- what is possible -------------------------------------------------------------------------------------------- */

static orr_err bad(orr_error *e, const char *what)
{
    return orr_error_set(e, ORR_E_BAD_CLUSTER, "%s", what);
}

static bool is_rate(double bps)
{
    return bps >= 0 && bps <= (double)ORR_WIRING_MAX_BPS;
}

static orr_err check_matrix(const uint8_t *links, int32_t gpus, orr_error *e)
{
    for (int32_t a = 0; a < gpus; a++) {
        int32_t sum = 0;
        for (int32_t b = 0; b < gpus; b++) {
            if (links[a * gpus + b] != links[b * gpus + a])
                return orr_error_set(e, ORR_E_BAD_CLUSTER, "NVLinks of GPUs %d and %d differ by direction", (int)a,
                                     (int)b);
            sum += links[a * gpus + b];
        }
        if (links[a * gpus + a])
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "GPU %d has an NVLink to itself", (int)a);
        if (sum > ORR_WIRING_MAX_LINKS)
            return orr_error_set(e, ORR_E_BAD_CLUSTER, "GPU %d has more than %d NVLinks", (int)a, ORR_WIRING_MAX_LINKS);
    }
    return ORR_E_OK;
}

static orr_err check_nvlink(const orr_wiring *w, int32_t gpus, orr_error *e)
{
    const bool links = w->nvlinks || w->nvswitch_links;
    if (w->nvswitch_links < 0 || w->nvswitch_links > ORR_WIRING_MAX_LINKS)
        return bad(e, "impossible number of NVLinks into the switch");
    if (w->nvlinks && w->nvswitch_links)
        return bad(e, "NVLinks go either between GPUs or into a switch");
    if (links && gpus < 2)
        return bad(e, "NVLink needs two GPUs in a node");
    if (links && w->nvlink_bps <= 0)
        return bad(e, "there are NVLinks, but not how fast one is: 'nvlink_bw'");
    if (!links && w->nvlink_bps > 0)
        return bad(e, "'nvlink_bw' is given, but no 'nvlink'");
    return w->nvlinks ? check_matrix(w->nvlinks, gpus, e) : ORR_E_OK;
}

static orr_err check_pcie(const orr_wiring *w, int32_t gpus, int32_t sockets, orr_error *e)
{
    if (w->switches < 0 || w->switches > (gpus > 0 ? gpus : 0) || w->switches % sockets)
        return orr_error_set(
            e, ORR_E_BAD_CLUSTER,
            "%d PCIe switches: there should be a multiple of the sockets (%d) and no more than GPUs (%d)",
            (int)w->switches, (int)sockets, (int)gpus);
    if (w->uplink_bps > 0 && (!w->switches || w->pcie_bps <= 0))
        return bad(e, "'uplink_bw' is of PCIe switches: it goes with 'pcie_switches' and 'pcie_bw'");
    return w->socket_bps > 0 && sockets == 1 ? bad(e, "'socket_bw' is between sockets, and there is one") : ORR_E_OK;
}

orr_err orr_wiring_check(const orr_wiring *w, int32_t gpus, int32_t sockets, orr_error *e)
{
    if (!w)
        return ORR_E_OK;
    if (!is_rate(w->nvlink_bps) || !is_rate(w->pcie_bps) || !is_rate(w->uplink_bps) || !is_rate(w->socket_bps) ||
        !is_rate(w->nic_bps))
        return bad(e, "impossible bandwidth in a node");
    if (w->nics < 0 || w->nics > ORR_WIRING_MAX_NICS)
        return bad(e, "impossible number of NICs");
    if ((w->nics > 0) != (w->nic_bps > 0))
        return bad(e, "'nics' and 'nic_bw' go together");
    orr_err err = check_nvlink(w, gpus, e);
    return err ? err : check_pcie(w, gpus, sockets, e);
}

orr_err orr_fabric_check(const orr_fabric *f, orr_error *e)
{
    if (!is_rate(f->rack_bps) || !is_rate(f->spine_bps))
        return bad(e, "impossible bandwidth in the fabric");
    if (f->oversubscription != 0 && !(f->oversubscription >= 1 && f->oversubscription <= 1e6))
        return bad(e, "an over-subscription is 1 or more: 4 where a rack's NICs carry four times what its uplinks do");
    if (f->rack_bps > 0 && f->oversubscription > 0)
        return bad(e, "'rack_bw' and 'oversubscription' are two ways to say one thing");
    return ORR_E_OK;
}

/* ---- the texts of files ------------------------------------------------------------------------------------------ */

static void join(uint8_t *matrix, int32_t gpus, int32_t a, int32_t b, int32_t links)
{
    matrix[a * gpus + b] = matrix[b * gpus + a] = (uint8_t)links;
}

/* The hybrid cube mesh of the DGX-1: two quads, each joined in all pairs, and each GPU to its like in the other. With
 * six links some pairs have two: within a quad 0-3, 1-2, 2-3; between the quads 0-4 and 1-5. */
static orr_err cube_mesh(uint8_t *matrix, int32_t links, int32_t gpus, orr_error *e)
{
    if (gpus != 8 || (links != 4 && links != 6))
        return bad(e, "a cube mesh has 8 GPUs with 4 links each (P100) or 6 (V100)");
    const int32_t two = links == 6 ? 2 : 1;
    for (int32_t quad = 0; quad < 8; quad += 4) {
        join(matrix, 8, quad, quad + 1, 1);
        join(matrix, 8, quad, quad + 2, 1);
        join(matrix, 8, quad + 1, quad + 3, 1);
        join(matrix, 8, quad, quad + 3, two);
        join(matrix, 8, quad + 1, quad + 2, two);
        join(matrix, 8, quad + 2, quad + 3, two);
    }
    for (int32_t g = 0; g < 4; g++)
        join(matrix, 8, g, g + 4, g < 2 ? two : 1);
    return ORR_E_OK;
}

static orr_err pairs(uint8_t *matrix, int32_t links, int32_t gpus, orr_error *e)
{
    if (gpus < 2 || gpus % 2)
        return bad(e, "'nvlink: pairs' joins GPUs two by two, so there should be an even number of them");
    for (int32_t g = 0; g < gpus; g += 2)
        join(matrix, gpus, g, g + 1, links);
    return ORR_E_OK;
}

/* A whole number at *at, below 1000; -1: none. */
static int32_t number(const char **at)
{
    const size_t n = strspn(*at, "0123456789");
    int64_t v = 0;
    if (n == 0 || n > 3 || !orr_parse_i64(*at, n, &v))
        return -1;
    *at += n;
    return (int32_t)v;
}

/* "0-3x2" */
static orr_err add_pair(const char *word, size_t length, uint8_t *matrix, int32_t gpus, orr_error *e)
{
    const char *at = word;
    const int32_t a = number(&at);
    const int32_t b = a >= 0 && *at == '-' ? (at++, number(&at)) : -1;
    const int32_t links = b < 0 ? -1 : *at == 'x' ? (at++, number(&at)) : 1;
    if (links < 0 || at != word + length)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "'%.*s' is no pair of GPUs such as 0-3 or, with two links, 0-3x2",
                             length > 40 ? 40 : (int)length, word);
    if (a >= gpus || b >= gpus || a == b)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "%d-%d: GPUs go from 0 to %d, and a link joins two", (int)a, (int)b,
                             (int)gpus - 1);
    if (links < 1 || links > ORR_WIRING_MAX_LINKS)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "%d-%d: 1 to %d links are possible", (int)a, (int)b,
                             ORR_WIRING_MAX_LINKS);
    if (matrix[a * gpus + b])
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "%d-%d stands there twice", (int)a, (int)b);
    join(matrix, gpus, a, b, links);
    return ORR_E_OK;
}

static orr_err listed(const char *text, uint8_t *matrix, int32_t links, int32_t gpus, orr_error *e)
{
    if (links)
        return bad(e,
                   "'nvlinks' goes with a named wiring; listed pairs say themselves how many links they have: 0-3x2");
    for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " ");
        orr_err err = add_pair(at, n, matrix, gpus, e);
        if (err)
            return err;
        at += n;
    }
    return ORR_E_OK;
}

static orr_err named(const char *text, int32_t links, int32_t gpus, uint8_t *matrix, orr_wiring *out, orr_error *e)
{
    const bool mesh = strcmp(text, "cube-mesh") == 0;
    if (!mesh && strcmp(text, "pairs") != 0 && strcmp(text, "switch") != 0)
        return listed(text, matrix, links, gpus, e);
    if (!links)
        return orr_error_set(e, ORR_E_BAD_CLUSTER, "'nvlink: %s' doesn't say how many links a GPU has: 'nvlinks'",
                             text);
    if (mesh)
        return cube_mesh(matrix, links, gpus, e);
    if (text[0] == 'p')
        return pairs(matrix, links, gpus, e);
    out->nvlinks = NULL;
    out->nvswitch_links = links;
    return ORR_E_OK;
}

orr_err orr_nvlink_parse(const char *text, int32_t links, int32_t gpus, uint8_t *matrix, orr_wiring *out, orr_error *e)
{
    out->nvlinks = NULL;
    out->nvswitch_links = 0;
    if (!text[0] || strcmp(text, "none") == 0)
        return links ? bad(e, "'nvlinks' is given, but no 'nvlink'") : ORR_E_OK;
    memset(matrix, 0, (size_t)gpus * (size_t)gpus);
    out->nvlinks = matrix;
    return named(text, links, gpus, matrix, out, e);
}
