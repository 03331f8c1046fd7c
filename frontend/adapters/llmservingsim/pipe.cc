/* SPDX-License-Identifier: GPL-2.0-only */
/* LLMServingSim's lines: pipe.hh. */
#include "pipe.hh"

namespace WeftAdapters
{

PipeEnd RunPipe(Fabric &fabric, const std::vector<Server *> &servers, std::istream &answers,
                int64_t idlePs)
{
    std::vector<bool> done(servers.size());
    for (bool reported = true;;) {
        if (fabric.Look(kNeverPs) == kNeverPs) {
            if (!reported)
                return PipeEnd::Stalled;
            fabric.Schedule(idlePs, [](Kind) {});
            fabric.Look(kNeverPs);
        }
        fabric.Dispatch();
        reported = false;
        for (size_t i = 0; i < servers.size(); i++) {
            if (done[i] || !servers[i]->Ended())
                continue;
            reported = true;
            servers[i]->Report();
            std::string answer;
            if (!std::getline(answers, answer))
                return PipeEnd::Closed;
            if (answer == "exit")
                return PipeEnd::Exit;
            if (answer == "done")
                done[i] = true;
            else if (answer != "pass")
                servers[i]->Begin(answer);
        }
    }
}

} // namespace WeftAdapters
