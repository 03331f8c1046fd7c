/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One persistent TCP connection that carries parts of messages from one host to another.
 *
 * Framing: a header of FRAMING_BYTES (number of the message, length of the part) and the part. The
 * bytes of a part are zeros that ns-3 does not store.
 */
#ifndef WEFT_TCP_CONNECTION_H
#define WEFT_TCP_CONNECTION_H

#include "net/net.h"
#include "tcp_hosts.h"
#include "tcp_ideal.h"

#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <deque>
#include <functional>
#include <string>

namespace weft
{

/** Counters of a connection. */
struct TcpCounters {
    uint64_t segments{0};     //!< Sent with data, again or not.
    uint64_t acks{0};         //!< Sent without data by the receiver.
    uint64_t retxPackets{0};  //!< Segments sent again.
    uint64_t retxBytes{0};    //!< Bytes of them.
    uint64_t timeouts{0};     //!< Retransmission timeouts.
    uint64_t ecnEchoes{0};    //!< ACKs with ECE that the sender received.
    uint64_t drops{0};        //!< Segments that the fabric lost.
    uint32_t cwndBytes{0};    //!< Congestion window now.
    uint32_t cwndMinBytes{0}; //!< The smallest since it is open.
    uint32_t cwndMaxBytes{0}; //!< The largest.
    int64_t srttPs{0};        //!< Smoothed round-trip time.
    int64_t busyPs{0};        //!< Time with parts not acknowledged, up to the last such.
};

/** What kept a connection from delivering: clocks, see TcpConnection::Report. */
struct TcpClocks {
    int64_t lossPs{0};    //!< Recovering from losses.
    int64_t controlPs{0}; //!< Else: something to send, and no window for it.
};

/** One connection. */
class TcpConnection
{
  public:
    static constexpr uint32_t FRAMING_BYTES = 16; //!< Of each part.

    /** What the owner is told; all are called in ns-3 events. */
    struct Listener {
        /** A part has arrived; the clocks ran that much for it. */
        std::function<void(uint64_t message, const TcpClocks &clocks)> received;
        std::function<void(uint64_t message)> acked; //!< A part was acknowledged.
        std::function<void(uint64_t message, uint64_t bytes, bool echo)>
            counted; //!< Bytes were sent again, or an ECN echo came, while this one was the oldest.
        std::function<void(const char *what)> failed; //!< The connection is lost.
        std::function<void()>
            window; //!< The congestion window of an open connection; may be empty.
    };

    /**
     * @param hosts makes sockets
     * @param src sending host
     * @param dst receiving host
     * @param prio priority
     * @param listener the owner
     */
    TcpConnection(TcpHosts &hosts, uint32_t src, uint32_t dst, uint32_t prio, Listener listener);
    ~TcpConnection();

    TcpConnection(const TcpConnection &) = delete;
    TcpConnection &operator=(const TcpConnection &) = delete;

    /**
     * Queues a part of a message.
     * @param message its number
     * @param bytes length of the part
     */
    void Post(uint64_t message, uint64_t bytes);

    /**
     * @return the counters
     */
    const TcpCounters &GetCounters() const
    {
        return m_counters;
    }

    /**
     * @param [out] c gets all but whose connection it is
     */
    void Describe(weft_net_connection &c) const;

    /**
     * @return the connection as it is for the part posted last
     */
    TcpStart GetStart() const;

    /**
     * The fabric lost a frame of the sender.
     * @param data whether it carried data
     */
    void Dropped(bool data)
    {
        m_counters.drops += data;
        m_openingLost |= !data;
    }

    /**
     * @return whether a SYN or the ACK of the handshake was lost
     */
    bool HasLostOpening() const
    {
        return m_openingLost;
    }

    /**
     * @return port of the sender, 0 when the connection has failed
     */
    uint16_t GetSourcePort() const;

    /**
     * @return hash of the flow of data, as the fabric computes it
     */
    uint32_t GetFlow() const;

    /**
     * @return whether the connection is established
     */
    bool IsConnected() const
    {
        return m_connected;
    }

    /**
     * @return payload that has come to the receiver
     */
    uint64_t GetArrivedBytes() const
    {
        return m_taken;
    }

    /**
     * Looks whether it gets on: bytes beyond those acknowledged before.
     * @param atPs now
     * @param afterPs time without progress, to which 64 retransmission timeouts and slow links add
     * @param changedPs when links changed last
     * @param slowestPs what the longest queue of the slowest link takes
     * @return whether; WEFT_MOTION_NONE: nothing is under way
     */
    weft_motion Motion(int64_t atPs, int64_t afterPs, int64_t changedPs, int64_t slowestPs);

    /**
     * @return whether the last look found that it does not get on
     */
    bool IsStuck() const
    {
        return m_stuck;
    }

    /**
     * @return since when it has not, and what is known
     */
    std::string Progress() const;

  private:
    /** A part on its way. */
    struct Part {
        uint64_t message; //!< Number.
        uint64_t bytes;   //!< Length.
        uint64_t end;     //!< Offset in the stream after its last byte.
        TcpClocks posted; //!< The clocks when it was posted.
        int64_t controlPs{
            -1}; //!< How much control's ran until its last byte was sent; -1: it was not.
    };

    /**
     * Connects the traces of the sender, or disconnects them.
     * @param on whether they are to be connected
     */
    void Trace(bool on);
    void Connected(ns3::Ptr<ns3::Socket> socket);
    void Failed(ns3::Ptr<ns3::Socket> socket);
    void Accepted(ns3::Ptr<ns3::Socket> socket, const ns3::Address &from);
    void Room(ns3::Ptr<ns3::Socket> socket, uint32_t bytes);
    void Read(ns3::Ptr<ns3::Socket> socket);
    void Take(ns3::Ptr<const ns3::Packet> packet);
    void Acked(ns3::SequenceNumber32 before, ns3::SequenceNumber32 after);
    void Sent(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader &header,
              ns3::Ptr<const ns3::TcpSocketBase> socket);
    void Answered(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader &header,
                  ns3::Ptr<const ns3::TcpSocketBase> socket);
    void Heard(ns3::Ptr<const ns3::Packet> packet, const ns3::TcpHeader &header,
               ns3::Ptr<const ns3::TcpSocketBase> socket);
    void RtoChanged(ns3::Time before, ns3::Time after);
    void WindowChanged(uint32_t before, uint32_t after);
    void StateChanged(ns3::TcpSocketState::TcpCongState_t before,
                      ns3::TcpSocketState::TcpCongState_t after);
    /**
     * Brings the clocks up to now, before anything that they go by changes. A sender that has more
     * to send than it has sent waits for its window: it hands its NIC at once what that allows.
     */
    void Report();
    void RttChanged(ns3::Time before, ns3::Time after);
    /**
     * \param message one that a part has arrived of
     * \return how much the clocks have run for it
     */
    TcpClocks ClocksOf(uint64_t message);
    /** Gives the socket what it has room for. */
    void Fill();
    /** Fill as an event of the sending node. */
    void FillSoon();

    Listener m_listener;               //!< The owner.
    TcpCounters m_counters;            //!< Counters.
    uint32_t m_node;                   //!< Of the sender.
    ns3::Ptr<ns3::Socket> m_listening; //!< Waits for the connection.
    ns3::Ptr<ns3::Socket> m_sender;    //!< Sends.
    ns3::Ptr<ns3::Socket> m_receiver;  //!< Receives.
    uint32_t m_ackEvery;               //!< Segments per ACK within a message.
    uint32_t m_segmentBytes;           //!< Of a full segment.
    uint32_t m_initialWindow;          //!< Segments.
    uint32_t m_sendBufferBytes;        //!< Of the sender.
    uint32_t m_mostBytes;              //!< The same, or the receiver's if that is smaller.
    bool m_quick{false};               //!< Receiver: the next segment is acknowledged at once.
    bool m_connected{false};           //!< Established.
    bool m_openingLost{false};         //!< A frame of the sender without data was lost.
    bool m_filling{false};             //!< FillSoon is scheduled.
    uint16_t m_port{0};                //!< Of the receiver; 0: the connection has failed.

    std::deque<Part> m_parts;      //!< Not acknowledged yet, oldest first.
    std::size_t m_next{0};         //!< Part in m_parts to be given to the socket next.
    std::size_t m_sent{0};         //!< Parts in m_parts that have been sent.
    uint64_t m_given{0};           //!< Bytes of the stream given to the socket.
    uint64_t m_posted{0};          //!< Bytes of the stream.
    uint64_t m_acked{0};           //!< Bytes acknowledged.
    uint64_t m_top{0};             //!< Offset of the first byte never sent.
    TcpClocks m_clocks;            //!< What has kept it.
    int64_t m_toldPs{0};           //!< They are right up to here.
    bool m_recovering{false};      //!< From a loss, or from what looks like one.
    int64_t m_openedPs;            //!< When it was made.
    int64_t m_busySincePs{0};      //!< When m_parts became non-empty.
    int64_t m_sentPs{0};           //!< When a segment was sent last.
    int64_t m_rtoPs{0};            //!< Retransmission timeout.
    uint64_t m_markAcked{0};       //!< At the last look with progress: bytes acknowledged.
    int64_t m_markPs{-1};          //!< When that was; -1: nothing was under way at the last look.
    bool m_stuck{false};           //!< The last look found that it does not get on.
    uint8_t m_head[FRAMING_BYTES]; //!< Receiver: header being read.
    uint32_t m_headBytes{0};       //!< Bytes of it.
    uint64_t m_body{0};            //!< Bytes of the part still to come.
    uint64_t m_taken{0};           //!< Bytes of parts that have come.
};

} // namespace weft

#endif /* WEFT_TCP_CONNECTION_H */
