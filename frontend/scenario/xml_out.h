/* SPDX-License-Identifier: GPL-2.0-only */
/* XML into a sink. */
#ifndef WEFT_SCENARIO_XML_OUT_H
#define WEFT_SCENARIO_XML_OUT_H

#include "scenario/scenario.h"

/** Markup, as it is. */
void weft_xml_put(const struct weft_text_sink *sink, const char *markup);
/** Text, or the value of an attribute. */
void weft_xml_put_escaped(const struct weft_text_sink *sink, const char *text);
/** An attribute, and a blank before it. */
void weft_xml_put_attr(const struct weft_text_sink *sink, const char *name, const char *value);

#endif
