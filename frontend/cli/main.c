/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program: the one place that knows which backends there are, and reads the environment of the
 * process.
 */
#include "command/command.h"
#include "command/out.h"
#include "foreign/hpcc/config.h"
#include "run/interrupt.h"
#include "run/processes.h"

#include <stdlib.h>
#include <unistd.h>

#include "ns3-module/bridge/bridge.h"

int main(int argc, char **argv)
{
    static const struct weft_net_backend *const backends[] = {
        &weft_net_packet,
        &weft_net_ideal,
    };
    weft_interrupt_install();
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of ulimit -f is an error of write(2) */

    struct weft_out out = {.fd = STDOUT_FILENO};
    FILE *stream = weft_out_open(&out);
    if (!stream) {
        fputs("weft: error: out of memory for standard output\n", stderr);
        return weft_exit_code(WEFT_E_LIMIT);
    }
    int tty = isatty(STDERR_FILENO);
    struct weft_log_file to = {stderr,
                               weft_log_wants_color(tty, getenv("NO_COLOR"), getenv("TERM"))};
    const struct weft_peers *peers;
    struct weft_err err = {0};
    if (weft_processes_meet(&argc, &argv, &peers, &err)) {
        fprintf(stderr, "weft: error: %s\n", err.msg);
        return weft_exit_code(err.code);
    }
    struct weft_log log = {.level = WEFT_LOG_INFO, .sink = weft_log_file_sink, .user = &to};
    if (peers && peers->me > 0)
        log.sink = weft_processes_note;
    struct weft_cli cli = {
        .out = stream,
        .written = &out,
        .err = stderr,
        .log = &log,
        .err_is_tty = tty,
        .backends = backends,
        .nbackends = sizeof backends / sizeof backends[0],
        .ns3_version = weft_ns3_version(),
        .plugin_path = getenv("WEFT_PLUGIN_PATH"),
        .interrupted = weft_interrupt_flag(),
        .is_foreign_config = weft_hpcc_config_looks,
        .peers = peers,
        .no_fallback = getenv("WEFT_NO_FALLBACK") != NULL,
    };
    const int code = weft_cli_main(&cli, argc, argv);
    fclose(stream);
    const int ended = weft_processes_part(peers, code);
    if (ended == weft_exit_code(WEFT_E_LIMIT))
        _exit(ended); /* what libraries do at the end wants memory, and objects that are whole */
    return ended;
}
