/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program: the one place that knows which backends there are, reads the environment of the process and catches signals.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef WEFT_HAVE_PACKET
#include "ns3-module/bridge/bridge.h"
#endif

/* Set by the signal handler, read between slices of a run. */
static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = 1;
    signal(number, SIG_DFL); /* a second one ends the program at once */
}

int main(int argc, char **argv)
{
    static const struct weft_net_backend *const backends[] = {
#ifdef WEFT_HAVE_PACKET
        &weft_net_packet,
#endif
        &weft_net_ideal,
    };
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    int tty = isatty(STDERR_FILENO);
    struct weft_log_file to = {stderr,
                               weft_log_wants_color(tty, getenv("NO_COLOR"), getenv("TERM"))};
    struct weft_log log = {.level = WEFT_LOG_INFO, .sink = weft_log_file_sink, .user = &to};
    struct weft_cli cli = {
        .out = stdout,
        .err = stderr,
        .log = &log,
        .err_is_tty = tty,
        .backends = backends,
        .nbackends = sizeof backends / sizeof backends[0],
#ifdef WEFT_HAVE_PACKET
        .ns3_version = weft_ns3_version(),
#endif
        .interrupted = &interrupted,
    };
    return weft_cli_main(&cli, argc, argv);
}
