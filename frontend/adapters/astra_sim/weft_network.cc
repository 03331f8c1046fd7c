/* SPDX-License-Identifier: GPL-2.0-only */
/* weft as the network of ASTRA-sim: weft_network.hh. */
#include "weft_network.hh"

namespace WeftAdapters
{

namespace
{

constexpr int64_t kPsPerNs = 1000; /* ASTRA-sim uses nanoseconds alone */

Fabric::Handler handler(void (*f)(void *), void *arg)
{
    return [f, arg](Kind) {
        if (f)
            f(arg);
    };
}

} // namespace

Options AstraOptions(const std::string &scenario, const std::vector<std::string> &settings,
                     const std::string &sent)
{
    return {scenario, settings, KindOf(sent) | Matched | Timer};
}

NetworkApi::NetworkApi(int rank, Fabric &fabric) : AstraSim::AstraNetworkAPI(rank), m_fabric(fabric)
{
}

int NetworkApi::sim_send(void *, uint64_t count, int, int dst, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg)
{
    m_fabric.Send({static_cast<uint32_t>(sim_comm_get_rank()), static_cast<uint32_t>(dst), count,
                   static_cast<uint32_t>(tag)},
                  handler(msg_handler, fun_arg));
    return 0;
}

int NetworkApi::sim_recv(void *, uint64_t, int, int src, int tag, AstraSim::sim_request *,
                         void (*msg_handler)(void *), void *fun_arg)
{
    m_fabric.Receive(static_cast<uint32_t>(sim_comm_get_rank()), static_cast<uint32_t>(src),
                     static_cast<uint32_t>(tag), handler(msg_handler, fun_arg));
    return 0;
}

void NetworkApi::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    m_fabric.Schedule(static_cast<int64_t>(delta.time_val * kPsPerNs), handler(fun_ptr, fun_arg));
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

} // namespace WeftAdapters
