/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_INCAST_H
#define WEFT_INCAST_H

#include "weft-application.h"

#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"

#include <map>

namespace ns3
{

/**
 * @ingroup weft
 * Rounds in which many hosts send to this one at once, as a parallel read does.
 *
 * The senders of a round are all peers, or FanIn of them drawn without replacement. A message's tag
 * is the number of its round.
 */
class WeftIncast : public WeftApplication
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    WeftIncast();

    // Inherited
    int64_t AssignStreams(int64_t stream) override;

  private:
    /** A round under way. */
    struct Round
    {
        Time start;           //!< When its messages were posted.
        uint64_t outstanding; //!< How many have not arrived.
    };

    void Start() override;
    void Received(const weft_completion& message) override;
    void DoDispose() override;

    /**
     * Starts the next round, and plans the one after it where the interval says so.
     */
    void Next();

    uint64_t m_bytes{0};               //!< Attribute Bytes.
    uint32_t m_fanIn{0};               //!< Attribute FanIn.
    uint32_t m_rounds{0};              //!< Attribute Rounds.
    Time m_interval;                   //!< Attribute Interval.
    uint32_t m_started{0};             //!< Rounds started.
    std::map<uint64_t, Round> m_open;  //!< Rounds under way, by number.
    Ptr<UniformRandomVariable> m_draw; //!< Chooses the senders.
    EventId m_next;                    //!< The next round.

    TracedCallback<uint32_t, Time> m_roundComplete; //!< Trace source RoundComplete.
};

} // namespace ns3

#endif /* WEFT_INCAST_H */
