/* SPDX-License-Identifier: GPL-2.0-only */
/* What of SimGrid's own headers the model uses: they are in its source tree alone. */
#ifndef WEFT_ADAPTERS_SIMGRID_INSIDE_HH
#define WEFT_ADAPTERS_SIMGRID_INSIDE_HH

#include "src/kernel/EngineImpl.hpp"
#include "src/kernel/resource/NetworkModel.hpp"
#include "src/kernel/resource/StandardLinkImpl.hpp"

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/version.h>
#include <xbt/config.hpp>

#if SIMGRID_VERSION >= 33600
#include "src/simgrid/module.hpp"
#else
#include "src/surf/surf_interface.hpp"
#endif

#endif
