/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients of weft serve: on two descriptors, or of a socket. */
#include "cli/cli_internal.h"

#include "run/interrupt.h"
#include "base/file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS_BYTES (1u << 16)
/* Between looks whether the program was asked to stop, ms. */
#define CLIENTS_LOOK_MS 200
#define CLIENTS_BACKLOG 64

static int clients_write(int fd, const char *text, size_t n, struct weft_err *err)
{
    return weft_fd_write(fd, text, n) == (ssize_t)n
               ? 0
               : weft_err_set(err, WEFT_E_IO, "writing to the client: %s", strerror(errno));
}

/* Reads and answers until the client closes or the session is over. */
static int clients_session(struct weft_serve *s, int in, int out, struct weft_err *err)
{
    char bytes[CLIENTS_BYTES];
    for (bool goes_on = true; goes_on;) {
        size_t n;
        const ssize_t k = read(in, bytes, sizeof bytes);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return weft_err_set(err, WEFT_E_IO, "reading from the client: %s", strerror(errno));
        if (k == 0)
            break;
        goes_on = weft_serve_feed(s, bytes, (size_t)k);
        const char *answer = weft_serve_output(s, &n);
        if (n && clients_write(out, answer, n, err))
            return err->code;
        weft_serve_sent(s);
    }
    return weft_serve_end(s, err);
}

int weft_serve_client(const struct weft_serve_config *config, int in, int out, struct weft_err *err)
{
    struct weft_serve *s = weft_serve_new(config);
    if (!s)
        return weft_err_no_memory(err, "a session");
    signal(SIGPIPE, SIG_IGN); /* a client that went is an error of write(2) */
    const int rc = clients_session(s, in, out, err);
    weft_serve_free(s);
    return rc;
}

static int clients_listen(const char *path, struct weft_err *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat old;
    if (strlen(path) >= sizeof address.sun_path)
        return weft_err_set(err, WEFT_E_INPUT, "%s: the path of a socket has at most %zu bytes",
                            path, sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return weft_err_set(err, WEFT_E_IO, "a socket: %s", strerror(errno));
    /* one that a former process left behind takes no connections */
    if (stat(path, &old) == 0 && S_ISSOCK(old.st_mode) &&
        connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        unlink(path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) || listen(fd, CLIENTS_BACKLOG)) {
        const int why = errno;
        close(fd);
        return weft_err_set(err, WEFT_E_IO, "%s: %s", path, strerror(why));
    }
    return fd;
}

static void clients_child(const struct weft_serve_config *config, int fd)
{
    struct weft_err err = {0};
    weft_interrupt_set(WEFT_INTERRUPT_AT_ONCE);
    const int rc = weft_serve_client(config, fd, fd, &err);
    if (rc)
        fprintf(stderr, "weft: serve: %s\n", err.msg);
    _exit(weft_exit_code(rc));
}

int weft_serve_socket(const struct weft_serve_config *config, const char *path,
                      const volatile sig_atomic_t *interrupted, struct weft_err *err)
{
    const int fd = clients_listen(path, err);
    if (fd < 0)
        return err->code;
    while (!*interrupted) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        if (poll(&ready, 1, CLIENTS_LOOK_MS) <= 0)
            continue;
        const int client = accept(fd, NULL, NULL);
        if (client < 0)
            continue;
        const pid_t pid = fork();
        if (pid == 0) {
            close(fd);
            clients_child(config, client);
        }
        if (pid < 0)
            fprintf(stderr, "weft: serve: a process for a client: %s\n", strerror(errno));
        close(client);
    }
    close(fd);
    unlink(path);
    return 0;
}
