/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages over persistent TCP connections: what the engine's QPs do for RoCE.
 *
 * Between two hosts, for each priority and QP number, there are tcp.connections connections, opened
 * by the first message. A message is cut into as many parts of equal length, but into no more than
 * it has full segments. Messages of one such group are handed to the receiver in the order in which
 * they were posted.
 */
#ifndef WEFT_TCP_MESSAGES_H
#define WEFT_TCP_MESSAGES_H

#include "net/net.h"
#include "tcp_connection.h"
#include "tcp_ideal.h"

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace weft
{

/** Sums over all connections, and of messages. */
struct TcpTotals {
    uint64_t posted{0};        //!< Messages.
    uint64_t received{0};      //!< Messages.
    uint64_t acked{0};         //!< Messages.
    uint64_t bytesPosted{0};   //!< Of messages.
    uint64_t bytesReceived{0}; //!< Of messages.
    TcpCounters sums;          //!< Over all connections.
};

/** The messages of a fabric that travel by TCP. */
class TcpMessages
{
  public:
    /** What the owner is told, in ns-3 events. */
    struct Listener {
        std::function<void(const weft_completion &)> received;   //!< At the receiver.
        std::function<void(const weft_completion &)> acked;      //!< At the sender.
        std::function<void(const weft_err &)> failed;            //!< A connection is lost.
        std::function<void(const weft_net_connection &)> window; //!< Has changed; may be empty.
    };

    /**
     * @param fabric built
     * @param transport section transport
     * @param tcp section tcp
     * @param seed of the run
     * @param listener the owner
     */
    TcpMessages(ns3::Ptr<ns3::WeftFabric> fabric, const weft_packet_transport &transport,
                const weft_tcp_params &tcp, uint64_t seed, Listener listener);

    ~TcpMessages();

    TcpMessages(const TcpMessages &) = delete;
    TcpMessages &operator=(const TcpMessages &) = delete;

    /**
     * Posts a message now.
     * @param id its number, for the listener
     * @param msg the message, with its priority
     * @param [out] err why it failed
     * @return 0 or a WEFT_E_* code
     */
    int Send(uint64_t id, const weft_msg &msg, weft_err *err);

    /**
     * @return the sums
     */
    TcpTotals GetTotals() const;

    /**
     * Says of unfinished messages where they are.
     * @param max at most so many
     * @param fn called with a sentence on each
     * @return the number unfinished
     */
    uint64_t Explain(uint64_t max, const std::function<void(const char *)> &fn) const;

    /**
     * @return payload that has come to hosts, with what there is of unfinished messages
     */
    uint64_t GetArrivedBytes() const;

    /**
     * Says of each connection that the last look found without progress what is known of it.
     * @param max most sentences
     * @param fn called with each
     * @return how many such connections there are
     */
    uint64_t ExplainStuck(uint64_t max, const std::function<void(const char *)> &fn) const;

    /**
     * Looks whether messages get on, as weft_engine_motion does.
     * @param atPs now
     * @param afterPs time without progress, to which slow timers and links add
     * @return whether
     */
    weft_motion Motion(int64_t atPs, int64_t afterPs);

    /**
     * @param fn called with each connection, in the order of net.h
     */
    void EachConnection(const std::function<void(const weft_net_connection &)> &fn) const;

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>; //!< src, dst, prio, QP.

    /** Connections between two hosts. */
    struct Group {
        std::vector<std::unique_ptr<TcpConnection>> connections; //!< At least one.
        std::deque<uint64_t> undelivered;                        //!< Messages, in order.
    };

    /** A message under way. */
    struct Message {
        weft_completion done;         //!< What is known.
        Group *group;                 //!< Its connections.
        weft_engine_mark since;       //!< When it was posted.
        std::vector<TcpStart> starts; //!< The connections of its parts, when it was posted.
        uint32_t partsToReceive;      //!< Parts that have not arrived.
        uint32_t partsToAck;          //!< Parts not acknowledged.
        bool delivered;               //!< The receiver was told.
        TcpClocks clocks;             //!< What the part that came last waited for.
    };

    /**
     * @param msg a message
     * @return its connections, opened if need be
     */
    Group &GetGroup(const weft_msg &msg);
    /**
     * @param key whose connections
     * @param number which of them
     * @return it, as it is now
     */
    weft_net_connection Describe(const Key &key, uint32_t number) const;
    /**
     * @param message has just arrived
     * @return the least that it can take
     */
    int64_t IdealPs(const Message &message) const;
    /**
     * Fills in what delayed a message.
     * \param message one that has arrived, with its ideal time
     */
    void FillDelays(Message &message) const;
    /** The fabric lost a packet. */
    void Dropped(ns3::Time time, uint32_t port, weft_drop_reason why,
                 ns3::Ptr<const ns3::Packet> packet);
    /**
     * A part has arrived.
     * \param id its message
     * \param clocks what it waited for
     */
    void Received(uint64_t id, const TcpClocks &clocks);
    void Acked(uint64_t id);
    void Counted(uint64_t id, uint64_t retxBytes, bool echo);
    /**
     * Tells the sender if everything has happened.
     * @param id a message
     */
    void Finish(uint64_t id);

    ns3::Ptr<ns3::WeftFabric> m_fabric;                      //!< The fabric.
    TcpHosts m_hosts;                                        //!< Nodes.
    uint32_t m_connections;                                  //!< Per group.
    Listener m_listener;                                     //!< The owner.
    std::map<Key, Group> m_groups;                           //!< All connections.
    std::unordered_map<uint64_t, Message> m_messages;        //!< Under way, by number.
    std::unordered_map<uint64_t, TcpConnection *> m_senders; //!< By address and port.
    TcpTotals m_totals;                                      //!< Without the sums.
};

} // namespace weft

#endif /* WEFT_TCP_MESSAGES_H */
