/* SPDX-License-Identifier: GPL-2.0-only */
/* What libweft.so has besides the verbs: the backends, and its part on ns-3, which it opens when a
 * network needs it. */
#include "lib/sim.h"

#include "parts/part.h"

#include "ns3-module/bridge/bridge.h"
#ifdef WEFT_NS3_VERSION
#include "ns3-module/bridge/ns3_part.h"
#endif

#include <pthread.h>

weft_sim *weft_sim_open(const char *scenario, const char *const *settings, size_t n,
                        const struct weft_sim_options *options, struct weft_error *error)
{
    static const struct weft_net_backend *const backends[] = {&weft_net_packet, &weft_net_ideal};
    return sim_open(backends, sizeof backends / sizeof *backends, scenario, settings, n, options,
                    error);
}

const char *weft_sim_version(void)
{
    return WEFT_PART_VERSION;
}

#ifdef WEFT_NS3_VERSION
int weft_ns3_part_get(const struct weft_ns3_part **out, struct weft_err *err)
{
    static const struct weft_part_file file = {"libweft-ns3.so", "weft_ns3_part",
                                               "this network needs ns-3", 20};
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    static const void *part; /* stays open, for all networks */
    pthread_mutex_lock(&one);
    const int rc = weft_part_open(&file, &part, err);
    *out = (const struct weft_ns3_part *)part;
    pthread_mutex_unlock(&one);
    return rc;
}

const char *weft_ns3_version(void)
{
    return WEFT_NS3_VERSION;
}
#endif
