/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface of ATLAHS to networks as far as the adapter uses it, for its test. */
#ifndef WEFT_TESTS_ADAPTERS_ATLAHS_HTSIM_API_H
#define WEFT_TESTS_ADAPTERS_ATLAHS_HTSIM_API_H

#include "atlahs_event.h"
#include "eventlist.h"

#include <functional>

class AtlahsApi
{
  public:
    virtual ~AtlahsApi() = default;
    virtual void Send(const SendEvent &event, graph_node_properties node) = 0;
    virtual void Setup() = 0;
    virtual void EventFinished(const EventOver &event) = 0;
};

class AtlahsHtsimApi : public AtlahsApi
{
  public:
    void EventFinished(const EventOver &event) override
    {
        finished(event);
    }
    void setEventList(EventList *events)
    {
        list = events;
    }
    void setNumberNic(int n)
    {
        nics = n;
    }
    int getNumberNic() const
    {
        return nics;
    }
    int getHtsimNodeNumber(int host, int nic) const
    {
        return host * nics + nic;
    }
    std::function<void(const EventOver &)> finished; /* in the place of LogGOPSim */
    EventList *list = nullptr;
    int nics = 1;
};

#endif
