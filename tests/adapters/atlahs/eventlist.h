/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * htsim's list of events as far as the adapter of ATLAHS uses it, for its test: names and meaning
 * are those of htsim, nothing of it is here.
 */
#ifndef WEFT_TESTS_ADAPTERS_ATLAHS_EVENTLIST_H
#define WEFT_TESTS_ADAPTERS_ATLAHS_EVENTLIST_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

using simtime_picosec = uint64_t;
class EventList;

class EventSource
{
  public:
    EventSource(EventList &list, const std::string &) : m_list(list) {}
    virtual ~EventSource() = default;
    virtual void doNextEvent() = 0;
    EventList &eventlist() const
    {
        return m_list;
    }

  private:
    EventList &m_list;
};

class EventList
{
  public:
    static simtime_picosec now()
    {
        return s_now;
    }
    static void sourceIsPending(EventSource &source, simtime_picosec when)
    {
        if (when < s_now)
            throw std::logic_error("an event in the past");
        s_pending.emplace(when, &source);
    }
    static std::multimap<simtime_picosec, EventSource *> getPendingSources()
    {
        return s_pending;
    }
    static bool doNextEvent()
    {
        if (s_pending.empty())
            return false;
        EventSource *source = s_pending.begin()->second;
        s_now = s_pending.begin()->first;
        s_pending.erase(s_pending.begin());
        source->doNextEvent();
        return true;
    }
    /** For tests: all begins anew. */
    static void clear()
    {
        s_pending.clear();
        s_now = 0;
    }

  private:
    inline static simtime_picosec s_now = 0;
    inline static std::multimap<simtime_picosec, EventSource *> s_pending;
};

#endif
