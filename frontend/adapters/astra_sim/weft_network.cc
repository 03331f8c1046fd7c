/* SPDX-License-Identifier: GPL-2.0-only */
/* weft as the network of ASTRA-sim: weft_network.hh. */
#include "weft_network.hh"

#include <stdexcept>

namespace WeftAstraSim
{

namespace
{

const int64_t kPsPerNs = 1000;

/* ASTRA-sim uses nanoseconds alone. */
int64_t ps_of(const AstraSim::timespec_t &t)
{
    return static_cast<int64_t>(t.time_val * kPsPerNs);
}

} // namespace

Fabric::Fabric(const std::string &scenario, const std::vector<std::string> &settings, Sent sent)
    : m_sent(sent)
{
    std::vector<const char *> sets;
    for (const std::string &s : settings)
        sets.push_back(s.c_str());
    weft_sim_options options = {};
    options.receives = 1;
    weft_error error = {};
    m_sim = weft_sim_open(scenario.empty() ? nullptr : scenario.c_str(), sets.data(), sets.size(),
                          &options, &error);
    if (!m_sim)
        throw std::runtime_error(error.text);
}

Fabric::~Fabric()
{
    weft_sim_close(m_sim);
}

uint32_t Fabric::Hosts() const
{
    return weft_sim_hosts(m_sim);
}

int64_t Fabric::NowPs() const
{
    return weft_sim_now(m_sim);
}

void Fabric::Check(int64_t rc) const
{
    if (rc < 0)
        throw std::runtime_error(weft_sim_error(m_sim));
}

uint64_t Fabric::Keep(Handler handler, void *arg)
{
    if (m_free.empty()) {
        m_calls.push_back({handler, arg});
        return m_calls.size() - 1;
    }
    const uint64_t number = m_free.back();
    m_free.pop_back();
    m_calls[number] = {handler, arg};
    return number;
}

void Fabric::Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, Handler handler,
                  void *arg)
{
    weft_send m = {};
    m.src = src;
    m.dst = dst;
    m.bytes = bytes;
    m.tag = tag;
    m.user = Keep(handler, arg);
    Check(weft_sim_send(m_sim, &m));
}

void Fabric::Receive(uint32_t dst, uint32_t src, uint64_t tag, Handler handler, void *arg)
{
    weft_recv r = {};
    r.dst = dst;
    r.src = src;
    r.tag = tag;
    r.user = Keep(handler, arg);
    Check(weft_sim_recv(m_sim, &r));
}

void Fabric::Schedule(int64_t delayPs, Handler handler, void *arg)
{
    Check(weft_sim_timer(m_sim, delayPs, Keep(handler, arg)));
}

void Fabric::Dispatch(const weft_event &e)
{
    const uint32_t sent = m_sent == Sent::Delivered ? WEFT_DELIVERED : WEFT_ACKNOWLEDGED;
    if (e.kind != sent && e.kind != WEFT_MATCHED && e.kind != WEFT_TIMER)
        return;
    const Call call = m_calls[e.user];
    m_free.push_back(e.user); /* the handler may post */
    if (call.handler)
        call.handler(call.arg);
}

std::vector<std::string> Fabric::Run()
{
    const uint32_t sent = m_sent == Sent::Delivered ? WEFT_DELIVERED : WEFT_ACKNOWLEDGED;
    std::vector<std::string> open;
    int why;
    do {
        why = weft_sim_run(m_sim, WEFT_NEVER_PS, sent | WEFT_MATCHED | WEFT_TIMER, 0);
        Check(why);
        for (weft_event e; weft_sim_take(m_sim, &e, 1) == 1;)
            Dispatch(e);
    } while (why == WEFT_STOP_EVENT || weft_sim_next(m_sim) != WEFT_NEVER_PS);
    weft_sim_explain(
        m_sim, 100,
        [](void *to, const char *sentence) {
            static_cast<std::vector<std::string> *>(to)->push_back(sentence);
        },
        &open);
    return open;
}

NetworkApi::NetworkApi(int rank, Fabric &fabric) : AstraSim::AstraNetworkAPI(rank), m_fabric(fabric)
{
}

int NetworkApi::sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg)
{
    m_fabric.Send(static_cast<uint32_t>(sim_comm_get_rank()), static_cast<uint32_t>(dst), count,
                  static_cast<uint32_t>(tag), msg_handler, fun_arg);
    return 0;
}

int NetworkApi::sim_recv(void *, uint64_t, int, int src, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg)
{
    m_fabric.Receive(static_cast<uint32_t>(sim_comm_get_rank()), static_cast<uint32_t>(src),
                     static_cast<uint32_t>(tag), msg_handler, fun_arg);
    return 0;
}

void NetworkApi::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    m_fabric.Schedule(ps_of(delta), fun_ptr, fun_arg);
}

AstraSim::timespec_t NetworkApi::sim_get_time()
{
    AstraSim::timespec_t now;
    now.time_res = AstraSim::NS;
    now.time_val = static_cast<decltype(now.time_val)>(m_fabric.NowPs()) / kPsPerNs;
    return now;
}

void NetworkApi::sim_notify_finished()
{
    m_finished = true;
}

} // namespace WeftAstraSim
