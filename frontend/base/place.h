/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where weft's own files are. They are looked for from the file that this code lies in, the program
 * or libns3-weft.so: what was installed or built may be moved, or copied, with them.
 */
#ifndef WEFT_BASE_PLACE_H
#define WEFT_BASE_PLACE_H

#include "base/file.h"

/** A folder of weft's. */
enum weft_place { WEFT_PLACE_PRESETS, WEFT_PLACE_SCENARIOS };

/**
 * The folder: that which was installed with the program, else that of the sources that the program
 * was built from and is built in, else where these were when it was built, else where it was to be
 * installed. WEFT_E_LIMIT: a path is too long.
 */
int weft_place_folder(enum weft_place which, char out[WEFT_PATH_MAX], struct weft_err *err);

#endif
