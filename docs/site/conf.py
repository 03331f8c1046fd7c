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
html_theme_options = {'description': 'packet-level simulation of AI training fabrics', 'page_width': '1300px', 'sidebar_width': '320px',
                      'extra_nav_links': {'C API': 'api/index.html', 'ns-3 classes': 'ns-3/index.html'}}
html_sidebars = {'**': ['about.html', 'searchbox.html', 'navigation.html']}
html_show_sourcelink = False
html_copy_source = False
