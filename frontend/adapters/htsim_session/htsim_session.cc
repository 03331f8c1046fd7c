/* SPDX-License-Identifier: GPL-2.0-only */
/* weft behind the session of ASTRA-sim's htsim frontend: HTSimSession.hh. */
#include "HTSimSession.hh"

#include <cstdio>
#include <stdexcept>

namespace HTSim
{

using WeftAdapters::Kind;

std::unique_ptr<HTSimSession> HTSimSession::s_session;
std::map<MsgEventKey, MsgEvent> HTSimSession::recv_waiting;
std::map<MsgEventKey, uint64_t> HTSimSession::msg_standby;

namespace
{

constexpr int64_t kPsPerNs = 1000;

/* Bytes have arrived: a receive takes them once they are enough for it, and leaves the rest. */
void arrived(const MsgEventKey &key, uint64_t bytes)
{
    const auto waiting = HTSimSession::recv_waiting.find(key);
    if (waiting == HTSimSession::recv_waiting.end()) {
        HTSimSession::msg_standby[key] += bytes;
        return;
    }
    MsgEvent &receive = waiting->second;
    if (bytes < receive.remaining_msg_bytes) {
        receive.remaining_msg_bytes -= bytes;
        return;
    }
    if (bytes > receive.remaining_msg_bytes)
        HTSimSession::msg_standby[key] = bytes - receive.remaining_msg_bytes;
    MsgEvent taken = receive;
    HTSimSession::recv_waiting.erase(waiting);
    taken.callHandler(); /* may post the next one of this key */
}

} // namespace

std::stringstream &operator>>(std::stringstream &in, HTSimProto &proto)
{
    std::string name;
    in >> name;
    proto = HTSimProto::Tcp;
    return in;
}

HTSimSession &HTSimSession::init(const tm_info *tm, int argc, char **argv, HTSimProto)
{
    WeftAdapters::Options options = {"", {}, WeftAdapters::Delivered | WeftAdapters::Timer};
    Kind sent = WeftAdapters::Acknowledged;
    if (s_session)
        throw std::runtime_error("the session of weft is open");
    for (int i = 1; i < argc; i++) {
        const std::string arg = argv[i];
        if (arg.compare(0, 5, "sent=") == 0)
            sent = WeftAdapters::KindOf(arg.substr(5));
        else if (arg.find('=') != std::string::npos)
            options.settings.push_back(arg);
        else
            options.scenario = arg;
    }
    options.kinds |= sent;
    s_session.reset(new HTSimSession(options, sent));
    if (static_cast<uint32_t>(tm->nodes) > s_session->m_fabric.Hosts())
        throw std::runtime_error(std::to_string(tm->nodes) + " ranks, but the network has " +
                                 std::to_string(s_session->m_fabric.Hosts()) + " hosts");
    return *s_session;
}

HTSimSession &HTSimSession::instance()
{
    if (!s_session)
        throw std::runtime_error("HTSimSession::init() comes first");
    return *s_session;
}

void HTSimSession::run(const tm_info *)
{
    while (!m_stopped && m_fabric.Look(WeftAdapters::kNeverPs) != WeftAdapters::kNeverPs)
        m_fabric.Dispatch();
}

void HTSimSession::finish()
{
    for (const auto &r : recv_waiting)
        std::fprintf(stderr, "weft: rank %d waits for %llu B of rank %d, tag %d\n", r.second.dst_id,
                     static_cast<unsigned long long>(r.second.remaining_msg_bytes), r.second.src_id,
                     r.first.first);
    s_session.reset();
}

void HTSimSession::stop_simulation()
{
    m_stopped = true;
}

void HTSimSession::send_flow(FlowInfo flow, int, EventHandler msg_handler, void *fun_arg)
{
    const MsgEventKey key = {flow.tag, {flow.src, flow.dst}};
    m_fabric.Send({static_cast<uint32_t>(flow.src), static_cast<uint32_t>(flow.dst), flow.size, 0},
                  [=, sent = m_sent](Kind kind) {
                      if (kind == WeftAdapters::Delivered)
                          arrived(key, flow.size);
                      if (kind == sent)
                          msg_handler(fun_arg);
                  });
}

double HTSimSession::get_time_ns()
{
    return static_cast<double>(m_fabric.NowPs()) / kPsPerNs;
}

double HTSimSession::get_time_us()
{
    return get_time_ns() / 1000;
}

void HTSimSession::schedule_astra_event(long double delta_ns, EventHandler msg_handler,
                                        void *fun_arg)
{
    m_fabric.Schedule(static_cast<int64_t>(delta_ns * kPsPerNs),
                      [=](Kind) { msg_handler(fun_arg); });
}

} // namespace HTSim
