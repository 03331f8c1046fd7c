/* SPDX-License-Identifier: GPL-2.0-only */
/* A resolved scenario as a scenario file: every value explicit, paths absolute. */
#include "scenario/resolve.h"

#include <string.h>
#include <unistd.h>

static void write_xml_put(const struct weft_text_sink *sink, const char *text)
{
    sink->put(sink->ctx, text, strlen(text));
}

static void put_escaped(const struct weft_text_sink *sink, const char *text)
{
    for (const char *p = text; *p; p++) {
        switch (*p) {
        case '&':
            write_xml_put(sink, "&amp;");
            break;
        case '<':
            write_xml_put(sink, "&lt;");
            break;
        case '>':
            write_xml_put(sink, "&gt;");
            break;
        case '"':
            write_xml_put(sink, "&quot;");
            break;
        case '\n':
            write_xml_put(sink, "&#10;");
            break;
        case '\r':
            write_xml_put(sink, "&#13;");
            break;
        case '\t':
            write_xml_put(sink, "&#9;");
            break;
        default:
            sink->put(sink->ctx, p, 1);
        }
    }
}

static void put_attr(const struct weft_text_sink *sink, const char *name, const char *value)
{
    write_xml_put(sink, " ");
    write_xml_put(sink, name);
    write_xml_put(sink, "=\"");
    put_escaped(sink, value);
    write_xml_put(sink, "\"");
}

static void put_param(const struct weft_text_sink *sink, const struct weft_scenario_group *g,
                      const struct weft_param *p)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    if (p->type != WEFT_PARAM_STRING) {
        put_attr(sink, p->name, weft_params_format(p, g->values, buf, sizeof buf));
        return;
    }
    const char *text = *(const char *const *)((const char *)g->values + p->offset);
    char cwd[4096];
    if (!text)
        text = "";
    if (!weft_param_is_path(p) || text[0] == '/' || text[0] == '\0' || !getcwd(cwd, sizeof cwd)) {
        put_attr(sink, p->name, text);
        return;
    }
    write_xml_put(sink, " ");
    write_xml_put(sink, p->name);
    write_xml_put(sink, "=\"");
    put_escaped(sink, cwd);
    write_xml_put(sink, "/");
    put_escaped(sink, text);
    write_xml_put(sink, "\"");
}

/* An element of settings, "KEY=VALUES & KEY=VALUES". */
static void put_settings(const struct weft_text_sink *sink, const char *element, const char *text)
{
    write_xml_put(sink, "    <");
    write_xml_put(sink, element);
    for (const char *p = text, *end; p; p = end ? end + 3 : NULL) {
        const char *eq = strchr(p, '=');
        end = strstr(p, " & ");
        write_xml_put(sink, " ");
        sink->put(sink->ctx, p, (size_t)(eq - p));
        write_xml_put(sink, "=\"");
        for (const char *c = eq + 1; *c && c != end; c++)
            put_escaped(sink, (char[]){*c, '\0'});
        write_xml_put(sink, "\"");
    }
    write_xml_put(sink, "/>\n");
}

static void put_bound(const struct weft_text_sink *sink, const struct weft_scenario_row_bound *b)
{
    const char *const named[][2] = {{"metric", b->metric},
                                    {"where", b->where},
                                    {"over", b->over},
                                    {"min", b->min},
                                    {"max", b->max},
                                    {"why", b->why},
                                    {"quick", b->full_only ? "no" : NULL}};
    write_xml_put(sink, "    <bound");
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i][1])
            put_attr(sink, named[i][0], named[i][1]);
    write_xml_put(sink, "/>\n");
}

static void put_sweep(const struct weft_text_sink *sink, const struct weft_scenario_sweep *s)
{
    write_xml_put(sink, "  <sweep");
    if (s->name)
        put_attr(sink, "name", s->name);
    if (s->title)
        put_attr(sink, "title", s->title);
    for (size_t i = 0; i < s->nmetrics; i++) {
        write_xml_put(sink, i ? ", " : " metrics=\"");
        put_escaped(sink, s->metrics[i]);
    }
    if (s->nmetrics)
        write_xml_put(sink, "\"");
    if (s->seeds)
        put_attr(sink, "seeds", s->seeds);
    if (s->find)
        put_attr(sink, "find", s->find);
    write_xml_put(sink, ">\n");
    for (size_t i = 0; i < s->nset; i++)
        put_settings(sink, "set", s->set[i]);
    for (size_t i = 0; i < s->nvary; i++)
        put_settings(sink, "vary", s->vary[i]);
    for (size_t i = 0; i < s->nquick; i++)
        put_settings(sink, "quick", s->quick[i]);
    for (size_t i = 0; i < s->nbounds; i++)
        put_bound(sink, &s->bounds[i]);
    write_xml_put(sink, "  </sweep>\n");
}

void weft_scenario_write_xml(const struct weft_scenario *s, const struct weft_text_sink *sink)
{
    write_xml_put(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario");
    put_attr(sink, "name", s->name);
    write_xml_put(sink, ">\n");
    if (s->description[0]) {
        write_xml_put(sink, "  <description>");
        put_escaped(sink, s->description);
        write_xml_put(sink, "</description>\n");
    }
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        write_xml_put(sink, "  <");
        write_xml_put(sink, g->element);
        if (g->selector)
            put_attr(sink, g->selector, g->selected);
        for (size_t k = 0; k < g->table->n; k++)
            put_param(sink, g, &g->table->params[k]);
        write_xml_put(sink, "/>\n");
    }
    for (size_t i = 0; i < s->nsweeps; i++)
        put_sweep(sink, s->sweeps[i]);
    write_xml_put(sink, "</scenario>\n");
}
