// SPDX-License-Identifier: GPL-2.0-only
// Processes that are threads of this program, and exchange by memory in place of MPI.
#ifndef WEFT_TESTS_ENGINE_MEETING_H
#define WEFT_TESTS_ENGINE_MEETING_H

#include "base/peers.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

// Where they exchange.
class Meeting
{
  public:
    explicit Meeting(unsigned n) : m_n(n), m_out(n), m_in(n) {}

    int Exchange(unsigned me, const weft_mail *out, weft_mail *in, weft_err *err)
    {
        m_out[me].clear();
        for (unsigned k = 0; k < m_n; k++)
            m_out[me].emplace_back(static_cast<const char *>(out[k].bytes), k == me ? 0 : out[k].n);
        if (!Wait())
            return weft_err_set(err, WEFT_E_IO, "a process is gone");
        m_in[me].clear();
        for (unsigned k = 0; k < m_n; k++)
            m_in[me].push_back(m_out[k][me]);
        for (unsigned k = 0; k < m_n; k++)
            in[k] = {m_in[me][k].data(), m_in[me][k].size()};
        return Wait() ? 0 : weft_err_set(err, WEFT_E_IO, "a process is gone");
    }

    void Leave()
    {
        std::lock_guard<std::mutex> lock(m_mutex);
        m_left = true;
        m_changed.notify_all();
    }

  private:
    bool Wait()
    {
        std::unique_lock<std::mutex> lock(m_mutex);
        const uint64_t round = m_round;
        if (++m_here == m_n) {
            m_here = 0;
            m_round++;
            m_changed.notify_all();
            return true;
        }
        m_changed.wait(lock, [&] { return m_round != round || m_left; });
        return m_round != round;
    }

    unsigned m_n, m_here = 0;
    uint64_t m_round = 0;
    bool m_left = false;
    std::vector<std::vector<std::string>> m_out;
    std::vector<std::vector<std::string>> m_in; // of each: threads write to their own at once
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

struct Peer {
    Meeting *meeting;
    unsigned me;
};

inline int Exchange(void *ctx, const weft_mail *out, weft_mail *in, weft_err *err)
{
    auto *p = static_cast<Peer *>(ctx);
    return p->meeting->Exchange(p->me, out, in, err);
}

#endif
