/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The C++ side of simulation.h, for what else of the bridge is C++.
 */
#ifndef WEFT_SIMULATION_FABRIC_H
#define WEFT_SIMULATION_FABRIC_H

#include "simulation.h"

#include "ns3/weft-fabric.h"

namespace weft
{

/**
 * @param s a simulation inside ns-3
 * @return its fabric
 */
ns3::Ptr<ns3::WeftFabric> FabricOf(weft_simulation *s);

} // namespace weft

#endif /* WEFT_SIMULATION_FABRIC_H */
