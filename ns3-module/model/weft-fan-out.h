/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_FAN_OUT_H
#define WEFT_FAN_OUT_H

#include "ns3-module/engine/engine.h"
#include "weft-message-listener.h"
#include "weft-trace-source.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class WeftFabric;
class WeftNetDevice;

/**
 * @ingroup weft
 * Passes the engine's events on: to C hooks, to the trace sources of the fabric and of its devices,
 * to captures and to message listeners. The engine is told which of its hooks have somebody behind
 * them, so that the others cost nothing.
 */
class WeftFanOut
{
  public:
    /** What a device has trace sources for; one for all sources that the same hook feeds. */
    enum PortTrace
    {
        PFC,
        DROP,
        MARK,
        QUEUE,
        LINK,
        START,
        MESSAGE,
        ACKED,
        ACK,      //!< These five in the order of weft_qp_event.
        NACK,     //!< See ACK.
        CNP,      //!< See ACK.
        RETX,     //!< See ACK.
        RATE,     //!< See ACK; rate, window and values of the congestion control.
        SENT,     //!< These three in the order of weft_pkt_event.
        RECEIVED, //!< See SENT.
        QUEUED,   //!< See SENT.
        SNIFF,
        TRACES
    };

    /**
     * @param fabric whose engine it listens to
     */
    explicit WeftFanOut(WeftFabric& fabric);

    WeftFanOut(const WeftFanOut&) = delete;
    WeftFanOut& operator=(const WeftFanOut&) = delete;

    /**
     * The engine is about to be made.
     * @param ports how many the fabric has
     */
    void Start(uint32_t ports);

    /** Works out anew which events the engine has to report: a capture began, or hooks were set. */
    void Update();

    /**
     * The same when only the sinks or captures of one port have come or gone.
     * @param port the port
     */
    void UpdatePort(uint32_t port);

    /** The same when only sinks of the fabric have come or gone. */
    void SetEngineHooks();

    /**
     * @return the hooks that somebody listens to
     */
    weft_engine_hooks MakeHooks();

    /**
     * @param hooks C callbacks, which are called first; NULL ones are not called
     */
    void SetHooks(const weft_engine_hooks& hooks);

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
     * @param trace a kind of trace
     * @param port the port whose device has sinks for it, or none any more
     * @param on whether it has
     */
    void SetPortSinks(PortTrace trace, uint32_t port, bool on);

  private:
    // The engine's hooks; ctx is the fabric.
    static void OnPosted(void* ctx, const weft_completion* done);
    static void OnReceived(void* ctx, const weft_completion* done);
    static void OnAcked(void* ctx, const weft_completion* done);
    static void OnPfc(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int pause);
    static void OnCredit(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, int out);
    static void OnDrop(void* ctx,
                       int64_t tPs,
                       uint32_t port,
                       weft_drop_reason why,
                       const weft_engine_pkt_view* pkt);
    static void OnMark(void* ctx, int64_t tPs, uint32_t port, const weft_engine_pkt_view* pkt);
    static void OnQueue(void* ctx, int64_t tPs, uint32_t port, uint32_t prio, uint64_t bytes);
    static void OnLink(void* ctx, int64_t tPs, uint32_t link, int up);
    static void OnPacket(void* ctx,
                         int64_t tPs,
                         uint32_t port,
                         weft_pkt_event what,
                         const weft_engine_pkt_view* pkt);
    static void OnQp(void* ctx,
                     int64_t tPs,
                     weft_qp_event what,
                     const weft_engine_qp_view* qp,
                     const weft_engine_pkt_view* pkt);

    /**
     * @param trace a kind of trace
     * @return whether the fabric or a device has sinks for it
     */
    bool HasSinks(PortTrace trace) const;
    /**
     * @param port the port whose m_packetEvents are worked out anew
     */
    void UpdatePacketEvents(uint32_t port);
    /**
     * @param [out] h gets the hooks of packets and QPs
     */
    void MakePacketHooks(weft_engine_hooks& h);
    /**
     * Sinks of one port: those of the fabric receive its number.
     * @param all the fabric's trace source
     * @param own the device's
     * @param time when
     * @param port the port
     * @param args what else
     */
    template <typename ALL, typename OWN, typename... Args>
    void TellPort(ALL& all,
                  WeftTraceSourceMember<WeftNetDevice, OWN> own,
                  Time time,
                  uint32_t port,
                  const Args&... args);
    /**
     * Sinks of a QP: the device is the one that it sends through.
     * @param all the fabric's trace source
     * @param own the device's
     * @param time when
     * @param qp the QP
     * @param args what else
     */
    template <typename SOURCE, typename... Args>
    void TellQp(SOURCE& all,
                WeftTraceSourceMember<WeftNetDevice, SOURCE> own,
                Time time,
                const weft_engine_qp_view& qp,
                const Args&... args);
    /**
     * Sinks of a message, which a host reports on its first port.
     * @param all the fabric's trace source
     * @param own the device's
     * @param host a host number
     * @param done the message
     */
    template <typename SOURCE>
    void TellHost(SOURCE& all,
                  WeftTraceSourceMember<WeftNetDevice, SOURCE> own,
                  uint32_t host,
                  const weft_completion& done);
    /**
     * The congestion control of a QP has decided.
     * @param time when
     * @param qp the QP
     */
    void TellRate(Time time, const weft_engine_qp_view& qp);

    /** What the traces of a QP's congestion control showed last. */
    struct QpShown
    {
        bool known{false};          //!< Something was shown.
        uint64_t rateBps{0};        //!< QpRate.
        uint64_t windowBytes{0};    //!< QpWindow.
        std::vector<double> values; //!< CcValue.
    };

    /**
     * The same, of the values that it lets observe.
     * @param time when
     * @param qp the QP
     * @param [in,out] shown the values reported last
     */
    void TellValues(Time time, const weft_engine_qp_view& qp, QpShown& shown);
    /**
     * @param ref a message's ref
     * @return the listener that it names, or null
     */
    WeftMessageListener* FindListener(uint64_t ref) const;

    WeftFabric& m_fabric;                          //!< Whose engine it listens to.
    weft_engine_hooks m_hooks;                     //!< Of SetHooks.
    std::vector<WeftMessageListener*> m_listeners; //!< By number; null: was removed.
    int64_t m_portSinks[TRACES]{};                 //!< Devices with sinks, by kind.
    std::vector<uint8_t> m_packetEvents;           //!< By port; for the engine's hooks.
    std::vector<QpShown> m_shown;                  //!< By QP number.
};

} // namespace ns3

#endif /* WEFT_FAN_OUT_H */
