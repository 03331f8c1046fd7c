/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_FABRIC_MODEL_H
#define WEFT_FABRIC_MODEL_H

#include "ns3-module/engine/engine_peers.h"
#include "weft-capture.h"
#include "weft-congestion-control.h"
#include "weft-counters.h"
#include "weft-devices.h"
#include "weft-fan-out.h"
#include "weft-frames.h"
#include "weft-params.h"
#include "weft-pump.h"
#include "weft-trace-table.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @defgroup weft RoCE fabrics of AI training
 *
 * Hosts, switches and links on which RoCE messages and packets of the Internet stack travel, over a
 * packet engine in C that shares no code with ns-3.
 */

namespace ns3
{

class WeftNetDevice;

/**
 * @ingroup weft
 * A RoCE fabric: hosts with NICs, switches and links, simulated packet by packet.
 *
 * The object owns one weft engine, made from a graph (topologies/fabric.h), a congestion control
 * and the parameters that are this object's attributes. The names of the attributes are those of
 * weft's scenario files, section first: "pfc.xon-offset" is PfcXonOffset.
 *
 * The engine is made on the first Send (or by Build); from then on neither attributes nor the graph
 * can change. Time resolution must be one picosecond (WeftFabricHelper::Setup). Results do not
 * depend on which SimulatorImpl runs the simulation; WeftSimulatorImpl is the fast one.
 *
 * Trace sources cost nothing while nothing is connected to them. The same sources exist per port on
 * WeftNetDevice.
 */
class WeftFabric : public Object, public WeftParamHolder
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftFabric();
    ~WeftFabric() override;

    /**
     * @param graph the finished graph. The fabric frees it.
     */
    void SetGraph(weft_fabric* graph);

    /**
     * @param graph the finished graph. It stays the caller's and must outlive the fabric.
     */
    void BorrowGraph(const weft_fabric* graph);

    /**
     * @return the graph, null when none was set
     */
    const weft_fabric* GetGraph() const
    {
        return m_graph;
    }

    /**
     * @param params all parameters at once, in place of the attributes
     */
    void SetParams(const weft_engine_params& params);

    /**
     * @return all parameters
     */
    const weft_engine_params& GetParams() const
    {
        return m_params;
    }

    /**
     * @param name an algorithm of weft's table, with the default values of its attributes
     */
    void SetCongestionControlName(std::string name);

    /**
     * @return the name of the algorithm
     */
    std::string GetCongestionControlName() const;

    /**
     * @param cc the algorithm with its parameters
     */
    void SetCongestionControl(Ptr<WeftCongestionControl> cc);

    /**
     * @return the algorithm with its parameters; null when its name is unknown
     */
    Ptr<WeftCongestionControl> GetCongestionControl() const;

    /**
     * For callers that keep algorithm and parameters in C.
     * @param ops the algorithm
     * @param params its filled parameter struct; must outlive the fabric
     */
    void BorrowCongestionControl(const weft_cc_ops* ops, const void* params);

    /**
     * @param seed seed of all randomness of the engine (ECN marking, link errors, paths). When it
     * is never called and the attribute Seed is 0, the seed comes from ns-3's RngSeed and RngRun.
     */
    void SetSeed(uint64_t seed);

    /**
     * Several processes are going to simulate the fabric (engine/engine_peers.h), of which no link
     * changes.
     * @param peers the processes, which must outlive the fabric; null: this one alone
     */
    void ExpectPeers(const weft_peers* peers);

    /**
     * The ranks of a distributed simulation share out the fabric (WeftRanks); used by
     * WeftFabricHelper. Each posts the messages of its own hosts, in which no order of ranks shows,
     * and is notified of those that arrive there and of its own that are acknowledged.
     * @param ranks by node of the graph; of a switch also WEFT_PEER_BELOW: the one that most of its
     * links lead down to
     */
    void ShareOut(const std::vector<uint8_t>& ranks);

    /**
     * @return whether ranks share out the fabric
     */
    bool IsShared() const
    {
        return !m_ranks.empty();
    }

    /**
     * @param host a host number
     * @return its rank, 0 in a simulation of one
     */
    uint32_t GetRank(uint32_t host) const;

    /**
     * Several threads run the switches of the fabric, with the same results (engine/window_crew.h).
     * @param threads how many; 0: as many as make it fastest, up to one per processor
     * @param shuffle for tests, not 0: seed of random orders in which they take their turns
     */
    void SetThreads(uint32_t threads, uint64_t shuffle = 0);

    /**
     * Traffic that repeats itself is taken over instead of simulated again, with the same results
     * (engine/replay.h).
     * @param replay whether, and how, it is
     * @param mostBytes of memory for what is remembered
     * @param tolerance not 0: traffic that has settled within this ratio may besides be skipped,
     * with approximate results
     * @param resamples with a tolerance: messages whose times differ by more are taken over as
     * well, each with a time drawn from those seen
     */
    void SetReplay(weft_replaying replay,
                   uint64_t mostBytes,
                   double tolerance = 0,
                   bool resamples = false);

    /**
     * Fixes the stream that, together with RngSeed and RngRun, gives the seed.
     * @param stream first stream number
     * @return the number of streams used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Makes the engine.
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int Build(weft_err* err);

    /**
     * Posts a message now, from one host to another; a mistake is fatal.
     * @param src sending host number
     * @param dst receiving host number
     * @param bytes payload
     * @param tag carried to the receiver
     * @param prio priority 0..7, or the default of attribute TransportDataPrio
     * @return the message's number: 0, 1, 2 ... in the order posted
     */
    uint64_t Send(uint32_t src,
                  uint32_t dst,
                  uint64_t bytes,
                  uint64_t tag = 0,
                  uint32_t prio = UINT32_MAX);

    /**
     * Posts a message now.
     * @param msg the message
     * @param [out] id its number; may be null
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TrySend(const weft_msg& msg, uint64_t* id, weft_err* err);

    /**
     * Sends a packet of the IP stack now; used by WeftNetDevice.
     * @param device the sending device
     * @param port the fabric port to send through, UINT32_MAX: the one of the flow's hash
     * @param packet with its network header; becomes the fabric's
     * @param protocol EtherType
     * @param dest MAC address of the destination, or broadcast
     * @param prio priority
     * @param bytes frame bytes
     * @return whether it was taken: there is such a host, and no mistake
     */
    bool SendFrame(WeftFrameDevice* device,
                   uint32_t port,
                   Ptr<Packet> packet,
                   uint16_t protocol,
                   const Address& dest,
                   uint32_t prio,
                   uint32_t bytes);

    /**
     * @return the packets of the IP stack
     */
    WeftFrames& GetFrames()
    {
        return m_frames;
    }

    /**
     * Opens a group of hosts for in-network operations: switches add up and copy.
     * @param hosts host numbers
     * @param n how many
     * @param prio priority 0..7, or UINT32_MAX for the default of attribute TransportDataPrio
     * @param [out] id the group's number
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryGroup(const uint32_t* hosts, uint32_t n, uint32_t prio, uint32_t* id, weft_err* err);

    /**
     * Posts a member's part of the next operation of its group now.
     * @param part the part
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryContribute(const weft_part& part, weft_err* err);

    /**
     * Requests a call from the engine, in its canonical order of simultaneous events: after all
     * arrivals and transmissions of that time.
     * @param delayPs from now, not negative
     * @param fn called with ctx and arg
     * @param ctx first argument
     * @param arg second argument
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryTimer(int64_t delayPs,
                 void (*fn)(void* ctx, uint64_t arg),
                 void* ctx,
                 uint64_t arg,
                 weft_err* err);

    /**
     * As TryTimer, for what does nothing but post messages and ask for more of its kind, and looks
     * at nothing but the clock: GetEngine()'s, as it may be called sooner than ns-3's comes there.
     * @param delayPs from now, not negative
     * @param fn called with ctx and arg
     * @param ctx first argument
     * @param arg second argument
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryPlan(int64_t delayPs,
                void (*fn)(void* ctx, uint64_t arg),
                void* ctx,
                uint64_t arg,
                weft_err* err);

    /**
     * Takes a link down or up again, now. Packets on it and waiting for it are lost, and routes
     * follow at once; a warning is logged when they can deadlock.
     * @param link number of the link in the graph
     * @param up whether it works from now on
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TrySetLink(uint32_t link, bool up, weft_err* err);

    /**
     * Changes links, now and together: down, up, another rate, bit errors.
     * @param [in,out] changes the changes; receives the packets lost by each
     * @param n how many
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryChangeLinks(weft_link_change* changes, std::size_t n, weft_err* err);

    /**
     * Lets the engine catch up with the clock, as its switches are simulated when somebody looks;
     * no result depends on it.
     *
     * @return what has been counted so far; zeros before Build
     */
    WeftTotals GetTotals();

    /**
     * As GetTotals, of one port.
     *
     * @param port a fabric port
     * @return what has been counted there so far; zeros before Build
     */
    WeftPortCounters GetPortCounters(uint32_t port);

    /**
     * @return the engine in C at the time of the clock, for its checks and explanations; null
     * before Build
     */
    weft_engine* GetEngine();

    /**
     * @return the engine in C as of the last event of the fabric; null before Build
     */
    const weft_engine* GetEngine() const;

    /**
     * @return what drives the engine
     */
    WeftPump& GetPump()
    {
        return m_pump;
    }

    /**
     * @param listener receives events of messages with the returned number; until RemoveListener
     * @return the number for weft_msg::ref, never 0
     */
    uint64_t AddListener(WeftMessageListener* listener);

    /**
     * Its messages go on without notifications.
     * @param ref what AddListener returned
     */
    void RemoveListener(uint64_t ref);

    /**
     * C callbacks in addition to the trace sources; they are called first.
     * @param hooks the hooks; NULL ones are not called
     */
    void SetHooks(const weft_engine_hooks& hooks);

    /**
     * Captures what a port sends and receives, from now on or from the first message on, as
     * Ethernet frames (engine/capture.h). The attributes Capture* say what they look like.
     * @param port the fabric port
     * @param path the file
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int TryCapture(uint32_t port, const std::string& path, weft_err* err);

    /**
     * Hands all captured frames to the operating system. It happens at the end of the fabric too.
     * @param [out] err why it, or an earlier write, failed
     * @return 0 or a WEFT_E_* code
     */
    int TryFlushCaptures(weft_err* err);

    /**
     * @param directory where the links of attribute CaptureLinks are captured
     */
    void SetCaptureDirectory(std::string directory);

    /**
     * @return where the links of attribute CaptureLinks are captured
     */
    std::string GetCaptureDirectory() const;

    /**
     * @param params what is captured and how, in place of the attributes
     */
    void SetCaptureParams(const weft_capture_params& params);

    /** Called by the trace source accessors: sets the engine's hooks anew. */
    void TraceSinksChanged();

    // Inherited
    void* GetParamStruct(const weft_param_table& table) override;
    bool AreParamsFrozen() const override;

    /**
     * A priority of a port was stopped or released by PFC.
     * @param [in] time when
     * @param [in] port the fabric port that was
     * @param [in] prio the priority
     */
    typedef void (*PfcTracedCallback)(Time time, uint32_t port, uint32_t prio);
    /**
     * A packet was dropped.
     * @param [in] time when
     * @param [in] port the fabric port that it wanted to leave by, or the one whose link lost it
     * @param [in] reason why
     * @param [in] packet the packet
     */
    typedef void (*DropTracedCallback)(Time time,
                                       uint32_t port,
                                       weft_drop_reason reason,
                                       const weft_engine_pkt_view& packet);
    /**
     * A packet was ECN-marked.
     * @param [in] time when
     * @param [in] port the fabric port whose queue marked it
     * @param [in] packet the packet
     */
    typedef void (*MarkTracedCallback)(Time time,
                                       uint32_t port,
                                       const weft_engine_pkt_view& packet);
    /**
     * A switch's egress queue changed.
     * @param [in] time when
     * @param [in] port the fabric port
     * @param [in] prio the priority
     * @param [in] bytes queued now
     */
    typedef void (*QueueTracedCallback)(Time time, uint32_t port, uint32_t prio, uint64_t bytes);
    /**
     * A packet of the IP stack was dropped in the fabric.
     * @param [in] time when
     * @param [in] port as for Drop
     * @param [in] reason why
     * @param [in] packet the packet, from its IP header on
     */
    typedef void (*FrameDropTracedCallback)(Time time,
                                            uint32_t port,
                                            weft_drop_reason reason,
                                            Ptr<const Packet> packet);
    /**
     * A message was completed.
     * @param [in] message all about it
     */
    typedef void (*MessageTracedCallback)(const weft_completion& message);
    /**
     * A link failed or came back.
     * @param [in] time when
     * @param [in] link its number in the graph
     * @param [in] up whether it works from now on
     */
    typedef void (*LinkTracedCallback)(Time time, uint32_t link, bool up);
    /**
     * An ACK or NACK arrived at the sender of a QP, or it is about to send a packet again.
     * @param [in] time when
     * @param [in] qp the QP
     * @param [in] packet the ACK, the NACK or the data packet; an ACK's sent_ps is when the packet
     * that caused it was sent, so that time - sent_ps is the round trip
     */
    typedef void (*QpPacketTracedCallback)(Time time,
                                           const weft_engine_qp_view& qp,
                                           const weft_engine_pkt_view& packet);
    /**
     * A congestion notification arrived at the sender of a QP.
     * @param [in] time when
     * @param [in] qp the QP, before the congestion control has reacted
     */
    typedef void (*QpTracedCallback)(Time time, const weft_engine_qp_view& qp);
    /**
     * The congestion control of a QP has set another rate (bit/s) or window (bytes).
     * @param [in] time when
     * @param [in] qp the QP
     * @param [in] value the new one; a window of UINT64_MAX is none
     */
    typedef void (*QpValueTracedCallback)(Time time, const weft_engine_qp_view& qp, uint64_t value);
    /**
     * A value that a congestion control lets observe has changed.
     * @param [in] time when
     * @param [in] qp the QP
     * @param [in] name the value's name in the algorithm's table ("alpha")
     * @param [in] value its new value
     */
    typedef void (*CcValueTracedCallback)(Time time,
                                          const weft_engine_qp_view& qp,
                                          const std::string& name,
                                          double value);

  private:
    friend class WeftCapture;
    friend class WeftFanOut;
    friend class WeftFrames;
    friend class WeftNetDevice;

    void DoDispose() override;

    /** Makes the engine that ranks share out. */
    void BuildShared();
    /**
     * Makes the engine, for something that needs one process.
     * @param what the thing
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int BuildForOne(const char* what, weft_err* err);
    /** Ends the program when ranks cannot look at counters now. */
    void CheckLook() const;
    /**
     * @param [out] config what the engine is to be made from
     * @param [out] err why it cannot be made
     * @return 0 or a WEFT_E_* code
     */
    int Configure(weft_engine_config& config, weft_err* err);
    /**
     * @param choice number of an entry of the table, or behind the last: what it is stays
     */
    void SetCongestionControlChoice(int choice);
    /**
     * @return the number of the congestion control, or the one behind the last
     */
    int GetCongestionControlChoice() const;
    /**
     * @return the seed for the engine
     */
    uint64_t MakeSeed() const;
    /**
     * TryTimer and TryPlan.
     * @param plans which
     * @param delayPs as theirs
     * @param fn as theirs
     * @param ctx as theirs
     * @param arg as theirs
     * @param [out] err as theirs
     * @return as theirs
     */
    int AskForTimer(bool plans,
                    int64_t delayPs,
                    void (*fn)(void* ctx, uint64_t arg),
                    void* ctx,
                    uint64_t arg,
                    weft_err* err);

    weft_fabric* m_ownGraph{nullptr};            //!< The graph, when it is ours to free.
    const weft_fabric* m_graph{nullptr};         //!< The graph.
    weft_engine_params m_params;                 //!< The attributes.
    std::string m_ccName;                        //!< Attribute CongestionControl.
    mutable Ptr<WeftCongestionControl> m_cc;     //!< The algorithm; made from m_ccName on demand.
    const weft_cc_ops* m_ccOps{nullptr};         //!< Borrowed algorithm.
    const void* m_ccParams{nullptr};             //!< Its parameters.
    uint64_t m_seed{0};                          //!< Attribute Seed.
    std::vector<uint8_t> m_ranks;                //!< By node, of ShareOut; empty: it is not shared.
    weft_peers_user m_user{};                    //!< The script of this rank.
    weft_peers m_sharedPeers{};                  //!< The ranks.
    const weft_peers* m_peers{nullptr};          //!< They are going to simulate it; null: this one.
    uint32_t m_threads{1};                       //!< They run switches and hosts.
    weft_replaying m_replay{WEFT_REPLAYING_OFF}; //!< Repeated traffic is not simulated again.
    uint64_t m_replayBytes{0};                   //!< Most memory for that.
    bool m_replayResamples{false};               //!< Messages that scatter may be, too.
    double m_replayTolerance{0};                 //!< Not 0: settled traffic may be skipped.
    uint64_t m_threadShuffle{0};                 //!< Seed of their orders, for tests.
    bool m_seedGiven{false};                     //!< SetSeed was called.
    int64_t m_stream{0};                         //!< Of AssignStreams.

    weft_engine* m_engine{nullptr}; //!< The engine.
    WeftPump m_pump;                //!< Drives it.
    WeftDevices m_devices;          //!< By port.
    WeftFanOut m_fanOut{*this};     //!< Passes on events.
    WeftFrames m_frames{*this};     //!< The packets of the IP stack.
    WeftCapture m_capture{*this};   //!< Frames as bytes.

#define WEFT_ROW(KIND, NAME, MEMBER, TYPE, ...)                                                    \
    WeftSourceOf<TYPE>::Type MEMBER; /**< Trace source NAME. */
    WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
    WeftSourceOf<FrameDropTracedCallback>::Type m_frameDrop; //!< Trace source FrameDrop.
};

} // namespace ns3

#endif /* WEFT_FABRIC_MODEL_H */
