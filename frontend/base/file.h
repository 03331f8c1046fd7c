/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and paths: what readers and report folders need of the operating system.
 */
#ifndef WEFT_BASE_FILE_H
#define WEFT_BASE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

WEFT_C_BEGIN

/** Longest path that weft handles, with its terminator. */
#define WEFT_PATH_MAX 4096

/**
 * Reads a whole file (or pipe) into memory that the caller frees with free(). A zero byte follows
 * the contents and doesn't count in @p out_size. Larger than @p max_bytes: WEFT_E_LIMIT; absent,
 * a directory or unreadable: WEFT_E_IO.
 */
int weft_file_read(const char *path, size_t max_bytes, char **out, size_t *out_size,
                   struct weft_err *err);

/** Length of the mark (byte order mark) that some editors and spreadsheets put before a text in
 * UTF-8: 3, or 0 where @p text has none. */
size_t weft_utf8_mark(const char *text);

/** How the names of the temporary files of weft_file_write end: FILE.PID.tmp. */
#define WEFT_FILE_TEMPORARY ".tmp"

/**
 * Replaces the file @p path as one step: a reader sees the old contents or the new, never a part.
 * Links are followed: it is the file that they lead to that is replaced, and its mode and owner
 * stay. What is not a regular file (a device, a FIFO) is written to as it is. WEFT_E_IO, or
 * WEFT_E_LIMIT when there is no memory for it.
 */
int weft_file_write(const char *path, const void *data, size_t size, struct weft_err *err);

/** Writes all of it, however often the system takes a part. Returns how many bytes were taken:
 * fewer than @p size when one could not be, errno then says why. */
ssize_t weft_fd_write(int fd, const void *data, size_t size);

/** A text that is written to a stream and kept in memory. open_memstream(3) does not tell its user
 * when it loses text for want of memory; this does. */
struct weft_memfile {
    FILE *f;
    char *data; /**< once closed; the owner frees it */
    size_t size, capacity;
    bool failed; /**< something did not fit into memory */
};
/** Opens the stream; @p t must stay where it is until it is closed. WEFT_E_LIMIT; @p what: what the
 * text is, for the message. */
int weft_memfile_open(struct weft_memfile *t, const char *what, struct weft_err *err);
/** Closes it, and fills in data and size. WEFT_E_LIMIT when the text did not fit into memory: data
 * is NULL then. */
int weft_memfile_close(struct weft_memfile *t, const char *what, struct weft_err *err);
/** Closes it, writes it to file @p path, unless making it has failed with @p code, and frees it;
 * its size remains. @p code, or what failed then. */
int weft_memfile_write(struct weft_memfile *t, const char *what, const char *path, int code,
                       struct weft_err *err);

/** An error of the operating system about @p path: "cannot WHAT: REASON". @p errnum is the errno of
 * the failure: WEFT_E_LIMIT for ENOMEM, else WEFT_E_IO. Returns the code. */
int weft_file_error(struct weft_err *err, const char *path, const char *what, int errnum);

/** The same about a file that the user named as input: WEFT_E_INPUT when it does not exist. */
int weft_input_error(struct weft_err *err, const char *path, const char *what, int errnum);

/** Creates a directory and those above it; one that exists is fine. WEFT_E_IO with mkdir's reason.
 */
int weft_mkdir_p(const char *path, struct weft_err *err);

/** Longest text of weft_file_meant, with its terminator. */
#define WEFT_FILE_MEANT_MAX 300
/** "; did you mean 'PATH'?" where the first part of @p path that does not exist is nearly the name
 * of one that does, else "". Returns @p buf. */
const char *weft_file_meant(char buf[WEFT_FILE_MEANT_MAX], const char *path);

/** 1 when @p path exists and is a regular file. */
bool weft_file_is_regular(const char *path);
/** 1 when @p path exists and is a directory. */
bool weft_file_is_dir(const char *path);

/** Joins with one '/'; an absolute @p b stands alone, an empty @p a is the current directory.
 * WEFT_E_LIMIT when it doesn't fit. */
int weft_path_join(char buf[WEFT_PATH_MAX], const char *a, const char *b, struct weft_err *err);
/** The directory that @p path lies in: "a/b" -> "a", "b" -> ".", "/b" -> "/". WEFT_E_LIMIT when it
 * doesn't fit. */
int weft_path_dir(char buf[WEFT_PATH_MAX], const char *path, struct weft_err *err);
/** What follows the last '/' of @p path; points into it. */
const char *weft_path_base(const char *path);
/** The same without what follows its first '.', or with it where nothing precedes that. Returns @p
 * buf. */
const char *weft_path_stem(char buf[WEFT_PATH_MAX], const char *path);

WEFT_C_END
#endif
