// SPDX-License-Identifier: GPL-2.0-only
// The words of the engine's tables, for tests that go through all members of one.
#ifndef WEFT_TESTS_ENGINE_TABLES_H
#define WEFT_TESTS_ENGINE_TABLES_H

// transport.recovery
inline constexpr const char *kRecoveries[] = {
#define RECOVERY(number, symbol, word) word,
#include "ns3-module/engine/recoveries.def"
#undef RECOVERY
};

// switch.balance
inline constexpr const char *kBalances[] = {
#define BALANCE(number, word, title, pick, per_packet, shared, steer, path) word,
#include "topologies/balances.def"
#undef BALANCE
};

#endif
