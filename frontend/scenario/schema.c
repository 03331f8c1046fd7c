/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The RELAX NG schema of scenario files, for editors and xmllint, made from the parameter tables.
 *
 * It says which elements and attributes there are and what their text looks like. What depends on
 * several values (ranges, a backend's sections, parameters that must be given) is left to weft
 * itself.
 */
#include "base/scale.h"
#include "scenario/resolve.h"
#include "congestion/cc_table.h"
#include "scenario/sections.h"
#include "scenario/xml_out.h"

#include <stdio.h>
#include <string.h>

/* Most states that a table may take to be matched in. */
#define MAX_STATES 20000
/* Numbers that are left to any text. */
#define PLAIN_TEXT 1 /* those without a unit */
#define ALL_TEXT 2   /* all */

struct writer {
    const struct weft_text_sink *sink;
    int depth;
    char open[16][64]; /* tags */
    int coarse;        /* of the table being written: see params() */
};

/* Begins a tag, or what closes one ("/NAME"), up to its end. */
static void begin_tag(const struct writer *w, const char *name, const char *attr, const char *value)
{
    for (int i = 0; i < w->depth; i++)
        weft_xml_put(w->sink, "  ");
    weft_xml_put(w->sink, "<");
    weft_xml_put(w->sink, name);
    if (attr)
        weft_xml_put_attr(w->sink, attr, value);
}

static void open_tag(struct writer *w, const char *name, const char *attr, const char *value)
{
    begin_tag(w, name, attr, value);
    weft_xml_put(w->sink, ">\n");
    snprintf(w->open[w->depth++], sizeof w->open[0], "%s", name);
}

/* Opens each of @p tags within the one before: "optional element=NAME choice". */
static void open_tags(struct writer *w, const char *tags)
{
    char tag[64];
    while (*tags) {
        const size_t n = strcspn(tags, " ");
        snprintf(tag, sizeof tag, "%.*s", (int)n, tags);
        char *name = strchr(tag, '=');
        if (name)
            *name++ = '\0';
        open_tag(w, tag, name ? "name" : NULL, name);
        tags += n + strspn(tags + n, " ");
    }
}

/* Closes the innermost @p n. */
static void close_tags(struct writer *w, int n)
{
    while (n-- > 0) {
        const char *name = w->open[--w->depth];
        begin_tag(w, "/", NULL, NULL);
        weft_xml_put(w->sink, name);
        weft_xml_put(w->sink, ">\n");
    }
}

static void leaf(struct writer *w, const char *name, const char *attr, const char *value,
                 const char *text)
{
    begin_tag(w, name, attr, value);
    if (text) {
        weft_xml_put(w->sink, ">");
        weft_xml_put_escaped(w->sink, text);
        weft_xml_put(w->sink, "</");
        weft_xml_put(w->sink, name);
        weft_xml_put(w->sink, ">\n");
    } else {
        weft_xml_put(w->sink, "/>\n");
    }
}

static void choices(struct writer *w, const char *words)
{
    char word[128];
    open_tags(w, "choice");
    while (*words) {
        size_t n = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        leaf(w, "value", NULL, NULL, word);
        words += n;
        if (*words == '|')
            words++;
    }
    close_tags(w, 1);
}

/* Whether the pattern of a parameter is any text. */
static int any_text(const struct writer *w, const struct weft_param *p)
{
    switch (p->type) {
    case WEFT_PARAM_ENUM:
        return 0;
    case WEFT_PARAM_STRING:
        return 1;
    case WEFT_PARAM_BOOL:
    case WEFT_PARAM_U64:
    case WEFT_PARAM_F64:
        return w->coarse >= PLAIN_TEXT;
    default:
        return w->coarse >= ALL_TEXT;
    }
}

/* What the text of a parameter may be. */
static void schema_text(struct writer *w, const struct weft_param *p)
{
    if (any_text(w, p))
        leaf(w, "text", NULL, NULL, NULL);
    else if (p->type == WEFT_PARAM_ENUM)
        choices(w, p->choices);
    else if (p->type == WEFT_PARAM_BOOL)
        choices(w, "true|false|on|off|yes|no|1|0");
    else
        leaf(w, "ref", "name", weft_param_type_name(p->type), NULL);
}

/* Whether two parameters share a pattern: they take the same texts, or it is not told apart. */
static int alike(const struct writer *w, const struct weft_param *a, const struct weft_param *b)
{
    if (any_text(w, a) && any_text(w, b))
        return 1;
    return a->type == b->type &&
           (a->type != WEFT_PARAM_ENUM || strcmp(a->choices, b->choices) == 0);
}

/* Any of the attributes that are like parameter @p first, which is the first of its kind. */
static void alike_params(struct writer *w, const struct weft_param_table *t, size_t first)
{
    const struct weft_param *p = &t->params[first];
    char doc[1024], def[WEFT_DEFAULT_TEXT_MAX];
    open_tags(w, "zeroOrMore attribute choice");
    for (size_t i = first; i < t->n; i++)
        if (alike(w, p, &t->params[i]))
            leaf(w, "name", NULL, NULL, t->params[i].name);
    close_tags(w, 1);
    for (size_t i = first; i < t->n; i++) {
        const struct weft_param *q = &t->params[i];
        if (!alike(w, p, q))
            continue;
        snprintf(doc, sizeof doc, "%s: %s; %s%s", q->name, q->help ? q->help : "",
                 q->def ? "default " : "", weft_param_default_text(q, def, sizeof def));
        leaf(w, "a:documentation", NULL, NULL, doc);
    }
    schema_text(w, p);
    close_tags(w, 2);
}

/* States that libxml2 can be in while it matches all attributes of a table. */
static double states(const struct writer *w, const struct weft_param_table *t)
{
    double product = 1;
    for (size_t i = 0; i < t->n; i++) {
        size_t before = 0, all = 0;
        for (size_t k = 0; k < t->n; k++)
            if (alike(w, &t->params[k], &t->params[i])) {
                before += k < i;
                all++;
            }
        product *= before ? 1 : (double)all + 1;
    }
    return product;
}

/*
 * Any subset of a table's attributes; none is required, since --set may give it. Those that take
 * the same texts share one repeated pattern. It says the same as a list of optional attributes,
 * since XML has each attribute at most once, but libxml2 follows both ways of every optional
 * attribute that is there: 2^n states instead of n + 1. The states of several patterns multiply; a
 * table with too many of them leaves numbers without a unit, which weft checks anyway, to one
 * pattern of any text, and if that is not enough those with a unit, too.
 */
static void params(struct writer *w, const struct weft_param_table *t)
{
    for (w->coarse = 0; w->coarse < ALL_TEXT && states(w, t) > MAX_STATES;)
        w->coarse++;
    for (size_t i = 0; i < t->n; i++) {
        size_t first = 0;
        while (!alike(w, &t->params[first], &t->params[i]))
            first++;
        if (first == i)
            alike_params(w, t, i);
    }
}

/* The attribute that names a preset, which `weft show @p shown` lists. */
static void presets(struct writer *w, const struct weft_preset *p, const char *shown)
{
    if (!p)
        return;
    open_tags(w, "optional");
    open_tag(w, "attribute", "name", WEFT_PRESET_KEY);
    char help[64];
    snprintf(help, sizeof help, "settings under one name; see 'weft show %s'", shown);
    leaf(w, "a:documentation", NULL, NULL, help);
    open_tags(w, "choice");
    leaf(w, "value", NULL, NULL, "none");
    for (; p->name; p++)
        leaf(w, "value", NULL, NULL, p->name);
    close_tags(w, 3);
}

#define DIMENSION_SETTINGS "dimension-settings"

/* <dimension type="ring" size="8"/> inside a topology that has the parameter `dimensions`. */
static void dimension_elements(struct writer *w)
{
    size_t n;
    const struct weft_topology_ops *const *table = weft_topology_table(&n);
    open_tags(w, "zeroOrMore element=dimension choice");
    for (size_t i = 0; i < n; i++) {
        if (!table[i]->dimensions)
            continue;
        open_tags(w, "group attribute=type");
        leaf(w, "value", NULL, NULL, table[i]->name);
        close_tags(w, 1);
        params(w, &table[i]->params);
        leaf(w, "ref", "name", DIMENSION_SETTINGS, NULL);
        close_tags(w, 1);
    }
    close_tags(w, 3);
}

/* What any dimension may set for itself: one pattern, as in params(). */
static void dimension_settings(struct writer *w)
{
    const struct weft_param_table *t = &weft_dim_settings_table;
    char text[1024];
    size_t n;
    const struct weft_cc_ops *const *ccs = weft_cc_table(&n);
    open_tag(w, "define", "name", DIMENSION_SETTINGS);
    open_tags(w, "zeroOrMore attribute choice");
    leaf(w, "name", NULL, NULL, WEFT_DIM_CONTROL_KEY);
    for (size_t i = 0; i < t->n; i++)
        leaf(w, "name", NULL, NULL, t->params[i].name);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ccs[i]->params.n; k++) {
            snprintf(text, sizeof text, "%s.%s", ccs[i]->name, ccs[i]->params.params[k].name);
            leaf(w, "name", NULL, NULL, text);
        }
    close_tags(w, 1);
    for (size_t i = 0; i < t->n; i++) {
        snprintf(text, sizeof text, "%s: %s", t->params[i].name, t->params[i].help);
        leaf(w, "a:documentation", NULL, NULL, text);
    }
    leaf(w, "text", NULL, NULL, NULL);
    close_tags(w, 3);
}

/* The attributes of a workload beside its type. */
static void workload_params(struct writer *w, const struct weft_param_table *own)
{
    struct weft_arena *a = weft_arena_new();
    const struct weft_param_table *t = a ? weft_job_table(own, a, NULL) : NULL;
    params(w, t ? t : own);
    weft_arena_free(a);
}

/* <element> whose selector attribute decides which other attributes it may have. */
static void family(struct writer *w, enum weft_family_id id, const struct weft_backends *b)
{
    const struct weft_family *f = &weft_families[id];
    const char *times = id == WEFT_FAMILY_WORKLOAD ? "zeroOrMore" : "optional";
    open_tag(w, times, NULL, NULL);
    open_tag(w, "element", "name", f->element);
    open_tags(w, "choice");
    for (size_t i = 0; i < weft_family_size(id, b); i++) {
        struct weft_plugin p = weft_family_member(id, b, i);
        open_tags(w, "group");
        open_tag(w, "attribute", "name", f->selector);
        leaf(w, "a:documentation", NULL, NULL, p.title);
        leaf(w, "value", NULL, NULL, p.name);
        close_tags(w, 1);
        if (id == WEFT_FAMILY_CC)
            presets(w, ((const struct weft_cc_ops *)p.ops)->presets, "cc NAME");
        if (id == WEFT_FAMILY_WORKLOAD)
            workload_params(w, p.params);
        else
            params(w, p.params);
        if (id == WEFT_FAMILY_TOPOLOGY && weft_params_find(p.params, "dimensions"))
            dimension_elements(w);
        close_tags(w, 1);
    }
    leaf(w, "empty", NULL, NULL, NULL);
    close_tags(w, 3);
}

static void section(struct writer *w, const char *name, const char *help,
                    const struct weft_param_table *t, const struct weft_preset *p)
{
    open_tags(w, "optional");
    open_tag(w, "element", "name", name);
    if (help)
        leaf(w, "a:documentation", NULL, NULL, help);
    leaf(w, "empty", NULL, NULL, NULL);
    presets(w, p, "system");
    params(w, t);
    close_tags(w, 2);
}

/* <fault> with its list as an attribute, or an element for each entry. */
static void faults(struct writer *w)
{
    size_t n;
    const struct weft_fault_kind *const *kinds = weft_fault_kinds(&n);
    open_tags(w, "optional");
    open_tag(w, "element", "name", WEFT_FAULT_ELEMENT);
    leaf(w, "a:documentation", NULL, NULL, "what goes wrong during the run");
    open_tags(w, "choice group");
    params(w, &weft_fault_param_table);
    close_tags(w, 1);
    open_tags(w, "oneOrMore choice");
    for (size_t i = 0; i < n; i++) {
        open_tag(w, "element", "name", kinds[i]->name);
        leaf(w, "a:documentation", NULL, NULL, kinds[i]->title);
        params(w, &kinds[i]->params);
        close_tags(w, 1);
    }
    close_tags(w, 5);
}

/* Names the text of a type by a regular expression. */
static void pattern(struct writer *w, enum weft_param_type type, const char *regex)
{
    open_tag(w, "define", "name", weft_param_type_name(type));
    open_tag(w, "data", "type", "string");
    leaf(w, "param", "name", "pattern", regex);
    close_tags(w, 2);
}

/* A number with one of the units that @p units matches; zero needs none. Also WEFT_PARAM_AUTO,
 * which only defaults that follow from the path take. */
static void quantity(struct writer *w, enum weft_param_type type, const char *units)
{
    char regex[256];
    snprintf(regex, sizeof regex,
             "\\s*(0+(\\.0+)?|([0-9]+(\\.[0-9]+)?|\\.[0-9]+)\\s*%s)\\s*|" WEFT_PARAM_AUTO, units);
    pattern(w, type, regex);
}

static void optional_attributes(struct writer *w, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        open_tags(w, "optional");
        leaf(w, "attribute", "name", names[i], NULL);
        close_tags(w, 1);
    }
}

/* An element whose attributes are keys of any section. */
static void settings(struct writer *w, const char *element)
{
    open_tag(w, "element", "name", element);
    open_tags(w, "oneOrMore attribute");
    leaf(w, "anyName", NULL, NULL, NULL);
    leaf(w, "text", NULL, NULL, NULL);
    close_tags(w, 3);
}

/* <bound> within <sweep>. */
static void row_bound(struct writer *w)
{
    static const char *const attributes[] = {"where", "over", "min", "max", "why"};
    open_tags(w, "element=bound");
    leaf(w, "attribute", "name", "metric", NULL);
    optional_attributes(w, attributes, sizeof attributes / sizeof attributes[0]);
    open_tags(w, "optional attribute=quick");
    choices(w, "yes|no");
    close_tags(w, 3);
}

static void sweep(struct writer *w)
{
    static const char *const attributes[] = {"name",  "title", "metrics",
                                             "seeds", "find",  "speed-up"};
    open_tags(w, "zeroOrMore");
    open_tag(w, "element", "name", WEFT_SWEEP_ELEMENT);
    leaf(w, "a:documentation", NULL, NULL,
         "what weft sweep varies unless its options say otherwise");
    optional_attributes(w, attributes, sizeof attributes / sizeof attributes[0]);
    open_tags(w, "zeroOrMore choice");
    settings(w, "set");
    settings(w, "vary");
    settings(w, "quick");
    row_bound(w);
    close_tags(w, 4);
}

void weft_scenario_write_schema(const struct weft_net_backend *const *backends, size_t nbackends,
                                const struct weft_text_sink *sink)
{
    struct writer w = {.sink = sink};
    struct weft_backends b = {backends, nbackends};
    weft_xml_put(
        sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
              "<!-- SPDX-License-Identifier: GPL-2.0-only -->\n"
              "<!-- RELAX NG schema of weft scenario files. Written by 'weft show schema' from the "
              "parameter "
              "tables; do not edit. -->\n"
              "<grammar xmlns=\"http://relaxng.org/ns/structure/1.0\"\n"
              "         xmlns:a=\"http://relaxng.org/ns/compatibility/annotations/1.0\"\n"
              "         datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\">\n");
    snprintf(w.open[w.depth++], sizeof w.open[0], "grammar");
    open_tags(&w, "start element=scenario interleave optional");
    leaf(&w, "attribute", "name", "name", NULL);
    close_tags(&w, 1);
    open_tags(&w, "optional element=description");
    leaf(&w, "text", NULL, NULL, NULL);
    close_tags(&w, 2);
    family(&w, WEFT_FAMILY_TOPOLOGY, &b);
    family(&w, WEFT_FAMILY_NETWORK, &b);
    for (size_t i = 0; i < nbackends; i++)
        for (size_t k = 0; k < backends[i]->nsections; k++)
            section(&w, backends[i]->sections[k].name, backends[i]->sections[k].help,
                    &backends[i]->sections[k].params, NULL);
    family(&w, WEFT_FAMILY_CC, &b);
    section(&w, WEFT_SYSTEM_ELEMENT, "the simulated NPUs and their collectives",
            &weft_system_param_table, weft_system_presets);
    section(&w, WEFT_LIBRARY_ELEMENT, "the collective library", &weft_library_param_table, NULL);
    family(&w, WEFT_FAMILY_WORKLOAD, &b);
    faults(&w);
    section(&w, "sample", "what is recorded over time", &weft_sample_param_table, NULL);
    section(&w, "output", "the tables that a run writes", &weft_output_param_table, NULL);
    section(&w, "run", "the run itself", &weft_run_param_table, NULL);
    sweep(&w);
    close_tags(&w, 3);
    dimension_settings(&w);
    quantity(&w, WEFT_PARAM_TIME, "([pPnNuUmM]?[sS]|[mM][iI][nN]|[hH])");
    quantity(&w, WEFT_PARAM_SIZE, "([kKmMgGtT][iI]?)?B");
    quantity(&w, WEFT_PARAM_RATE,
             "([kKmMgGtT]?b([pP][sS]|([iI][tT])?/[sS])|([kKmMgGtT][iI]?)?B(/[sS]|[pP][sS]))");
    pattern(&w, WEFT_PARAM_U64, "\\s*[0-9]+\\s*");
    pattern(&w, WEFT_PARAM_F64,
            "\\s*[0-9.eE+\\-]+\\s*(%|/\\s*[0-9.eE+\\-]+)?\\s*|" WEFT_PARAM_AUTO);
    close_tags(&w, 1);
}
