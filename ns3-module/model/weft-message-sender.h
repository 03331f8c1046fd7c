/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_MESSAGE_SENDER_H
#define WEFT_MESSAGE_SENDER_H

#include "weft-application.h"

#include "ns3/event-id.h"

namespace ns3
{

/**
 * @ingroup weft
 * Sends messages of one size to one host: the next one when the last one is acknowledged, or one
 * per interval.
 */
class WeftMessageSender : public WeftApplication
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

  private:
    void Start() override;
    void Acked(const weft_completion& message) override;
    void DoDispose() override;

    /**
     * Posts one message, and plans the next one where the interval says so.
     */
    void Next();

    uint32_t m_remote{0}; //!< Attribute RemoteHost.
    uint64_t m_bytes{0};  //!< Attribute Bytes.
    uint64_t m_count{0};  //!< Attribute Count.
    uint64_t m_tag{0};    //!< Attribute Tag.
    Time m_interval;      //!< Attribute Interval.
    EventId m_next;       //!< The next post.
};

} // namespace ns3

#endif /* WEFT_MESSAGE_SENDER_H */
