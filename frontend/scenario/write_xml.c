/* SPDX-License-Identifier: GPL-2.0-only */
/* A resolved scenario as a scenario file: every value explicit, paths absolute. */
#include "scenario/resolve.h"
#include "scenario/xml_out.h"

#include <string.h>
#include <unistd.h>

static void put_param(const struct weft_text_sink *sink, const struct weft_scenario_group *g,
                      const struct weft_param *p)
{
    char buf[WEFT_PARAM_TEXT_MAX];
    if (p->type != WEFT_PARAM_STRING) {
        weft_xml_put_attr(sink, p->name, weft_params_format(p, g->values, buf, sizeof buf));
        return;
    }
    const char *text = *(const char *const *)((const char *)g->values + p->offset);
    char cwd[4096];
    if (!text)
        text = "";
    if (!weft_param_is_path(p) || text[0] == '/' || text[0] == '\0' || !getcwd(cwd, sizeof cwd)) {
        weft_xml_put_attr(sink, p->name, text);
        return;
    }
    weft_xml_put(sink, " ");
    weft_xml_put(sink, p->name);
    weft_xml_put(sink, "=\"");
    weft_xml_put_escaped(sink, cwd);
    weft_xml_put(sink, "/");
    weft_xml_put_escaped(sink, text);
    weft_xml_put(sink, "\"");
}

/* An element of settings, "KEY=VALUES & KEY=VALUES". */
static void put_settings(const struct weft_text_sink *sink, const char *element, const char *text)
{
    weft_xml_put(sink, "    <");
    weft_xml_put(sink, element);
    for (const char *p = text, *end; p; p = end ? end + 3 : NULL) {
        const char *eq = strchr(p, '=');
        end = strstr(p, " & ");
        weft_xml_put(sink, " ");
        sink->put(sink->ctx, p, (size_t)(eq - p));
        weft_xml_put(sink, "=\"");
        for (const char *c = eq + 1; *c && c != end; c++)
            weft_xml_put_escaped(sink, (char[]){*c, '\0'});
        weft_xml_put(sink, "\"");
    }
    weft_xml_put(sink, "/>\n");
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
    weft_xml_put(sink, "    <bound");
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (named[i][1])
            weft_xml_put_attr(sink, named[i][0], named[i][1]);
    weft_xml_put(sink, "/>\n");
}

static void put_sweep(const struct weft_text_sink *sink, const struct weft_scenario_sweep *s)
{
    weft_xml_put(sink, "  <sweep");
    if (s->name)
        weft_xml_put_attr(sink, "name", s->name);
    if (s->title)
        weft_xml_put_attr(sink, "title", s->title);
    for (size_t i = 0; i < s->nmetrics; i++) {
        weft_xml_put(sink, i ? ", " : " metrics=\"");
        weft_xml_put_escaped(sink, s->metrics[i]);
    }
    if (s->nmetrics)
        weft_xml_put(sink, "\"");
    if (s->seeds)
        weft_xml_put_attr(sink, "seeds", s->seeds);
    if (s->find)
        weft_xml_put_attr(sink, "find", s->find);
    weft_xml_put(sink, ">\n");
    for (size_t i = 0; i < s->nset; i++)
        put_settings(sink, "set", s->set[i]);
    for (size_t i = 0; i < s->nvary; i++)
        put_settings(sink, "vary", s->vary[i]);
    for (size_t i = 0; i < s->nquick; i++)
        put_settings(sink, "quick", s->quick[i]);
    for (size_t i = 0; i < s->nbounds; i++)
        put_bound(sink, &s->bounds[i]);
    weft_xml_put(sink, "  </sweep>\n");
}

void weft_scenario_write_xml(const struct weft_scenario *s, const struct weft_text_sink *sink)
{
    weft_xml_put(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<scenario");
    weft_xml_put_attr(sink, "name", s->name);
    weft_xml_put(sink, ">\n");
    if (s->description[0]) {
        weft_xml_put(sink, "  <description>");
        weft_xml_put_escaped(sink, s->description);
        weft_xml_put(sink, "</description>\n");
    }
    for (size_t i = 0; i < s->ngroups; i++) {
        const struct weft_scenario_group *g = &s->groups[i];
        weft_xml_put(sink, "  <");
        weft_xml_put(sink, g->element);
        if (g->selector)
            weft_xml_put_attr(sink, g->selector, g->selected);
        for (size_t k = 0; k < g->table->n; k++)
            put_param(sink, g, &g->table->params[k]);
        weft_xml_put(sink, "/>\n");
    }
    for (size_t i = 0; i < s->nsweeps; i++)
        put_sweep(sink, s->sweeps[i]);
    weft_xml_put(sink, "</scenario>\n");
}
