/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of ASTRA-sim 2.x to networks, as far as the adapter uses it, for its test. Names
 * and signatures are those that ASTRA-sim's documentation and its backends use; nothing of it is
 * here.
 */
#ifndef WEFT_TESTS_ADAPTERS_ASTRA_NETWORK_API_HH
#define WEFT_TESTS_ADAPTERS_ASTRA_NETWORK_API_HH

#include <cstdint>

namespace AstraSim
{

enum time_type_e { SE = 0, MS, US, NS, FS };

struct timespec_t {
    time_type_e time_res;
    long double time_val;
};

struct sim_request;

class AstraNetworkAPI
{
  public:
    explicit AstraNetworkAPI(int of) : rank(of) {}
    virtual ~AstraNetworkAPI() = default;
    virtual int sim_send(void *buffer, uint64_t count, int type, int dst, int tag,
                         sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;
    virtual int sim_recv(void *buffer, uint64_t count, int type, int src, int tag,
                         sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;
    virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) = 0;
    virtual timespec_t sim_get_time() = 0;
    virtual int sim_comm_get_rank()
    {
        return rank;
    }
    virtual void sim_notify_finished() {}

  protected:
    int rank;
};

} // namespace AstraSim

#endif
