// SPDX-License-Identifier: GPL-2.0-only
// Two processes that give bytes to each other, as those that mpirun starts do.
#ifndef WEFT_TESTS_PAIR_H
#define WEFT_TESTS_PAIR_H

#include "base/peers.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weft_test
{

class Pair
{
  public:
    /// What each of two processes does; it returns whether all is well.
    using Does = std::function<bool(const weft_peers &)>;

    static void run(const Does &does)
    {
        int fd[2];
        ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        Pair own(fd[child == 0], child != 0);
        close(fd[child != 0]);
        weft_peers peers = {};
        peers.n = 2;
        peers.me = child == 0;
        peers.ctx = &own;
        peers.exchange = exchange;
        const bool well = does(peers);
        if (child == 0)
            _exit(well ? 0 : 1);
        EXPECT_TRUE(well) << "in the first process";
        close(own.fd_);
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << "in the second process";
    }

  private:
    Pair(int fd, unsigned other) : fd_(fd), other_(other) {}

    bool send(const void *bytes, size_t n) const
    {
        return ::send(fd_, bytes, n, MSG_NOSIGNAL) == static_cast<ssize_t>(n);
    }
    bool receive(void *bytes, size_t n) const
    {
        return n == 0 || ::recv(fd_, bytes, n, MSG_WAITALL) == static_cast<ssize_t>(n);
    }

    // Of little: both write before they read.
    static int exchange(void *ctx, const weft_mail *out, weft_mail *in, weft_err *err)
    {
        Pair *p = static_cast<Pair *>(ctx);
        const weft_mail &mail = out[p->other_];
        size_t n = 0;
        bool well = p->send(&mail.n, sizeof mail.n) && p->send(mail.bytes, mail.n) &&
                    p->receive(&n, sizeof n);
        p->came_.resize(n);
        well = well && p->receive(p->came_.data(), n);
        in[p->other_] = weft_mail{p->came_.data(), n};
        return well ? 0 : weft_err_set(err, WEFT_E_IO, "the other process is gone");
    }

    int fd_;
    unsigned other_;
    std::vector<char> came_;
};

} // namespace weft_test

#endif
