/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * weft as the network of ASTRA-sim 2.x: AstraNetworkAPI over libweft. One WeftFabric serves all
 * ranks; rank r is host r. Handlers are called between two instants of the network, in the order of
 * (time, posting), each once.
 */
#ifndef WEFT_ADAPTERS_ASTRA_SIM_WEFT_NETWORK_HH
#define WEFT_ADAPTERS_ASTRA_SIM_WEFT_NETWORK_HH

#include "astra-sim/common/AstraNetworkAPI.hh"

#include <weft.h>

#include <string>
#include <vector>

namespace WeftAstraSim
{

/** When a sender is told that its message was sent. */
enum class Sent {
    Acknowledged, //!< It has the last acknowledgement, as with ns-3.
    Delivered     //!< The receiver has the last byte, as with the analytical backends.
};

/** The network of all ranks. */
class Fabric
{
  public:
    /**
     * Opens it; throws std::runtime_error.
     * @param scenario of weft, "" for defaults
     * @param settings "KEY=VALUE"
     * @param sent when senders are told
     */
    Fabric(const std::string &scenario, const std::vector<std::string> &settings,
           Sent sent = Sent::Acknowledged);
    ~Fabric();
    Fabric(const Fabric &) = delete;
    Fabric &operator=(const Fabric &) = delete;

    uint32_t Hosts() const;
    int64_t NowPs() const;

    using Handler = void (*)(void *);
    void Send(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t tag, Handler handler, void *arg);
    void Receive(uint32_t dst, uint32_t src, uint64_t tag, Handler handler, void *arg);
    void Schedule(int64_t delayPs, Handler handler, void *arg);

    /**
     * Runs until nothing is left to happen, and calls handlers on the way.
     * @return what waits for something that does not come, a sentence each; empty: all is done
     */
    std::vector<std::string> Run();

  private:
    struct Call {
        Handler handler;
        void *arg;
    };
    uint64_t Keep(Handler handler, void *arg);
    void Check(int64_t rc) const;
    void Dispatch(const weft_event &event);

    weft_sim *m_sim;
    Sent m_sent;
    std::vector<Call> m_calls;    //!< By the number given with what was posted.
    std::vector<uint64_t> m_free; //!< Numbers that are free.
};

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

} // namespace WeftAstraSim

#endif
