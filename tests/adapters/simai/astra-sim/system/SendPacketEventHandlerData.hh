/* SPDX-License-Identifier: GPL-2.0-only */
/* What SimAI gives to the handler of a send, as far as the adapter uses it. */
#ifndef WEFT_TESTS_ADAPTERS_SIMAI_SEND_DATA_HH
#define WEFT_TESTS_ADAPTERS_SIMAI_SEND_DATA_HH

#include "AstraNetworkAPI.hh"

namespace AstraSim
{

struct SendPacketEventHandlerData {
    ncclFlowTag flowTag;
};

} // namespace AstraSim

#endif
