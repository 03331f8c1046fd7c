# SPDX-License-Identifier: GPL-2.0-only
"""Sphinx's settings of the handbook (docs/site/build)."""
project = 'weft'
author = 'the weft founders'
copyright = 'GPL-2.0-only'
extensions = ['myst_parser']
source_suffix = {'.md': 'markdown'}
root_doc = 'README'
myst_heading_anchors = 5
suppress_warnings = ['myst.header']
html_title = 'weft'
html_theme = 'alabaster'
html_theme_options = {'description': 'packet-level simulation of AI training fabrics', 'page_width': '1300px', 'sidebar_width': '320px'}
html_sidebars = {'**': ['about.html', 'searchbox.html', 'navigation.html']}
html_show_sourcelink = False
html_copy_source = False


def unsearchable(html):
    """Names of the reference (settings, columns, metrics, commands) that the search does not find on their page."""
    import glob, json, os, re
    from sphinx.search.en import SearchEnglish
    lang, root = SearchEnglish({}), os.path.dirname(html)
    text = open(os.path.join(html, 'searchindex.js'), encoding='utf-8').read().strip()
    index = json.loads(text[len('Search.setIndex('):-1])
    terms, missing, seen = {}, [], 0
    for key in ('terms', 'titleterms'):
        for word, where in index[key].items():
            terms.setdefault(word, set()).update(where if isinstance(where, list) else [where])
    for page in glob.glob(os.path.join(root, 'src/reference/*.md')):
        doc = index['docnames'].index('reference/' + os.path.basename(page)[:-3])
        text = open(page, encoding='utf-8').read()
        names = re.findall(r'(?m)^\| `([^`]+)` \|', text) + re.findall(r'(?m)^## weft (.*)$', text) if '<!-- made' in text else []
        seen += len(names)
        for name in names:
            words = [w.lower() for w in lang.split(name) if lang.word_filter(w.lower())]
            if not all(doc in terms.get(lang.stem(w), ()) or doc in terms.get(w, ()) for w in words):
                missing.append('%s: %s' % (os.path.basename(page), name))
    return missing if seen > 1000 else ['the reference has %d names only' % seen]

def api_links(app, page, template, context, doctree):
    """Links to Doxygen's pages, which lie beside this site, from a page in any folder."""
    import shutil
    if shutil.which('doxygen'):
        context['theme_extra_nav_links'] = {title: context['pathto'](page + '/index.html', 1)
                                            for title, page in (('C API', 'api'), ('ns-3 classes', 'ns-3'))}

def setup(app):
    app.connect('html-page-context', api_links)
    def check(app, error):
        missing = [] if error else unsearchable(app.outdir)
        if missing:
            raise RuntimeError('not found by the search: ' + ', '.join(missing))
    app.connect('build-finished', check)
