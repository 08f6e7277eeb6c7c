/* html_assets.h - what stands in every page, as texts that end with a zero byte. */
#ifndef RECKON_REPORT_HTML_ASSETS_H
#define RECKON_REPORT_HTML_ASSETS_H

extern const char html_style[];  /* core/report/page/page.css */
extern const char html_drawn[];  /* core/report/page/charts.css */
extern const char html_charts[]; /* core/report/page/charts.js */
extern const char html_script[]; /* core/report/page/page.js */

#endif
