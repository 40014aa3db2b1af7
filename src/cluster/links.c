/* The numbering: node by node its NICs, switch uplinks and socket ports, each outward then inward; then the racks; then
 * the spine. Nodes without such parts take no numbers.
 */
#include "cluster/links.h"

#include "base/mem.h"
#include "cluster/topology.h"

#include <stdio.h>

/* What a node has of each, and where its parts begin among its links. */
typedef struct parts {
    int32_t nics, uplinks, sockets;
} parts;

static const orr_wiring *wiring_of(const orr_node *n)
{
    static const orr_wiring none = {0};
    return n->spec->wiring ? n->spec->wiring : &none;
}

static parts parts_of(const orr_node *n)
{
    const orr_wiring *w = wiring_of(n);
    return (parts){
        .nics = w->nics,
        .uplinks = w->pcie_bps > 0 ? w->switches : 0,
        .sockets = w->socket_bps > 0 ? n->spec->sockets : 0,
    };
}

static int32_t link_count(parts p)
{
    return 2 * (p.nics + p.uplinks + p.sockets);
}

/* ---- made -------------------------------------------------------------------------------------------------------- */

static void set(orr_links *links, int32_t *at, int32_t n, double bps)
{
    for (int32_t i = 0; i < 2 * n; i++)
        links->bps[(*at)++] = bps;
}

static void set_node(orr_links *links, int32_t node)
{
    const orr_node *n = &links->cluster->nodes[node];
    const orr_wiring *w = wiring_of(n);
    const parts p = parts_of(n);
    int32_t at = links->first[node];
    set(links, &at, p.nics, w->nic_bps);
    set(links, &at, p.uplinks, w->uplink_bps > 0 ? w->uplink_bps : w->pcie_bps);
    set(links, &at, p.sockets, w->socket_bps);
}

/* By what the NICs of a rack carry together. A rack without NICs keeps 0, and limits nothing: see orr_links_path. */
static void oversubscribe(orr_links *links, double by)
{
    for (int32_t i = 0; i < links->cluster->count; i++) {
        const orr_node *n = &links->cluster->nodes[i];
        const double bps = wiring_of(n)->nics * wiring_of(n)->nic_bps / by;
        links->bps[links->racks + 2 * n->rack] += bps;
        links->bps[links->racks + 2 * n->rack + 1] += bps;
    }
}

static void set_fabric(orr_links *links, const orr_fabric *f)
{
    if (links->spine >= 0)
        links->bps[links->spine] = f->spine_bps;
    if (links->racks < 0)
        return;
    int32_t at = links->racks;
    set(links, &at, links->cluster->racks, f->rack_bps);
    if (f->oversubscription > 0)
        oversubscribe(links, f->oversubscription);
}

static void number(orr_links *links, const orr_fabric *f)
{
    const orr_cluster *c = links->cluster;
    for (int32_t i = 0; i < c->count; i++) {
        links->first[i] = links->count;
        links->count += link_count(parts_of(&c->nodes[i]));
    }
    links->first[c->count] = links->count;
    links->racks = links->spine = -1;
    if (c->racks > 1 && (f->rack_bps > 0 || f->oversubscription > 0)) {
        links->racks = links->count;
        links->count += 2 * c->racks;
    }
    if (c->racks > 1 && f->spine_bps > 0)
        links->spine = links->count++;
}

orr_links *orr_links_create(const orr_cluster *c, const orr_fabric *fabric)
{
    static const orr_fabric none = {0};
    const orr_fabric *f = fabric ? fabric : &none;
    orr_links *links = orr_xcalloc(1, sizeof *links);
    links->cluster = c;
    links->first = orr_xcalloc((size_t)c->count + 1, sizeof *links->first);
    number(links, f);
    links->bps = orr_xcalloc((size_t)links->count + 1, sizeof *links->bps);
    for (int32_t i = 0; i < c->count; i++)
        set_node(links, i);
    set_fabric(links, f);
    return links;
}

void orr_links_destroy(orr_links *links)
{
    if (!links)
        return;
    free(links->first);
    free(links->bps);
    free(links);
}

/* ---- parts of a node --------------------------------------------------------------------------------------------- */

int32_t orr_links_nic(const orr_links *links, int32_t node, int nic, bool inward)
{
    const parts p = parts_of(&links->cluster->nodes[node]);
    return nic < 0 || nic >= p.nics ? -1 : links->first[node] + 2 * nic + inward;
}

static int32_t uplink(const orr_links *links, int32_t node, int sw, bool inward)
{
    const parts p = parts_of(&links->cluster->nodes[node]);
    return sw >= p.uplinks ? -1 : links->first[node] + 2 * (p.nics + sw) + inward;
}

static int32_t socket_port(const orr_links *links, int32_t node, int socket, bool inward)
{
    const parts p = parts_of(&links->cluster->nodes[node]);
    return socket >= p.sockets ? -1 : links->first[node] + 2 * (p.nics + p.uplinks + socket) + inward;
}

/* GPUs are dealt out in order: where each switch has as many NICs this is a NIC below the GPU's own. */
int orr_node_nic_of(const orr_node *n, int gpu)
{
    const int32_t nics = wiring_of(n)->nics;
    return nics ? gpu * nics / n->spec->gpus : -1;
}

static int switch_of_nic(const orr_node *n, int nic)
{
    const orr_wiring *w = wiring_of(n);
    return w->switches ? nic * w->switches / w->nics : 0;
}

static int socket_of_switch(const orr_node *n, int sw)
{
    const orr_wiring *w = wiring_of(n);
    return w->switches ? sw * n->spec->sockets / w->switches : 0;
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

typedef struct path {
    int32_t *at;
    int n;
} path;

/* A link that isn't there, or whose rate isn't known, limits nothing. */
static void add(const orr_links *links, path *p, int32_t link)
{
    if (link >= 0 && links->bps[link] > 0)
        p->at[p->n++] = link;
}

/* Up from one switch and down to another of a node, over the sockets' ports where they differ. */
static void add_pcie(const orr_links *links, path *p, int32_t node, int from, int from_socket, int to, int to_socket)
{
    const bool switches = wiring_of(&links->cluster->nodes[node])->switches > 0;
    if (switches && from == to)
        return;
    add(links, p, switches ? uplink(links, node, from, false) : -1);
    if (from_socket != to_socket) {
        add(links, p, socket_port(links, node, from_socket, false));
        add(links, p, socket_port(links, node, to_socket, true));
    }
    add(links, p, switches ? uplink(links, node, to, true) : -1);
}

static bool nvlinked(const orr_node *n, int a, int b)
{
    const orr_wiring *w = wiring_of(n);
    return w->nvlinks ? w->nvlinks[a * n->spec->gpus + b] > 0 : w->nvswitch_links > 0;
}

static void add_inside(const orr_links *links, path *p, int32_t node, int from, int to)
{
    const orr_node *n = &links->cluster->nodes[node];
    if (from == to || nvlinked(n, from, to))
        return;
    add_pcie(links, p, node, orr_switch_of(n->spec, from), orr_socket_of(n->spec, from), orr_switch_of(n->spec, to),
             orr_socket_of(n->spec, to));
}

/* Between a GPU and its NIC: nothing shared but where the NIC is below another switch. Where switches aren't stated it
 * isn't known where a NIC is, and it is taken to be at the GPU's socket. */
static void add_to_nic(const orr_links *links, path *p, int32_t node, int gpu, bool inward)
{
    const orr_node *n = &links->cluster->nodes[node];
    const int nic = orr_node_nic_of(n, gpu);
    if (nic >= 0 && wiring_of(n)->switches) {
        const int mine = orr_switch_of(n->spec, gpu), its = switch_of_nic(n, nic);
        const int a = inward ? its : mine, b = inward ? mine : its;
        if (inward)
            add(links, p, orr_links_nic(links, node, nic, true));
        add_pcie(links, p, node, a, socket_of_switch(n, a), b, socket_of_switch(n, b));
        if (!inward)
            add(links, p, orr_links_nic(links, node, nic, false));
        return;
    }
    add(links, p, orr_links_nic(links, node, nic, inward));
}

int orr_links_path(const orr_links *links, int32_t from_node, int from_gpu, int32_t to_node, int to_gpu, int32_t *out)
{
    path p = {.at = out};
    if (from_node == to_node) {
        add_inside(links, &p, from_node, from_gpu, to_gpu);
        return p.n;
    }
    const int32_t from = links->cluster->nodes[from_node].rack, to = links->cluster->nodes[to_node].rack;
    add_to_nic(links, &p, from_node, from_gpu, false);
    if (from != to) {
        add(links, &p, links->racks < 0 ? -1 : links->racks + 2 * from);
        add(links, &p, links->spine);
        add(links, &p, links->racks < 0 ? -1 : links->racks + 2 * to + 1);
    }
    add_to_nic(links, &p, to_node, to_gpu, true);
    return p.n;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

static int32_t node_of(const orr_links *links, int32_t link)
{
    int32_t low = 0, high = links->cluster->count;
    while (high - low > 1) {
        const int32_t mid = low + (high - low) / 2;
        if (links->first[mid] <= link)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static void name_part(const orr_links *links, int32_t link, char *buf)
{
    const int32_t node = node_of(links, link);
    const orr_node *n = &links->cluster->nodes[node];
    const parts p = parts_of(n);
    const int32_t at = (link - links->first[node]) / 2;
    const char *kind = at < p.nics ? "nic" : at < p.nics + p.uplinks ? "switch" : "socket";
    const int32_t which = at < p.nics ? at : at < p.nics + p.uplinks ? at - p.nics : at - p.nics - p.uplinks;
    snprintf(buf, ORR_LINK_NAME, "%s %s %ld %s", n->spec->name, kind, (long)which,
             (link - links->first[node]) % 2 ? "in" : "out");
}

const char *orr_links_name(const orr_links *links, int32_t link, char buf[ORR_LINK_NAME])
{
    if (link == links->spine) {
        snprintf(buf, ORR_LINK_NAME, "spine");
    } else if (links->racks >= 0 && link >= links->racks) {
        const int32_t rack = (link - links->racks) / 2;
        snprintf(buf, ORR_LINK_NAME, "rack %s %s", links->cluster->rack_names[rack],
                 (link - links->racks) % 2 ? "in" : "out");
    } else {
        name_part(links, link, buf);
    }
    return buf;
}
