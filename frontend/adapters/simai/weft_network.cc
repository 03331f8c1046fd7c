/* SPDX-License-Identifier: MIT */
/* weft as the network of SimAI: weft_network.hh. */
#include "weft_network.hh"

#include "astra-sim/system/RecvPacketEventHadndlerData.hh"
#include "astra-sim/system/SendPacketEventHandlerData.hh"

namespace WeftAdapters
{

namespace
{

constexpr int64_t kPsPerNs = 1000;

} // namespace

SimAiFabric::SimAiFabric(const std::string &scenario, const std::vector<std::string> &settings,
                         const std::string &sent)
    : fabric({scenario, settings, KindOf(sent) | Delivered | Timer}), m_sent(KindOf(sent))
{
}

void SimAiFabric::Send(int src, int dst, uint64_t bytes, const AstraSim::ncclFlowTag &flow,
                       Handler handler, void *arg)
{
    const std::tuple<int, int, int> key(src, dst, flow.tag_id);
    const auto arrives = [=]() {
        Key &k = m_keys[key];
        if (k.receives.empty()) {
            k.arrived.push_back(flow);
            return;
        }
        const Waiting w = k.receives.front();
        k.receives.pop_front();
        if (k.receives.empty())
            m_keys.erase(key);
        static_cast<AstraSim::RecvPacketEventHadndlerData *>(w.arg)->flowTag = flow;
        w.handler(w.arg);
    };
    fabric.Send({static_cast<uint32_t>(src), static_cast<uint32_t>(dst), bytes,
                 static_cast<uint32_t>(flow.tag_id)},
                [=](Kind kind) {
                    if (kind == m_sent) {
                        static_cast<AstraSim::SendPacketEventHandlerData *>(arg)->flowTag = flow;
                        handler(arg);
                    }
                    if (kind == Delivered)
                        arrives();
                });
}

void SimAiFabric::Receive(int dst, int src, Handler handler, void *arg)
{
    auto *const data = static_cast<AstraSim::RecvPacketEventHadndlerData *>(arg);
    const std::tuple<int, int, int> key(src, dst, data->flowTag.tag_id);
    Key &k = m_keys[key];
    if (k.arrived.empty()) {
        k.receives.push_back({handler, arg});
        return;
    }
    data->flowTag = k.arrived.front();
    k.arrived.pop_front();
    if (k.arrived.empty())
        m_keys.erase(key);
    fabric.Schedule(0, [=](Kind) { handler(arg); }); /* not from within sim_recv() */
}

int SimAiNetwork::sim_comm_size(AstraSim::sim_comm, int *)
{
    return 0; /* as SimAI's other backends: it is not called */
}

int SimAiNetwork::sim_finish()
{
    return 0; /* the run ends when nothing is left to happen */
}

double SimAiNetwork::sim_time_resolution()
{
    return 0; /* as SimAI's other backends */
}

int SimAiNetwork::sim_init(AstraSim::AstraMemoryAPI *)
{
    return 0;
}

AstraSim::timespec_t SimAiNetwork::sim_get_time()
{
    AstraSim::timespec_t now;
    now.time_res = AstraSim::NS;
    now.time_val = static_cast<double>(m_fabric.fabric.NowPs() / kPsPerNs);
    return now;
}

void SimAiNetwork::sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg)
{
    m_fabric.fabric.Schedule(static_cast<int64_t>(delta.time_val * kPsPerNs),
                             [=](Kind) { fun_ptr(fun_arg); });
}

int SimAiNetwork::sim_send(void *, uint64_t count, int, int dst, int,
                           AstraSim::sim_request *request, void (*msg_handler)(void *),
                           void *fun_arg)
{
    m_fabric.Send(sim_comm_get_rank(), dst, count, request->flowTag, msg_handler, fun_arg);
    return 0;
}

int SimAiNetwork::sim_recv(void *, uint64_t, int, int src, int, AstraSim::sim_request *,
                           void (*msg_handler)(void *), void *fun_arg)
{
    m_fabric.Receive(sim_comm_get_rank(), src, msg_handler, fun_arg);
    return 0;
}

} // namespace WeftAdapters
