/* SPDX-License-Identifier: GPL-2.0-only */
/* XML into a sink. */
#include "scenario/xml_out.h"

#include <string.h>

void weft_xml_put(const struct weft_text_sink *sink, const char *markup)
{
    sink->put(sink->ctx, markup, strlen(markup));
}

void weft_xml_put_escaped(const struct weft_text_sink *sink, const char *text)
{
    static const char *const marks[] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",   ['>'] = "&gt;", ['"'] = "&quot;",
        ['\n'] = "&#10;", ['\r'] = "&#13;", ['\t'] = "&#9;"};
    for (const char *p = text; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c < sizeof marks / sizeof marks[0] && marks[c])
            weft_xml_put(sink, marks[c]);
        else
            sink->put(sink->ctx, p, 1);
    }
}

void weft_xml_put_attr(const struct weft_text_sink *sink, const char *name, const char *value)
{
    weft_xml_put(sink, " ");
    weft_xml_put(sink, name);
    weft_xml_put(sink, "=\"");
    weft_xml_put_escaped(sink, value);
    weft_xml_put(sink, "\"");
}
