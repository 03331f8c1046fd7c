/* SPDX-License-Identifier: GPL-2.0-only */
#include "reserve.h"

#include "ns3/simulator.h"

#include <atomic>
#include <new>
#include <sys/mman.h>

namespace weft
{

namespace
{

constexpr std::size_t RESERVE_BYTES = 4 << 20;
constexpr std::size_t SMALL_BYTES = 1 << 20; //!< More than what is made between two checks.

std::atomic<void *> g_block{nullptr}; //!< The reserve; nullptr: none, or spent.
std::atomic<bool> g_spent{false};     //!< The run is to end.
std::atomic<bool> g_simulator{false}; //!< ns-3's simulator exists.
std::atomic<bool> g_abandoned{false}; //!< See Reserve::Abandon.

/** @return so many bytes of address space, for which no memory is taken yet; or MAP_FAILED. */
void *Map(std::size_t bytes)
{
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/** What operator new calls before it tries again. */
void Spend()
{
    void *block = g_block.exchange(nullptr);
    if (!block) {
        throw std::bad_alloc();
    }
    munmap(block, RESERVE_BYTES);
    g_spent = true;
    if (g_simulator) {
        ns3::Simulator::Stop();
    }
}

} // namespace

int Reserve::Hold(weft_err *err)
{
    g_spent = false;
    if (!g_block) {
        void *block = Map(RESERVE_BYTES);
        g_spent = block == MAP_FAILED;
        g_block = g_spent ? nullptr : block;
    }
    std::set_new_handler(Spend);
    return Report(err);
}

void Reserve::SetSimulator(bool runs)
{
    g_simulator = runs;
}

void Reserve::Check()
{
    void *room = Map(SMALL_BYTES);
    if (room != MAP_FAILED) {
        munmap(room, SMALL_BYTES);
    } else if (g_block) {
        Spend();
    }
}

void Reserve::Abandon()
{
    g_abandoned = true;
}

bool Reserve::IsAbandoned()
{
    return g_abandoned;
}

int Reserve::Report(weft_err *err)
{
    return g_spent ? weft_err_set(err, WEFT_E_LIMIT,
                                  "out of memory for the hosts, sockets and packets of ns-3")
                   : 0;
}

} // namespace weft
