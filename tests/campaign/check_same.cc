// SPDX-License-Identifier: GPL-2.0-only
#include "checks.h"

#include "tests/base/temp_dir.h"

#include <jansson.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace fs = std::filesystem;

// run.json has the machine and wall-clock times, pcap/ only some runs.
static std::set<std::string> files_of(const std::string &folder, bool pcap)
{
    std::set<std::string> names;
    std::error_code none;
    for (const auto &e : fs::recursive_directory_iterator(folder, none)) {
        const std::string name = fs::relative(e.path(), folder).string();
        if (e.is_regular_file() && name != "run.json" && (pcap || name.rfind("pcap/", 0) != 0))
            names.insert(name);
    }
    return names;
}

static std::string without(std::string text, const std::string &folder)
{
    for (size_t at; (at = text.find(folder)) != std::string::npos;)
        text.replace(at, folder.size(), "OUT");
    // Progress is shown by the wall clock.
    std::istringstream lines(text);
    std::string kept;
    for (std::string line; std::getline(lines, line);)
        if (line.find("warning: run.threads had no effect") == std::string::npos &&
            line.find(" is given twice: ") == std::string::npos && // by the mode, too
            line.rfind("sim ", 0) != 0)
            kept += line + '\n';
    return kept;
}

// The first line in which two texts differ.
static std::string first_difference(const std::string &a, const std::string &b)
{
    std::istringstream x(a), y(b);
    std::string p, q;
    for (bool more = true; more;) {
        more = static_cast<bool>(std::getline(x, p));
        more = static_cast<bool>(std::getline(y, q)) || more;
        if (p != q)
            return "  " + p.substr(0, 300) + "\n  " + q.substr(0, 300);
        p.clear();
        q.clear();
    }
    return "";
}

void check_same(const std::string &mode, const Ended &a, const std::string &folder_a,
                const Ended &b, const std::string &folder_b, Findings &f)
{
    if (b.guarded)
        return;
    if (a.code != b.code || a.signal != b.signal) {
        f.add("same-" + mode, "exit code %d (signal %d), in mode %s %d (%d)\n%s", a.code, a.signal,
              mode.c_str(), b.code, b.signal, b.err.c_str());
        return;
    }
    const std::string name_a = fs::path(folder_a).filename(),
                      name_b = fs::path(folder_b).filename();
    if (without(a.err, name_a) != without(b.err, name_b))
        f.add("same-" + mode, "standard error differs:\n%s",
              first_difference(a.err, b.err).c_str());
    const bool pcap = mode != "captured"; // it alone has them
    const std::set<std::string> files = files_of(folder_a, pcap);
    if (files != files_of(folder_b, pcap))
        f.add("same-" + mode, "the folders %s and %s hold different files", name_a.c_str(),
              name_b.c_str());
    for (const std::string &file : files) {
        const std::string x = table_text(folder_a + "/" + file),
                          y = table_text(folder_b + "/" + file);
        if (x != y)
            f.add("same-" + mode, "%s differs between %s and %s:\n%s", file.c_str(), name_a.c_str(),
                  name_b.c_str(), first_difference(x, y).c_str());
    }
}

void check_traceless(const std::string &folder_a, const std::string &folder_b, Findings &f)
{
    for (const char *file : {"/flows.csv", "/ops.csv"}) {
        const std::string x = table_text(folder_a + file), y = table_text(folder_b + file);
        if (x != y)
            f.add("trace", "what was skipped has left a trace in %s:\n%s", file + 1,
                  first_difference(x, y).c_str());
    }
}

// The summary of run.json as text, without times, memory and speed of the machine.
static std::string summary_of(const std::string &folder)
{
    json_t *doc = json_loads(slurp(folder + "/run.json").c_str(), 0, nullptr);
    json_t *summary = json_object_get(doc, "summary");
    json_object_del(summary, "host");
    json_object_del(summary, "events"); // of which windows spare some
    char *text = json_dumps(summary, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    const std::string all = text ? text : "";
    free(text);
    json_decref(doc);
    return all;
}

void check_same_summary(const std::string &mode, const std::string &folder_a,
                        const std::string &folder_b, Findings &f)
{
    const std::string a = summary_of(folder_a), b = summary_of(folder_b);
    if (a != b)
        f.add("same-" + mode, "run.json sums up differently:\n%s", first_difference(a, b).c_str());
}

/* Which algorithms collectives took, told apart also by their messages, as "ring" has variants.
 * `auto` follows how messages go on a backend, so that it may take others on another one. */
static std::map<std::string, long> algorithms_of(const Results &r)
{
    std::map<std::string, long> count;
    for (size_t i = 0; i < r.collectives.rows(); i++) {
        std::string row;
        for (const char *column :
             {"rank", "node_id", "dim", "phase", "algorithm", "chunks", "messages"})
            row += r.collectives.text(i, column) + ",";
        count[row]++;
    }
    return count;
}

void check_ideal(const Results &packet, const Results &ideal, Findings &f)
{
    if (packet.ops.rows() != ideal.ops.rows())
        f.add("ideal", "%zu operations, %zu on the backend ideal", packet.ops.rows(),
              ideal.ops.rows());
    if (algorithms_of(packet) != algorithms_of(ideal))
        return;
    using Key = std::pair<std::pair<std::string, std::string>, std::string>;
    std::map<Key, long> count;
    for (size_t i = 0; i < packet.flows.rows(); i++)
        count[{{packet.flows.text(i, "from"), packet.flows.text(i, "to")},
               packet.flows.text(i, "size_bytes")}]++;
    for (size_t i = 0; i < ideal.flows.rows(); i++)
        count[{{ideal.flows.text(i, "from"), ideal.flows.text(i, "to")},
               ideal.flows.text(i, "size_bytes")}]--;
    for (const auto &c : count)
        if (c.second)
            f.add("ideal",
                  "%ld more messages of %s bytes from h%s to h%s than on the backend ideal",
                  c.second, c.first.second.c_str(), c.first.first.first.c_str(),
                  c.first.first.second.c_str());
}
