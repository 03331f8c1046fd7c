/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients and servers of storage. */
#include "workload/traffic/servers.h"

#include "workload/workload.h"

#include <inttypes.h>

int weft_servers_ranks(const char *workload, uint64_t ranks, uint64_t servers, uint64_t stripes,
                       uint64_t replicas, uint32_t room, uint32_t *n, struct weft_err *err)
{
    if (weft_workload_ranks(workload, ranks, room, n, err))
        return err->code;
    if (servers >= *n)
        return weft_err_set(err, WEFT_E_INPUT,
                            "servers is %" PRIu64 ", which leaves none of %u ranks for clients",
                            servers, *n);
    if (stripes > servers)
        return weft_err_set(err, WEFT_E_INPUT,
                            "stripe-count is %" PRIu64 ", but there are %" PRIu64 " servers",
                            stripes, servers);
    if (replicas > servers)
        return weft_err_set(err, WEFT_E_INPUT,
                            "replicas is %" PRIu64 ", but there are %" PRIu64 " servers", replicas,
                            servers);
    return 0;
}
