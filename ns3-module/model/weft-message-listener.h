/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_MESSAGE_LISTENER_H
#define WEFT_MESSAGE_LISTENER_H

#include "ns3-module/engine/engine.h"

namespace ns3
{

/**
 * @ingroup weft
 * Receives the events of the messages that were posted in its name (WeftFabric::AddListener).
 */
class WeftMessageListener
{
  public:
    virtual ~WeftMessageListener() = default;
    /**
     * The last byte arrived at the receiver.
     * @param message all about it
     */
    virtual void MessageReceived(const weft_completion& message) = 0;
    /**
     * The last ACK arrived at the sender.
     * @param message all about it
     */
    virtual void MessageAcked(const weft_completion& message) = 0;
};

} // namespace ns3

#endif /* WEFT_MESSAGE_LISTENER_H */
