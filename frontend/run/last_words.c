/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Message of a process of several that a signal ends, written by calls that POSIX allows in a
 * signal handler.
 */
#include "run/last_words.h"

#include "run/interrupt.h"
#include "base/decimal.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile pid_t pids[UCHAR_MAX];
static volatile int64_t reached_ps;

static void last_words_put(int fd, const char *text)
{
    (void)!write(fd, text, strlen(text));
}

static void put_number(int fd, int64_t n)
{
    char text[24];
    *weft_decimal_write(text, (uint64_t)n) = '\0';
    last_words_put(fd, text);
}

static void last_words_say(int fd)
{
    for (int k = 0; k < UCHAR_MAX; k++) {
        if (!pids[k] || kill(pids[k], 0) == 0 || errno != ESRCH)
            continue;
        last_words_put(fd, "weft: error: process ");
        put_number(fd, k);
        last_words_put(fd, " is gone (pid ");
        put_number(fd, pids[k]);
        last_words_put(fd, ")\n");
    }
    last_words_put(fd, "weft: error: the run had come to ");
    put_number(fd, reached_ps / 1000);
    last_words_put(fd, " ns of simulated time\n");
}

void weft_last_words_know(unsigned number, pid_t pid)
{
    pids[number] = pid;
    weft_interrupt_set_last_words(last_words_say);
}

void weft_last_words_reached(int64_t now_ps)
{
    reached_ps = now_ps;
}
