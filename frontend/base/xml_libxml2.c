/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * XML into a tree with exact places, over libxml2's SAX2 interface.
 *
 * Places: libxml2 reports start tags in the order of the text, so one cursor goes through the text
 * from start tag to start tag and counts lines and columns; the raw bytes of a tag give the place
 * of each attribute's name. Documents in another encoding, which libxml2 converts, have lines only.
 *
 * Time and memory are linear in the text: libxml2 compares each attribute of an element with each
 * other, so their number is limited before it sees them. So is the length of a value and of a
 * comment, for which releases of libxml2 have limits that differ.
 */
#include "base/xml_markup.h"
#include "base/xml_part.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

/* Longest text of one element, in bytes. */
#define MAX_TEXT 65536u

#if LIBXML_VERSION >= 21200
typedef const xmlError reported_error;
#else
typedef xmlError reported_error;
#endif

/* An element under construction; its text grows until the end tag. */
struct open_elem {
    struct weft_xml_elem *elem;
    struct weft_xml_elem **next_child;
    struct weft_text text; /* of elem */
};

struct reader {
    xmlParserCtxtPtr ctxt;
    struct weft_xml_cursor at; /* moves from tag to tag */
    const char *text_end;
    bool utf8;
    const char *file;
    struct weft_arena *arena;
    struct weft_err *err;
    int code; /* first error, 0: none */
    struct weft_xml_elem *root;
    struct open_elem stack[WEFT_XML_MAX_DEPTH];
    unsigned depth;
};

static void xml_libxml2_fail(struct reader *r, int code, int64_t line, int64_t col,
                             const char *what)
{
    if (r->code)
        return;
    r->code = weft_err_at(r->err, code, r->file, line, col, "%s", what);
    xmlStopParser(r->ctxt);
}

static void xml_libxml2_out_of_memory(struct reader *r)
{
    xml_libxml2_fail(r, WEFT_E_LIMIT, 0, 0, "out of memory for its XML");
}

/* The start tag that libxml2 has just read, and where it ends. The end is NULL when the position in
 * the text is not known. */
static struct weft_xml_cursor tag_start(struct reader *r, const char **end)
{
    *end = r->utf8 ? weft_xml_next_tag(&r->at, r->text_end) : NULL;
    return *end ? r->at : (struct weft_xml_cursor){NULL, r->ctxt->input->line, 0};
}

/* Moves @p c to the name of the next attribute of the tag; the cursor must be just behind a name or
 * value. */
static void to_next_attr(struct weft_xml_cursor *c, const char *end)
{
    while (c->p < end && weft_xml_is_space(*c->p))
        weft_xml_advance(c);
}

static void skip_attr(struct weft_xml_cursor *c, const char *end)
{
    while (c->p < end && *c->p != '"' && *c->p != '\'')
        weft_xml_advance(c);
    if (c->p >= end)
        return;
    const char quote = *c->p;
    weft_xml_advance(c);
    while (c->p < end && *c->p != quote)
        weft_xml_advance(c);
    if (c->p < end)
        weft_xml_advance(c);
}

static void on_start(void *ctx, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                     int nnamespaces, const xmlChar **namespaces, int nattrs, int ndefaulted,
                     const xmlChar **attrs)
{
    struct reader *r = (struct reader *)ctx;
    if (r->code)
        return;
    const char *end;
    struct weft_xml_cursor c = tag_start(r, &end);
    if (prefix || uri || nnamespaces) {
        xml_libxml2_fail(r, WEFT_E_INPUT, c.line, c.col,
                         "XML namespaces are not used here: remove the prefix or xmlns attribute");
        return;
    }
    if (r->depth == WEFT_XML_MAX_DEPTH) {
        xml_libxml2_fail(r, WEFT_E_INPUT, c.line, c.col, "elements are nested too deeply");
        return;
    }
    struct weft_xml_elem *e = (struct weft_xml_elem *)weft_arena_alloc(r->arena, sizeof *e);
    if (!e || !(e->name = weft_arena_strdup(r->arena, (const char *)local))) {
        xml_libxml2_out_of_memory(r);
        return;
    }
    e->text = "";
    e->line = c.line;
    e->col = c.col;
    while (c.p < end && !weft_xml_is_space(*c.p))
        weft_xml_advance(&c);
    struct weft_xml_attr **tail = &e->attrs;
    for (int i = 0; i < nattrs; i++) {
        const xmlChar **a = attrs + 5 * i; /* local name, prefix, URI, value, end of value */
        struct weft_xml_attr *at = (struct weft_xml_attr *)weft_arena_alloc(r->arena, sizeof *at);
        if (!at || !(at->name = weft_arena_strdup(r->arena, (const char *)a[0])) ||
            !(at->value =
                  weft_arena_strndup(r->arena, (const char *)a[3], (size_t)(a[4] - a[3])))) {
            xml_libxml2_out_of_memory(r);
            return;
        }
        to_next_attr(&c, end);
        at->line = c.line;
        at->col = c.col;
        if (a[1]) {
            xml_libxml2_fail(
                r, WEFT_E_INPUT, c.line, c.col,
                "XML namespaces are not used here: remove the prefix of the attribute");
            return;
        }
        skip_attr(&c, end);
        *tail = at;
        tail = &at->next;
    }
    if (end)
        r->at = c;
    if (r->depth == 0) {
        r->root = e;
    } else {
        struct open_elem *parent = &r->stack[r->depth - 1];
        *parent->next_child = e;
        parent->next_child = &e->next;
    }
    r->stack[r->depth++] =
        (struct open_elem){.elem = e, .next_child = &e->children, .text = {.arena = r->arena}};
}

static void on_end(void *ctx, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
    struct reader *r = (struct reader *)ctx;
    if (!r->code && r->depth > 0)
        r->depth--;
}

static void on_text(void *ctx, const xmlChar *text, int len)
{
    struct reader *r = (struct reader *)ctx;
    if (r->code || r->depth == 0 || len <= 0)
        return;
    struct open_elem *o = &r->stack[r->depth - 1];
    if (o->text.len == 0) {
        /* White space that only lays out elements is not kept. */
        int i = 0;
        while (i < len && weft_xml_is_space((char)text[i]))
            i++;
        if (i == len)
            return;
    }
    if (o->text.len + (size_t)len > MAX_TEXT)
        xml_libxml2_fail(r, WEFT_E_LIMIT, r->ctxt->input->line, 0,
                         "more than 64 KiB of text inside one element");
    else if (weft_text_add(&o->text, (const char *)text, (size_t)len))
        xml_libxml2_out_of_memory(r);
    else
        o->elem->text = o->text.s;
}

static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *external,
                       const xmlChar *system)
{
    struct reader *r = (struct reader *)ctx;
    xml_libxml2_fail(r, WEFT_E_INPUT, r->ctxt->input->line, 0,
                     "a document type declaration (<!DOCTYPE ...>) is not accepted: remove it");
}

static void on_error(void *ctx, reported_error *e)
{
    struct reader *r = (struct reader *)ctx;
    if (r->code || e->level < XML_ERR_ERROR)
        return;
    if (e->code == XML_ERR_NO_MEMORY) {
        xml_libxml2_out_of_memory(r);
        return;
    }
    const char *msg = e->message ? e->message : "not well-formed XML";
    size_t n = strlen(msg);
    while (n > 0 && (msg[n - 1] == '\n' || msg[n - 1] == ' '))
        n--;
    r->code = weft_err_at(r->err, WEFT_E_INPUT, r->file, e->line, e->int2,
                          "not well-formed XML: %.*s", (int)n, msg);
    xmlStopParser(r->ctxt);
}

int weft_xml_libxml2_parse(const char *text, size_t len, const char *file, struct weft_arena *a,
                           struct weft_xml_elem **root, struct weft_err *err)
{
    if (len > WEFT_XML_MAX_BYTES)
        return weft_err_at(err, WEFT_E_LIMIT, file, 0, 0, "larger than %u MiB",
                           WEFT_XML_MAX_BYTES >> 20);
    if (len == 0)
        return weft_err_at(err, WEFT_E_INPUT, file, 1, 1, "the file is empty");
    const int refused = weft_xml_check_sizes(text, len, file, err);
    if (refused)
        return refused;
    static pthread_once_t once = PTHREAD_ONCE_INIT; /* threads may read the first two at once */
    pthread_once(&once, xmlInitParser);
    xmlParserCtxtPtr ctxt = xmlCreateMemoryParserCtxt(text, (int)len);
    if (!ctxt)
        return weft_err_at(err, WEFT_E_LIMIT, file, 0, 0, "out of memory for its XML");
    struct reader r = {.ctxt = ctxt,
                       .at = weft_xml_begin(text, len),
                       .text_end = text + len,
                       .utf8 = weft_xml_is_utf8(text, len),
                       .file = file,
                       .arena = a,
                       .err = err};
    xmlSAXHandler sax = {0};
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = on_start;
    sax.endElementNs = on_end;
    sax.characters = on_text;
    sax.ignorableWhitespace = on_text;
    sax.cdataBlock = on_text;
    sax.internalSubset = on_doctype;
    sax.serror = on_error;
    /* NOENT: "&amp;" in an attribute arrives as "&". Without a document type there are no other
     * entities. */
    xmlCtxtUseOptions(ctxt, XML_PARSE_NONET | XML_PARSE_NOENT);
    *ctxt->sax = sax;
    ctxt->userData = &r;
    xmlParseDocument(ctxt);
    if (!r.code && (!ctxt->wellFormed || !r.root))
        r.code = weft_err_at(err, WEFT_E_INPUT, file, ctxt->input ? ctxt->input->line : 0, 0,
                             "not well-formed XML");
    if (ctxt->myDoc)
        xmlFreeDoc(ctxt->myDoc);
    ctxt->myDoc = NULL;
    xmlFreeParserCtxt(ctxt);
    if (r.code)
        return r.code;
    *root = r.root;
    return 0;
}
