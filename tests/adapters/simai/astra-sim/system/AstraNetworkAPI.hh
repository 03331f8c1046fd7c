/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SimAI's interface to networks, as far as the adapter uses it, for its test. Names and signatures
 * are those that its backends use; nothing of it is here.
 */
#ifndef WEFT_TESTS_ADAPTERS_SIMAI_NETWORK_API_HH
#define WEFT_TESTS_ADAPTERS_SIMAI_NETWORK_API_HH

#include <cstdint>
#include <string>
#include <vector>

namespace AstraSim
{

class AstraMemoryAPI;

struct sim_comm {
    std::string comm_name;
};

enum time_type_e { SE, MS, US, NS, FS };

struct timespec_t {
    time_type_e time_res;
    double time_val;
};

struct ncclFlowTag {
    int channel_id = -1, chunk_id = -1, current_flow_id = -1, child_flow_id = -1;
    int sender_node = -1, receiver_node = -1;
    uint64_t flow_size = 0;
    void *pQps = nullptr;
    int tag_id = -1;
    std::vector<int> tree_flow_list;
    bool nvls_on = false;
};

struct sim_request {
    ncclFlowTag flowTag;
};

class AstraNetworkAPI
{
  public:
    explicit AstraNetworkAPI(int of) : rank(of) {}
    virtual ~AstraNetworkAPI() = default;
    virtual int sim_comm_size(sim_comm comm, int *size) = 0;
    virtual int sim_comm_get_rank()
    {
        return rank;
    }
    virtual int sim_finish() = 0;
    virtual double sim_time_resolution() = 0;
    virtual int sim_init(AstraMemoryAPI *memory) = 0;
    virtual timespec_t sim_get_time() = 0;
    virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void *), void *fun_arg) = 0;
    virtual int sim_send(void *buffer, uint64_t count, int type, int dst, int tag,
                         sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;
    virtual int sim_recv(void *buffer, uint64_t count, int type, int src, int tag,
                         sim_request *request, void (*msg_handler)(void *), void *fun_arg) = 0;

  protected:
    int rank;
};

} // namespace AstraSim

#endif
