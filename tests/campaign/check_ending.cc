// SPDX-License-Identifier: GPL-2.0-only
#include "checks.h"

#include <cstdarg>
#include <cstdio>
#include <regex>

void Findings::add(const std::string &kind, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (m_all.size() < 50)
        m_all.push_back({kind, text});
}

namespace
{

std::string tail(const std::string &text)
{
    return text.size() > 700 ? text.substr(text.size() - 700) : text;
}

// A bad outcome says which messages, links, ranks or bound it is about.
bool names_something(const std::string &text)
{
    static const std::regex named(
        "h[0-9]+ ?-> ?h[0-9]+|h[0-9]+->|rank [0-9]+|ranks? [0-9]|link [0-9sh]|"
        "[sh][0-9]+->?[sh][0-9]+|run\\.until|stopped at|flows are not complete at");
    return std::regex_search(text, named);
}

// A refusal says which setting, file or line it is about.
bool names_setting(const std::string &text)
{
    static const std::regex named("[a-z][a-z-]*\\.[a-z][a-z0-9-]*|:[0-9]+:[0-9]+:|[a-z-]+=");
    return std::regex_search(text, named);
}

// Bytes over a link, or through a memory, of a few bits per second.
bool beyond_the_clock(const std::string &text)
{
    return text.find("the most that the clock of picoseconds allows") != std::string::npos ||
           text.find("days that simulated time has room for") != std::string::npos;
}

struct Refusal {
    const char *name, *pattern;
};

// What random simulations may rightly be refused for. Other reasons are counted apart (main.cc).
const Refusal refusals[] = {
#include "refusals.inc"
};

} // namespace

std::string refusal(const std::string &text)
{
    for (const Refusal &r : refusals)
        if (std::regex_search(text, std::regex(r.pattern)))
            return r.name;
    return "";
}

void check_ending(const std::string &mode, const Ended &e, Findings &f)
{
    const std::string said = tail(e.err);
    if (e.too_large)
        f.add("memory", "%s: ended by the guard: more memory than allowed", mode.c_str());
    else if (e.guarded)
        f.add("hang", "%s: ended by the guard after %.1f s of CPU time", mode.c_str(), e.cpu_s);
    else if (e.signal)
        f.add("signal", "%s: ended by signal %d\n%s", mode.c_str(), e.signal, said.c_str());
    else if (e.code == 3 && refusal(e.err).empty() && !names_setting(e.err) &&
             !names_something(e.err))
        f.add("refusal", "%s: refused without a name of what is wrong:\n%s", mode.c_str(),
              said.c_str());
    else if (e.code == 1 && !names_something(e.err))
        f.add("diagnosis", "%s: exit code 1 without a name of what it is about:\n%s", mode.c_str(),
              said.c_str());
    else if (e.code == 5 && beyond_the_clock(e.err))
        return;
    else if (e.code != 0 && e.code != 1 && e.code != 3)
        f.add("exit-" + std::to_string(e.code), "%s:\n%s", mode.c_str(), said.c_str());
}
