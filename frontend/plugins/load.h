/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading plug-ins at run time (base/plugin.h), before a command begins. */
#ifndef WEFT_PLUGINS_LOAD_H
#define WEFT_PLUGINS_LOAD_H

#include "base/plugin.h"

/** Loads a file, whose members are then those of their families. *@p out receives what it has; may
 * be NULL. It stays loaded. */
int weft_plugins_load(const char *path, const struct weft_plugin_file **out, struct weft_err *err);
/** Loads every file NAME.so of the folders of a list with colons, in the order of names. NULL:
 * none.
 */
int weft_plugins_load_folders(const char *folders, struct weft_err *err);
/** Loads what options `--plugin FILE` of a command line name, and takes them out of it. */
int weft_plugins_take_options(int *argc, char **argv, struct weft_err *err);
/** The name of a member. */
const char *weft_plugin_name(const struct weft_plugin *p);
/** "congestion control". */
const char *weft_plugin_family_name(enum weft_plugin_family family);

#endif
