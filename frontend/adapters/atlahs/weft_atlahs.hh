/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft as the network of ATLAHS (LogGOPSim over htsim): AtlahsHtsimApi, whose messages go through
 * libweft. Computations stay in htsim's list of events, which keeps the clock; a source in this
 * list runs weft as far as the next event of htsim, or to the first message that is over.
 */
#ifndef WEFT_ADAPTERS_ATLAHS_HH
#define WEFT_ADAPTERS_ATLAHS_HH

#include "../client/fabric.hh"

#include "atlahs_htsim_api.h"
#include "atlahs_event.h"
#include "eventlist.h"

/** The network of ATLAHS. */
class WeftAtlahsApi : public AtlahsHtsimApi, private EventSource
{
  public:
    /**
     * Opens it; throws std::runtime_error.
     * @param events   htsim's list
     * @param scenario of weft, "" for defaults
     * @param settings "KEY=VALUE"
     * @param over     when a send is over: "delivered", or "acknowledged" as with htsim's UEC
     */
    WeftAtlahsApi(EventList &events, const std::string &scenario,
                  const std::vector<std::string> &settings, const std::string &over = "delivered");

    uint32_t Hosts() const
    {
        return m_fabric.Hosts();
    }
    void Send(const SendEvent &event, graph_node_properties node) override;
    void Setup() override {}

  private:
    void doNextEvent() override;
    /** Runs weft up to htsim's time, which events without a message may have moved. */
    void CatchUp();
    /** Puts the source into htsim's list: at @p ps where messages are over then, else not before
     * the next picosecond, so that ATLAHS posts all of the present before weft runs ahead. */
    void Wake(int64_t ps);

    WeftAdapters::Fabric m_fabric;
    int64_t m_found{WeftAdapters::kNeverPs}; //!< Time of messages that are over.
    bool m_awake{false};                     //!< The source is in htsim's list.
};

#endif
