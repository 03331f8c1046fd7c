/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft as the network of ASTRA-sim 2.x: AstraNetworkAPI over libweft. One Fabric serves all ranks;
 * rank r is host r. Handlers are called between two instants of the network, in the order of
 * (time, posting), each once.
 */
#ifndef WEFT_ADAPTERS_ASTRA_SIM_WEFT_NETWORK_HH
#define WEFT_ADAPTERS_ASTRA_SIM_WEFT_NETWORK_HH

#include "../client/fabric.hh"

#include "astra-sim/common/AstraNetworkAPI.hh"

namespace WeftAdapters
{

/** Options of a network for NetworkApi.
 * @param scenario of weft, "" for defaults
 * @param settings "KEY=VALUE"
 * @param sent     when handlers of senders are called, "acknowledged" as with ns-3, or "delivered"
 *                 as with the analytical backends */
Options AstraOptions(const std::string &scenario, const std::vector<std::string> &settings,
                     const std::string &sent);

/** One rank. */
class NetworkApi : public AstraSim::AstraNetworkAPI
{
  public:
    NetworkApi(int rank, Fabric &fabric);

    int sim_send(void *buffer, uint64_t count, int type, int dst, int tag,
                 AstraSim::sim_request *request, void (*msg_handler)(void *fun_arg),
                 void *fun_arg) override;
    int sim_recv(void *buffer, uint64_t count, int type, int src, int tag,
                 AstraSim::sim_request *request, void (*msg_handler)(void *fun_arg),
                 void *fun_arg) override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *fun_arg),
                      void *fun_arg) override;
    AstraSim::timespec_t sim_get_time() override;
    void sim_notify_finished() override;

    bool Finished() const
    {
        return m_finished;
    }

  private:
    Fabric &m_fabric;
    bool m_finished{false};
};

} // namespace WeftAdapters

#endif
