/* html_assets.h - what stands in every page, as texts that end with a zero byte. */
#ifndef RECKON_REPORT_HTML_ASSETS_H
#define RECKON_REPORT_HTML_ASSETS_H

extern const char html_style[];  /* src/report/page/page.css */
extern const char html_drawn[];  /* src/report/page/charts.css */
extern const char html_charts[]; /* src/report/page/charts.js */
extern const char html_script[]; /* src/report/page/page.js */

#endif
