/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_APPLICATION_H
#define WEFT_APPLICATION_H

#include "weft-fabric.h"
#include "weft-message-listener.h"

#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * Base of the applications that send RoCE messages. It runs on a host node of a fabric, finds the
 * fabric through the node's first WeftNetDevice, and receives the events of its own messages.
 *
 * From its stop time on an application posts nothing; messages under way go on.
 */
class WeftApplication : public Application, private WeftMessageListener
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftApplication();
    ~WeftApplication() override;

    /**
     * @param node a host node of a fabric
     * @return its host number; fatal when the node is no host of a fabric
     */
    static uint32_t GetHostNumber(Ptr<Node> node);

    /**
     * @param hosts the hosts that the application deals with, in place of all others of the fabric
     */
    void SetPeers(const std::vector<uint32_t>& hosts);

    /**
     * @return messages posted so far
     */
    uint64_t GetPosted() const;

    /**
     * @return of these, how many have arrived completely
     */
    uint64_t GetReceived() const;

    /**
     * @return payload bytes of the messages that have arrived
     */
    uint64_t GetReceivedBytes() const;

    /**
     * Fixes the streams of the application's random variables.
     * @param stream first stream number
     * @return the number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * A message of the application was posted, has arrived, or is acknowledged.
     * @param [in] message all about it; times that have not come are 0
     */
    typedef void (*MessageTracedCallback)(const weft_completion& message);
    /**
     * A round of messages is complete.
     * @param [in] round its number, from 0
     * @param [in] duration since its first message was posted
     */
    typedef void (*RoundTracedCallback)(uint32_t round, Time duration);

  protected:
    void DoDispose() override;

    /**
     * @return the fabric of the node
     */
    Ptr<WeftFabric> GetFabric();
    /**
     * @return the host number of the node
     */
    uint32_t GetHost();
    /**
     * @return sum of the rates of the host's ports
     */
    uint64_t GetHostRate();
    /**
     * @return the peers: as set, or every other host of the fabric
     */
    const std::vector<uint32_t>& GetPeers();
    /**
     * @return whether the application is between its start and its stop
     */
    bool IsRunning() const;
    /**
     * Posts a message now; a mistake is fatal.
     * @param src sending host
     * @param dst receiving host
     * @param bytes payload
     * @param tag carried along
     */
    void Post(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag);
    /**
     * Posts what is due first; called at the start time.
     */
    virtual void Start() = 0;
    /**
     * @param message one of the application's messages that has arrived
     */
    virtual void Received(const weft_completion& message);
    /**
     * @param message one of the application's messages whose last ACK has arrived
     */
    virtual void Acked(const weft_completion& message);

  private:
    void StartApplication() override;
    void StopApplication() override;
    void MessageReceived(const weft_completion& message) override;
    void MessageAcked(const weft_completion& message) override;

    /**
     * Finds fabric and host number on first use.
     */
    void Bind();

    uint8_t m_prio{0};             //!< Attribute Priority.
    uint32_t m_qp{0};              //!< Attribute Qp.
    Ptr<WeftFabric> m_fabric;      //!< Of the node.
    uint32_t m_host{0};            //!< Of the node.
    uint64_t m_ref{0};             //!< The fabric's number of this listener.
    std::vector<uint32_t> m_peers; //!< As set, or all others once used.
    bool m_running{false};         //!< Between start and stop.
    uint64_t m_posted{0};          //!< Messages.
    uint64_t m_received{0};        //!< Messages.
    uint64_t m_receivedBytes{0};   //!< Payload.

    TracedCallback<const weft_completion&> m_postedTrace;   //!< Trace source MessagePosted.
    TracedCallback<const weft_completion&> m_receivedTrace; //!< Trace source MessageReceived.
    TracedCallback<const weft_completion&> m_ackedTrace;    //!< Trace source MessageAcked.
};

} // namespace ns3

#endif /* WEFT_APPLICATION_H */
