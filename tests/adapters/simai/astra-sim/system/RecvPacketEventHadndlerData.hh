/* SPDX-License-Identifier: GPL-2.0-only */
/* What SimAI gives to the handler of a receive, as far as the adapter uses it. */
#ifndef WEFT_TESTS_ADAPTERS_SIMAI_RECEIVE_DATA_HH
#define WEFT_TESTS_ADAPTERS_SIMAI_RECEIVE_DATA_HH

#include "AstraNetworkAPI.hh"

namespace AstraSim
{

struct RecvPacketEventHadndlerData {
    ncclFlowTag flowTag;
};

} // namespace AstraSim

#endif
