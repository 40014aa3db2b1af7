/* The description of a cluster as a page to look at: what there is, and each kind of node drawn. One file that needs
 * nothing else; see page.h.
 */
#ifndef ORR_REPORT_CLUSTER_PAGE_H
#define ORR_REPORT_CLUSTER_PAGE_H

#include "base/text.h"
#include <orrery/cluster.h>

/* `command`: that made it; NULL: left out. */
void orr_cluster_page_html(const orr_cluster_spec *spec, const char *command, orr_text *out);
/* The drawings alone, one below the other. */
void orr_cluster_page_svg(const orr_cluster_spec *spec, orr_text *out);

#endif
