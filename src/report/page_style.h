/* What every page begins with. Inside src/report only. */
#ifndef ORR_REPORT_PAGE_STYLE_H
#define ORR_REPORT_PAGE_STYLE_H

extern const char orr_page_style[];  /* the rules of <style> */
extern const char orr_page_script[]; /* sorts tables; has no < and no &, since the page is XML, too */

#endif
