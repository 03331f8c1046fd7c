/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of ATLAHS as far as the adapter uses them, for its test; nothing of ATLAHS is here. */
#ifndef WEFT_TESTS_ADAPTERS_ATLAHS_EVENT_H
#define WEFT_TESTS_ADAPTERS_ATLAHS_EVENT_H

#include <cstdint>

struct graph_node_properties {
    uint64_t time, starttime, size;
    uint32_t target, host, offset, tag;
    uint8_t proc, nic;
    char type;
};

enum class AtlahsEventType { SEND_EVENT_OVER, RECV_EVENT_OVER, COMPUTE_EVENT_OVER };

class SendEvent
{
  public:
    SendEvent(int a, int b, int bytes, int c, uint64_t at)
        : from(a), to(b), size_bytes(bytes), tag(c), start_time_event(at)
    {
    }
    int getFrom() const
    {
        return from;
    }
    int getTo() const
    {
        return to;
    }
    int getSizeBytes() const
    {
        return size_bytes;
    }
    int getTag() const
    {
        return tag;
    }
    uint64_t getStartTimeEvent() const
    {
        return start_time_event;
    }
    int from, to, size_bytes, tag;
    uint64_t start_time_event;
};

class EventOver : public SendEvent
{
  public:
    EventOver(int a, int b, int bytes, int c, uint64_t at, AtlahsEventType type)
        : SendEvent(a, b, bytes, c, at), event_type(type)
    {
    }
    graph_node_properties *node = nullptr;
    AtlahsEventType event_type;
};

#endif
