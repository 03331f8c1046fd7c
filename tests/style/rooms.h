/* SPDX-License-Identifier: GPL-2.0-only */
/* The rooms of the engine: what each may include, how many files it has, and its event loops. */
#ifndef WEFT_TESTS_STYLE_ROOMS_H
#define WEFT_TESTS_STYLE_ROOMS_H

#include "includes.h"

#include <map>
#include <regex>

inline const std::string engine_folder = "ns3-module/engine/";
constexpr size_t most_files = 45; /* of a room */

/* Rooms, and those that each may include: core <- balance <- switch <- transport <- observe <-
 * parallel, replay. The last two lie above all others, and nothing includes them. */
inline const std::map<std::string, std::set<std::string>> rooms = {
    {"core", {}},
    {"balance", {"core"}},
    {"switch", {"core", "balance"}},
    {"transport", {"core", "balance", "switch"}},
    {"observe", {"core", "balance", "switch", "transport"}},
    {"parallel", {"core", "balance", "switch", "transport"}},
    {"replay", {"core", "balance", "switch", "transport"}},
};

/* The room of a path from the root, "" for none. */
inline std::string engine_room_of(const std::string &path)
{
    if (path.compare(0, engine_folder.size(), engine_folder) != 0)
        return "";
    const std::string rest = path.substr(engine_folder.size());
    const size_t slash = rest.find('/');
    return slash == std::string::npos ? "" : rest.substr(0, slash);
}

/* Includes against the order of the rooms. */
inline Offenders wrong_room_includes(const SourceTree &tree)
{
    const std::set<std::string> paths = paths_of(tree);
    Offenders bad;
    for (const SourceFile &f : tree) {
        const auto room = rooms.find(engine_room_of(f.path));
        if (room == rooms.end() || !is_code(f.path))
            continue;
        for (const Include &i : includes_of(f)) {
            const std::string to = engine_room_of(included_path(f, i.name, paths));
            if (rooms.count(to) && to != room->first && !room->second.count(to))
                bad.push_back(at(f, i.line, room->first + " includes " + to));
        }
    }
    return bad;
}

/* Files of each room. */
inline std::map<std::string, size_t> files_of_rooms(const SourceTree &tree)
{
    std::map<std::string, size_t> files;
    for (const SourceFile &f : tree)
        if (is_code(f.path) && rooms.count(engine_room_of(f.path)))
            files[engine_room_of(f.path)]++;
    return files;
}

/* Functions that loop over events: with a loop, and a call of what executes an event. */
inline Offenders event_loops(const SourceTree &tree)
{
    const std::regex loop("\\b(for|while) ?\\("),
        executes("\\b(agenda_run|agenda_run_key|agenda_run_slow|port_arrive|port_due|timer_fire|"
                 "rc_rto|rc_cc_timer|pfc_event|grant_due)\\(|\\brun\\(e, ctx, &ev\\)");
    Offenders found;
    for (const SourceFile &f : tree) {
        if (!lies_in(f.path, engine_folder.substr(0, engine_folder.size() - 1)) || !is_code(f.path))
            continue;
        bool loops = false, runs = false;
        const std::vector<std::string> lines = code_only(f.lines);
        for (size_t i = 0; i < lines.size(); i++) {
            loops = lines[i] != "{" && (loops || std::regex_search(lines[i], loop));
            runs = lines[i] != "{" && (runs || std::regex_search(lines[i], executes));
            if (lines[i] == "}" && loops && runs)
                found.push_back(at(f, i, "an event loop ends"));
        }
    }
    return found;
}

#endif
