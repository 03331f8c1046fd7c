/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft behind the session that ASTRA-sim's htsim frontend uses. This header takes the place of the
 * one of that frontend: HTSimMain.cc and HTSimNetworkApi.cc are compiled with it as they are. The
 * frontend matches receives itself, by the bytes in recv_waiting and msg_standby, so that these
 * have the form that it expects.
 */
#ifndef WEFT_ADAPTERS_HTSIM_SESSION_HH
#define WEFT_ADAPTERS_HTSIM_SESSION_HH

#include "../client/fabric.hh"

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace HTSim
{

enum class HTSimProto { None, Tcp };
/** Reads the name of a protocol. That of weft's hosts is in the scenario: the name has no effect.
 */
std::stringstream &operator>>(std::stringstream &in, HTSimProto &proto);

enum class Dir { Send, Receive };

/** A message. Sizes of more than 2 GiB are kept. */
class FlowInfo
{
  public:
    FlowInfo(int from, int to, uint64_t bytes, int of) : src(from), dst(to), size(bytes), tag(of) {}
    int src, dst;
    uint64_t size;
    int tag;
};

/** A receive, or a send, that is not over. */
class MsgEvent
{
  public:
    MsgEvent() = default;
    MsgEvent(int from, int to, Dir dir, uint64_t bytes, void *arg, void (*handler)(void *))
        : src_id(from), dst_id(to), type(dir), remaining_msg_bytes(bytes), fun_arg(arg),
          msg_handler(handler)
    {
    }
    void callHandler()
    {
        msg_handler(fun_arg);
    }
    int src_id{0}, dst_id{0};
    Dir type{Dir::Send};
    uint64_t remaining_msg_bytes{0};
    void *fun_arg{nullptr};
    void (*msg_handler)(void *){nullptr};
};

/** (tag, (source, destination)) */
using MsgEventKey = std::pair<int, std::pair<int, int>>;

struct tm_info {
    int nodes;
};

using EventHandler = void (*)(void *);

/** The session. */
class HTSimSession
{
  public:
    /**
     * Opens the network, once.
     * @param argc, argv what stands behind --htsim_opts: SCENARIO, or KEY=VALUE, and
     *                   sent=acknowledged|delivered for when senders' handlers are called
     */
    static HTSimSession &init(const tm_info *tm, int argc, char **argv,
                              HTSimProto proto = HTSimProto::None);
    static HTSimSession &instance();
    void run(const tm_info *tm);
    void finish();
    void stop_simulation();
    void send_flow(FlowInfo flow, int flow_id, EventHandler msg_handler, void *fun_arg);
    double get_time_ns();
    double get_time_us();
    void schedule_astra_event(long double delta_ns, EventHandler msg_handler, void *fun_arg);

    static std::map<MsgEventKey, MsgEvent> recv_waiting; //!< Receives whose bytes have not come.
    static std::map<MsgEventKey, uint64_t> msg_standby;  //!< Bytes that no receive has asked for.

  private:
    HTSimSession(const WeftAdapters::Options &options, WeftAdapters::Kind sent)
        : m_fabric(options), m_sent(sent)
    {
    }
    static std::unique_ptr<HTSimSession> s_session;
    WeftAdapters::Fabric m_fabric;
    WeftAdapters::Kind m_sent; //!< When a sender's handler is called.
    bool m_stopped{false};
};

} // namespace HTSim

#endif
