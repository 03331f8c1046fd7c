/* SPDX-License-Identifier: GPL-2.0-only */
/* Networks of adapters that are linked with libweft: ../client/fabric.hh. */
#include "../client/fabric.hh"

#include <weft.h>

#include <stdexcept>

namespace WeftAdapters
{

namespace
{

constexpr bool same(int a, int b)
{
    return a == b;
}
static_assert(same(Started, WEFT_STARTED) && same(Sent, WEFT_SENT) &&
              same(Delivered, WEFT_DELIVERED) && same(Acknowledged, WEFT_ACKNOWLEDGED) &&
              same(Matched, WEFT_MATCHED) && same(Timer, WEFT_TIMER));

class LinkedNetwork : public Network
{
  public:
    explicit LinkedNetwork(const Options &o) : m_kinds(o.kinds)
    {
        std::vector<const char *> sets;
        for (const std::string &s : o.settings)
            sets.push_back(s.c_str());
        weft_sim_options options = {};
        options.receives = (o.kinds & Matched) != 0;
        options.events = o.kinds;
        weft_error error = {};
        m_sim = weft_sim_open(o.scenario.empty() ? nullptr : o.scenario.c_str(), sets.data(),
                              sets.size(), &options, &error);
        if (!m_sim)
            throw std::runtime_error(error.text);
    }
    ~LinkedNetwork() override
    {
        weft_sim_close(m_sim);
    }
    LinkedNetwork(const LinkedNetwork &) = delete;
    LinkedNetwork &operator=(const LinkedNetwork &) = delete;

    uint32_t Hosts() const override
    {
        return weft_sim_hosts(m_sim);
    }
    int64_t NowPs() const override
    {
        return weft_sim_now(m_sim);
    }
    void Send(const Message &message, uint64_t user) override
    {
        weft_send m = {};
        m.src = message.src;
        m.dst = message.dst;
        m.bytes = message.bytes;
        m.tag = message.tag;
        m.user = user;
        Checked(weft_sim_send(m_sim, &m));
    }
    void Receive(uint32_t dst, uint32_t src, uint64_t tag, uint64_t user) override
    {
        weft_recv r = {};
        r.dst = dst;
        r.src = src;
        r.tag = tag;
        r.user = user;
        Checked(weft_sim_recv(m_sim, &r));
    }
    void Schedule(int64_t delayPs, uint64_t user) override
    {
        Checked(weft_sim_timer(m_sim, delayPs, user));
    }
    void Run(int64_t untilPs, std::vector<Happening> &out) override
    {
        int64_t why;
        do {
            why = Checked(weft_sim_run(m_sim, untilPs, m_kinds, 0));
            for (weft_event e; weft_sim_take(m_sim, &e, 1) == 1;)
                if (e.kind & m_kinds)
                    out.push_back({e.kind, e.user});
        } while (out.empty() && why != WEFT_STOP_TIME && weft_sim_next(m_sim) != WEFT_NEVER_PS);
    }
    std::vector<std::string> Explain() override
    {
        std::vector<std::string> open;
        weft_sim_explain(
            m_sim, 100,
            [](void *to, const char *sentence) {
                static_cast<std::vector<std::string> *>(to)->push_back(sentence);
            },
            &open);
        return open;
    }

  private:
    int64_t Checked(int64_t rc) const
    {
        if (rc < 0)
            throw std::runtime_error(weft_sim_error(m_sim));
        return rc;
    }

    weft_sim *m_sim;
    uint32_t m_kinds;
};

} // namespace

std::unique_ptr<Network> OpenNetwork(const Options &options)
{
    return std::make_unique<LinkedNetwork>(options);
}

} // namespace WeftAdapters
