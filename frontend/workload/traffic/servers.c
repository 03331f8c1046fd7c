/* SPDX-License-Identifier: GPL-2.0-only */
/* Clients and servers of storage; models by name. */
#include "workload/traffic/servers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void *weft_servers_new(size_t size, size_t client_size, const struct weft_slots *pending,
                       uint64_t servers, uint64_t seed, const struct weft_flow_site *site,
                       struct weft_err *err)
{
    struct weft_servers *s = (struct weft_servers *)calloc(1, size);
    const uint32_t nclients = site->nranks - (uint32_t)servers;
    if (s)
        s->clients = calloc(nclients, client_size);
    if (!s || !s->clients) {
        free(s);
        weft_err_no_memory(err, "flows");
        return NULL;
    }
    s->nclients = nclients;
    s->nservers = (uint32_t)servers;
    s->seed = site->seed + seed - 1;
    s->pending = *pending;
    return s;
}

void weft_servers_free(struct weft_reactor *r)
{
    struct weft_servers *s = (struct weft_servers *)r;
    weft_reactor_release(r);
    weft_slots_release(&s->pending);
    free(s->clients);
    free(s);
}

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

const struct weft_model *weft_servers_model(const char *name, struct weft_err *err)
{
    const char *names[64];
    size_t n;
    const struct weft_model *m = weft_models(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(m[i].name, name) == 0)
            return &m[i];
        names[i < 64 ? i : 63] = m[i].name;
    }
    const char *near = weft_nearest(name, names, n < 64 ? n : 64);
    weft_err_set(err, WEFT_E_INPUT, "unknown model '%s'; did you mean '%s'?", name,
                 near ? near : m[0].name);
    return NULL;
}
