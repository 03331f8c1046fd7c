/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and paths: what readers and report folders need of the operating system.
 */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Longest path that weft handles, with its terminator. */
#define WEFT_PATH_MAX 4096

/**
 * Reads a whole file (or pipe) into memory that the caller frees with free(). A zero byte follows
 * the contents and doesn't count in @p out_size. Larger than @p max_bytes: WEFT_E_LIMIT; absent,
 * a directory or unreadable: WEFT_E_IO.
 */
int weft_file_read(const char *path, size_t max_bytes, char **out, size_t *out_size,
                   struct weft_err *err);

/** Replaces the file @p path as one step: a reader sees the old contents or the new, never a part.
 */
int weft_file_write(const char *path, const void *data, size_t size, struct weft_err *err);

/** Creates a directory and those above it; one that exists is fine. */
int weft_mkdir_p(const char *path, struct weft_err *err);

/** 1 when @p path exists and is a regular file. */
int weft_file_is_regular(const char *path);
/** 1 when @p path exists and is a directory. */
int weft_file_is_dir(const char *path);

/** Joins with one '/'; an absolute @p b stands alone, an empty @p a is the current directory.
 * WEFT_E_LIMIT when it doesn't fit. */
int weft_path_join(char buf[WEFT_PATH_MAX], const char *a, const char *b, struct weft_err *err);
/** The directory that @p path lies in: "a/b" -> "a", "b" -> ".", "/b" -> "/". WEFT_E_LIMIT when it
 * doesn't fit. */
int weft_path_dir(char buf[WEFT_PATH_MAX], const char *path, struct weft_err *err);
/** What follows the last '/' of @p path; points into it. */
const char *weft_path_base(const char *path);

#ifdef __cplusplus
}
#endif
#endif
