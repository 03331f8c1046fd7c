/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Handles SIGINT, SIGTERM and SIGHUP. A process has one set of signal handlers, so the state is
 * global. The handler calls only what POSIX allows there, and reads nothing that the program
 * changes while signals may arrive.
 */
#include "run/interrupt.h"

#include "base/err.h"
#include "base/file.h"
#include "base/progress.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 4, SOON_S = 2 };
#define SECOND_SIGINT_MIN_NS INT64_C(1000000000)

static volatile sig_atomic_t came, mode, nfiles, asked;
static const struct weft_signal_file *volatile files[FILES_MAX];
static volatile int64_t came_ns;
static void (*volatile last_words)(int fd);

static const struct {
    int number;
    const char *reason;
} signals[] = {{SIGINT, "interrupted by SIGINT"},
               {SIGTERM, "interrupted by SIGTERM"},
               {SIGHUP, "interrupted by SIGHUP"}};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

const char *weft_signal_reason(int number)
{
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number == number)
            return signals[i].reason;
    return "interrupted";
}

static int interrupt_put(int fd, const char *text, size_t size)
{
    return weft_fd_write(fd, text, size) == (ssize_t)size ? 0 : -1;
}

static void replace_file(const struct weft_signal_file *f)
{
    const int fd = open(f->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    const int failed = interrupt_put(fd, f->text, f->size);
    if (close(fd) != 0 || failed || rename(f->temporary, f->path) != 0)
        unlink(f->temporary);
}

void weft_interrupt_end_now(const char *reason, int code)
{
    for (int i = nfiles; i-- > 0;)
        replace_file(files[i]);
    static const char before[] = "weft: error: ";
    if (interrupt_put(STDERR_FILENO, before, sizeof before - 1) == 0)
        (void)!(interrupt_put(STDERR_FILENO, reason, strlen(reason)) ||
                interrupt_put(STDERR_FILENO, "\n", 1));
    if (last_words)
        last_words(STDERR_FILENO);
    _exit(weft_exit_code(code));
}

static void end_now(int number)
{
    weft_interrupt_end_now(weft_signal_reason(number), WEFT_E_INTERRUPTED);
}

void weft_interrupt_set_last_words(void (*say)(int fd))
{
    last_words = say;
}

static void on_signal(int number)
{
    const int64_t now = weft_clock_monotonic_ns(NULL);
    if (mode == WEFT_INTERRUPT_AT_ONCE)
        end_now(number);
    if (came) {
        if (number == SIGINT && now - came_ns >= SECOND_SIGINT_MIN_NS)
            end_now(number);
        return;
    }
    came_ns = now;
    came = number;
    if (mode == WEFT_INTERRUPT_SOON)
        alarm(SOON_S);
}

static void on_alarm(int number)
{
    if (mode != WEFT_INTERRUPT_DEFER)
        end_now(came);
}

static void on_question(int number)
{
    asked = 1;
}

bool weft_interrupt_requested(void)
{
    const bool now = asked != 0;
    if (now)
        asked = 0;
    return now;
}

/* All signals of ours wait while one is handled. */
static void catch (int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i].number);
    sigaddset(&action.sa_mask, SIGALRM);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(number, &action, NULL);
}

void weft_interrupt_install(void)
{
    struct sigaction before;
    for (size_t i = 0; i < SIGNALS; i++)
        if (signals[i].number != SIGHUP || sigaction(SIGHUP, NULL, &before) != 0 ||
            before.sa_handler != SIG_IGN)
            catch (signals[i].number, on_signal);
    catch (SIGALRM, on_alarm);
    catch (SIGUSR1, on_question);
}

const volatile sig_atomic_t *weft_interrupt_flag(void)
{
    return &came;
}

enum weft_interrupt_mode weft_interrupt_set(enum weft_interrupt_mode m)
{
    const enum weft_interrupt_mode before = (enum weft_interrupt_mode)mode;
    mode = m;
    if (came && m == WEFT_INTERRUPT_SOON)
        alarm(SOON_S);
    return before;
}

void weft_interrupt_saved(void)
{
    if (!came)
        mode = WEFT_INTERRUPT_AT_ONCE;
}

void weft_interrupt_add_file(const struct weft_signal_file *f)
{
    if (nfiles == FILES_MAX)
        return;
    files[nfiles] = f;
    nfiles = nfiles + 1;
}

void weft_interrupt_remove_file(void)
{
    nfiles = nfiles - 1;
}
