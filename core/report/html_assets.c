/* html_assets.c - files that become part of the library as they are; cmake/page.cmake. */
#include "report/html_assets.h"

#define ASSET(name, path)                                                                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".global " #name "\n.hidden " #name "\n" #name ":\n"                                   \
            ".incbin \"" path "\"\n.byte 0\n"                                                      \
            ".popsection\n")

ASSET(html_style, PAGE_FOLDER "/page.css");
ASSET(html_drawn, PAGE_FOLDER "/charts.css");
ASSET(html_charts, PAGE_FOLDER "/charts.js");
ASSET(html_script, PAGE_FOLDER "/page.js");
