/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_params.h"

#include "base/units.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <list>
#include <string>
#include <vector>

namespace
{

#define WEFT_TCP_VARIANT(name, type) "|" name
const char* const g_variantNames =
#include "tcp_variants.def"
    ;
#undef WEFT_TCP_VARIANT

#define WEFT_TCP_VARIANT(name, type) type,
const char* const g_variantTypes[] = {
#include "tcp_variants.def"
};
#undef WEFT_TCP_VARIANT

#define USES_TCP "transport.type=tcp or prios!=0"

const weft_param g_tcpParams[] = {
    {"prios",
     WEFT_PARAM_U64,
     offsetof(TcpParams, prios),
     "0",
     "0",
     "255",
     nullptr,
     "transport.type=roce: bit mask of the priorities whose messages travel by TCP all the same",
     nullptr,
     "transport.type=roce"},
    {"prio",
     WEFT_PARAM_U64,
     offsetof(TcpParams, prio),
     "0",
     "0",
     "7",
     nullptr,
     "priority of messages that ask for none; segments and ACKs of a message travel in its "
     "priority",
     nullptr,
     "transport.type=tcp"},
    {"connections",
     WEFT_PARAM_U64,
     offsetof(TcpParams, connections),
     "1",
     "1",
     "64",
     nullptr,
     "persistent connections per pair of hosts and QP number; each message is cut into as many "
     "parts",
     "NCCL: NCCL_NSOCKS_PERTHREAD",
     USES_TCP},
    {"mtu",
     WEFT_PARAM_SIZE,
     offsetof(TcpParams, mtuBytes),
     "1500B",
     "576B",
     "9216B",
     nullptr,
     "largest IP packet; a segment carries 40B less",
     "IEEE 802.3; jumbo frames: 9000B",
     USES_TCP},
    {"initial-window",
     WEFT_PARAM_U64,
     offsetof(TcpParams, initialWindow),
     "10",
     "1",
     "10000",
     nullptr,
     "congestion window of a new connection, in segments",
     "RFC 6928",
     USES_TCP},
    {"min-rto",
     WEFT_PARAM_TIME,
     offsetof(TcpParams, minRtoPs),
     "200ms",
     "1us",
     "60s",
     nullptr,
     "least retransmission timeout",
     "Linux: TCP_RTO_MIN; RFC 6298 says 1s",
     USES_TCP},
    {"connect-timeout",
     WEFT_PARAM_TIME,
     offsetof(TcpParams, connectTimeoutPs),
     "1s",
     "1us",
     "60s",
     nullptr,
     "time after which a SYN is repeated, doubling",
     "RFC 6298",
     USES_TCP},
    {"delayed-ack",
     WEFT_PARAM_TIME,
     offsetof(TcpParams, delayedAckPs),
     "0",
     "0",
     "500ms",
     nullptr,
     "longest time that an ACK waits for the next segment, less than min-rto; 0: 40ms as in Linux, "
     "or a quarter of min-rto if that is less",
     "Linux: TCP_DELACK_MIN; RFC 1122 says 500ms",
     "transport.type=tcp and ack-every!=1 or prios!=0 and ack-every!=1"},
    {"ack-every",
     WEFT_PARAM_U64,
     offsetof(TcpParams, ackEvery),
     "2",
     "1",
     "64",
     nullptr,
     "segments per ACK",
     "RFC 5681",
     USES_TCP},
    {"send-buffer",
     WEFT_PARAM_SIZE,
     offsetof(TcpParams, sendBufferBytes),
     "4MiB",
     "4KiB",
     "1GiB",
     nullptr,
     "send buffer of a socket: bounds its window",
     "Linux: tcp_wmem",
     USES_TCP},
    {"receive-buffer",
     WEFT_PARAM_SIZE,
     offsetof(TcpParams, receiveBufferBytes),
     "6MiB",
     "4KiB",
     "1GiB",
     nullptr,
     "receive buffer of a socket: bounds the window of its peer",
     "Linux: tcp_rmem",
     USES_TCP},
    {"retries",
     WEFT_PARAM_U64,
     offsetof(TcpParams, retries),
     "15",
     "1",
     "1000",
     nullptr,
     "timeouts in a row after which a connection fails and the run ends; SYNs, whose timeouts double without end, are "
     "repeated at most until half of the simulated time that there is (53 days)",
     "Linux: tcp_retries2",
     USES_TCP},
    {"ecn",
     WEFT_PARAM_BOOL,
     offsetof(TcpParams, ecn),
     "false",
     nullptr,
     nullptr,
     nullptr,
     "newreno and cubic: switches mark segments instead of dropping them, and an echo is taken for "
     "a "
     "loss; dctcp always has marks, bbr ignores them",
     "RFC 3168",
     "transport.type=tcp and transport.variant=newreno or transport.type=tcp and "
     "transport.variant=cubic or prios!=0 and transport.variant=newreno or prios!=0 and "
     "transport.variant=cubic"},
};

const weft_param g_choices[] = {
    {"type",
     WEFT_PARAM_ENUM,
     offsetof(TransportParams, type),
     "roce",
     nullptr,
     nullptr,
     "roce|tcp",
     "what carries messages: RoCE reliable connection, or ns-3's TCP over the same fabric",
     nullptr,
     nullptr},
    {"variant",
     WEFT_PARAM_ENUM,
     offsetof(TransportParams, variant),
     "cubic",
     nullptr,
     nullptr,
     g_variantNames + 1,
     "TCP's congestion control",
     "RFC 6582; RFC 9438; RFC 8257; Cardwell et al., CACM 2017",
     "type=tcp or tcp.prios!=0"},
};

/** Parameters of the engine's section that mean something to TCP as well. */
const char* const g_shared[] =
    {"mtu", "data-prio", "min-frame", "gap", "time-quantum", "ns3-event-order", "ecmp"};

/**
 * @param p a parameter of the engine's section transport
 * @return what it needs beside the choice of the transport
 */
std::string
RoceNeeds(const weft_param& p)
{
    const std::string only = "type=roce";
    if (!p.needs)
        return only;
    std::string needs = p.needs; // distributes over the alternatives
    for (std::size_t at = 0; (at = needs.find(" or ", at)) != std::string::npos;)
    {
        needs.insert(at, " and " + only);
        at += only.size() + 9;
    }
    return needs + " and " + only;
}

/** The table of section transport and the text that it owns. */
struct TransportTable
{
    std::vector<weft_param> params; //!< The table.
    std::list<std::string> needs;   //!< Texts in it.

    TransportTable()
    {
        const weft_param_table& roce = weft_engine_sections[0].params;
        params.assign(std::begin(g_choices), std::end(g_choices));
        for (std::size_t i = 0; i < roce.n; i++)
        {
            weft_param p = roce.params[i];
            bool shared = false;
            for (const char* name : g_shared)
                shared = shared || std::strcmp(name, p.name) == 0;
            if (!shared)
            {
                needs.push_back(RoceNeeds(p));
                p.needs = needs.back().c_str();
            }
            params.push_back(p);
        }
    }
};

} // namespace

static_assert(offsetof(TransportParams, roce) == 0, "the engine's offsets hold for both");

weft_param_table
TransportParamTable()
{
    static const TransportTable table;
    return {table.params.data(), table.params.size(), sizeof(TransportParams)};
}

weft_param_table
TcpParamTable()
{
    return WEFT_PARAM_TABLE(g_tcpParams, TcpParams);
}

int64_t
TcpDelayedAckPs(const TcpParams& tcp)
{
    constexpr int64_t LINUX_PS = 40 * WEFT_PS_PER_MS;
    return tcp.delayedAckPs ? tcp.delayedAckPs : std::min(LINUX_PS, tcp.minRtoPs / 4);
}

const char*
TcpVariantTypeId(int variant)
{
    return g_variantTypes[variant];
}

/**
 * @param transport section transport
 * @param frame length of the longest frame of TCP
 * @param fabric the fabric
 * @param [out] err filled when a dimension has room for shorter ones only
 * @return 0 or a WEFT_E_* code
 */
static int
CheckDimensions(const weft_transport_params& transport,
                uint64_t frame,
                const weft_fabric* fabric,
                weft_err* err)
{
    for (uint32_t d = 0; d < fabric->ndims; d++)
    {
        const weft_dim_settings& set = fabric->dims[d].set;
        const uint64_t payload = set.mtu_bytes ? set.mtu_bytes : transport.mtu_bytes;
        const uint64_t most = payload + transport.header_bytes;
        if (frame <= most || (!set.mtu_bytes && set.flow_control != WEFT_FLOW_CREDIT))
            continue;
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "frames of tcp.mtu have %llu bytes, dimension %u (%s) takes %llu at "
                            "most: lower tcp.mtu to %lluB, or raise its mtu",
                            static_cast<unsigned long long>(frame),
                            d,
                            fabric->dims[d].kind,
                            static_cast<unsigned long long>(most),
                            static_cast<unsigned long long>(most - TCP_FRAME_OVERHEAD_BYTES));
    }
    return 0;
}

int
TcpCheckParams(const TransportParams& transport,
               const TcpParams& tcp,
               const weft_pfc_params& pfc,
               const weft_fabric* fabric,
               weft_err* err)
{
    if (transport.type != TRANSPORT_TCP && tcp.prios == 0)
        return 0;
    if (transport.roce.ack_ignores_pause)
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "transport.ack-ignores-pause has no meaning with TCP, whose packets at "
                            "the NIC would ignore pauses too");
    const uint64_t used = transport.type == TRANSPORT_TCP ? 1u << tcp.prio : tcp.prios;
    const uint64_t frame = tcp.mtuBytes + TCP_FRAME_OVERHEAD_BYTES;
    if (pfc.enabled && (pfc.prios & used) && !pfc.headroom_bytes &&
        frame > transport.roce.mtu_bytes + transport.roce.header_bytes)
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "frames of tcp.mtu have %llu bytes, but the headroom of lossless "
                            "priorities is computed for those of transport.mtu: raise that, or set "
                            "pfc.headroom",
                            static_cast<unsigned long long>(frame));
    if (tcp.ackEvery > 1 && TcpDelayedAckPs(tcp) >= tcp.minRtoPs)
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "tcp.delayed-ack must be less than tcp.min-rto, or single segments "
                            "would be sent again before their ACK is due");
    return CheckDimensions(transport.roce, frame, fabric, err);
}
