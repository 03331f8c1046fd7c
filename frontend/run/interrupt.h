/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How SIGINT, SIGTERM and SIGHUP end the program.
 *
 * A command that has something to save defers: the signal sets a flag, and the command sees it,
 * writes what it has and returns. Everything else ends at once, in the signal handler, with exit
 * code 130: nothing is lost but time, however deep in whatever library the program is. Before that,
 * the handler replaces the files that it was given, so that run.json does not go on saying that
 * something runs.
 *
 * SIGTERM and SIGHUP may come any number of times, as from timeout(1), which sends two. A second
 * SIGINT at least a second after the first ends the program at once: somebody presses Ctrl-C again.
 *
 * SIGUSR1 ends nothing: what runs long says how far it is, others take no notice.
 */
#ifndef WEFT_CLI_INTERRUPT_H
#define WEFT_CLI_INTERRUPT_H

#include "base/linkage.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

WEFT_C_BEGIN

/** What a signal does. */
enum weft_interrupt_mode {
    WEFT_INTERRUPT_AT_ONCE, /**< ends the program; how it starts */
    WEFT_INTERRUPT_SOON, /**< sets the flag, and ends the program two seconds later unless the mode
                            changes first */
    WEFT_INTERRUPT_DEFER /**< sets the flag */
};

/** A file that the handler replaces when it ends the program. */
struct weft_signal_file {
    const char *path,
        *temporary; /**< the file, and the name of the one that is made to take its place */
    const char *text;
    size_t size;
};

/** Catches the signals. SIGHUP stays ignored where it is, as under nohup(1). */
void weft_interrupt_install(void);
/** The number of the first signal that came; 0: none has. */
const volatile sig_atomic_t *weft_interrupt_flag(void);
/** Changes what a signal does and returns what it did. One that came before is the caller's to
 * heed. */
enum weft_interrupt_mode weft_interrupt_set(enum weft_interrupt_mode mode);
/** In a handler: ends the program at once, with an error @p reason and the exit code of error @p
 * code. */
void weft_interrupt_end_now(const char *reason, int code) __attribute__((noreturn));
/** All is saved: the next signal ends the program at once, unless one came and the command is about
 * to end anyway. */
void weft_interrupt_saved(void);
/** Adds a file, at most 4; everything in @p f must stay until weft_interrupt_remove_file. */
void weft_interrupt_add_file(const struct weft_signal_file *f);
/** Takes back the file that was added last. */
void weft_interrupt_remove_file(void);
/** Has the handler call @p say, which may call what POSIX allows there, before it ends the program.
 */
void weft_interrupt_set_last_words(void (*say)(int fd));
/** Whether SIGUSR1, which asks how far things are, has come since the last call. */
bool weft_interrupt_requested(void);
/** "interrupted by SIGTERM". */
const char *weft_signal_reason(int number);

WEFT_C_END
#endif
