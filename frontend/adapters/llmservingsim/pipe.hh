/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines that LLMServingSim's controller and its ASTRA-sim exchange. A rank whose workload has
 * ended reports that, and gets an answer: the path of its next workload, `pass` (nothing now),
 * `done` (nothing any more) or `exit`.
 */
#ifndef WEFT_ADAPTERS_LLMSERVINGSIM_PIPE_HH
#define WEFT_ADAPTERS_LLMSERVINGSIM_PIPE_HH

#include "../client/fabric.hh"

#include <istream>

namespace WeftAdapters
{

/** A rank that takes workloads, for itself or for an instance of the served model. */
class Server
{
  public:
    virtual ~Server() = default;
    /** Whether its workload has ended. */
    virtual bool Ended() const = 0;
    /** Prints that, and that it waits for an answer. */
    virtual void Report() = 0;
    /** Begins the next workload. */
    virtual void Begin(const std::string &workload) = 0;
};

/** How the lines ended. */
enum class PipeEnd {
    Exit,   //!< The controller said so.
    Closed, //!< It closed the pipe.
    Stalled //!< All servers wait for something that does not come.
};

/**
 * Runs the network. After each of its instants the servers whose workloads have ended report, in
 * the order of the list. Where nothing is left to happen, the clock goes on by @p idlePs.
 */
PipeEnd RunPipe(Fabric &fabric, const std::vector<Server *> &servers, std::istream &answers,
                int64_t idlePs);

} // namespace WeftAdapters

#endif
