/* SPDX-License-Identifier: MIT */
/*
 * weft as the network of SimAI: its AstraNetworkAPI, with flow tags, over a process of `weft
 * serve`. Rank r is host r; NVSwitches of SimAI's topology are ranks, too. Messages match by
 * (source, destination, tag id of the flow), each whole, in the order of arrival; a receive's data
 * gets the flow tag of its message before its handler is called.
 */
#ifndef WEFT_ADAPTERS_SIMAI_WEFT_NETWORK_HH
#define WEFT_ADAPTERS_SIMAI_WEFT_NETWORK_HH

#include "../client/fabric.hh"

#include "astra-sim/system/AstraNetworkAPI.hh"

#include <deque>
#include <map>
#include <tuple>

namespace WeftAdapters
{

/** The network of all ranks, with what has arrived and what is waited for. */
class SimAiFabric
{
  public:
    /** Opens it; throws std::runtime_error.
     * @param sent when a sender's handler is called: "sent", as SimAI's ns-3 does, "delivered" or
     *             "acknowledged" */
    SimAiFabric(const std::string &scenario, const std::vector<std::string> &settings,
                const std::string &sent = "sent");

    using Handler = void (*)(void *);
    void Send(int src, int dst, uint64_t bytes, const AstraSim::ncclFlowTag &flow, Handler handler,
              void *arg);
    void Receive(int dst, int src, Handler handler, void *arg);

    Fabric fabric;

  private:
    struct Waiting {
        Handler handler;
        void *arg;
    };
    struct Key {
        std::deque<AstraSim::ncclFlowTag> arrived;
        std::deque<Waiting> receives;
    };
    std::map<std::tuple<int, int, int>, Key> m_keys; //!< By source, destination, tag id.
    Kind m_sent;
};

/** One rank. */
class SimAiNetwork : public AstraSim::AstraNetworkAPI
{
  public:
    SimAiNetwork(int rank, SimAiFabric &fabric) : AstraSim::AstraNetworkAPI(rank), m_fabric(fabric)
    {
    }

    int sim_comm_size(AstraSim::sim_comm comm, int *size) override;
    int sim_finish() override;
    double sim_time_resolution() override;
    int sim_init(AstraSim::AstraMemoryAPI *memory) override;
    AstraSim::timespec_t sim_get_time() override;
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) override;
    int sim_send(void *buffer, uint64_t count, int type, int dst, int tag,
                 AstraSim::sim_request *request, void (*msg_handler)(void *),
                 void *fun_arg) override;
    int sim_recv(void *buffer, uint64_t count, int type, int src, int tag,
                 AstraSim::sim_request *request, void (*msg_handler)(void *),
                 void *fun_arg) override;

  private:
    SimAiFabric &m_fabric;
};

} // namespace WeftAdapters

#endif
