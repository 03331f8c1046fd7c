/* SPDX-License-Identifier: GPL-2.0-only */
/* The layers of the project: folders, and for each those that it may include, and know of, besides
 * itself. */
#ifndef WEFT_TESTS_STYLE_LAYERS_H
#define WEFT_TESTS_STYLE_LAYERS_H

#include "includes.h"

#include <map>
#include <set>

inline const std::string base = "frontend/base", json = "frontend/json", parts = "frontend/parts",
                         net = "frontend/net", workload = "frontend/workload",
                         collective = "frontend/collective", sys = "frontend/system",
                         jobs = "frontend/jobs", fault = "frontend/fault",
                         series = "frontend/series", scenario = "frontend/scenario",
                         report = "frontend/report", plot = "frontend/plot",
                         command = "frontend/command", run = "frontend/run",
                         hpcc = "frontend/foreign/hpcc", astra = "frontend/foreign/astra",
                         htsim = "frontend/foreign/htsim", simai = "frontend/foreign/simai",
                         foreign = "frontend/foreign", sweep = "frontend/sweep",
                         diagnose = "frontend/diagnose", bench = "frontend/bench",
                         trace_tools = "frontend/trace_tools", cli = "frontend/cli",
                         lib = "frontend/lib", plugins = "frontend/plugins",
                         adapters = "frontend/adapters", congestion = "congestion",
                         topologies = "topologies", engine = "ns3-module/engine",
                         model = "ns3-module/model", helper = "ns3-module/helper",
                         bridge = "ns3-module/bridge", module_test = "ns3-module/test",
                         examples = "ns3-module/examples",
                         ns3 = "ns3"; /* any header of ns-3, weft's installed ones among them */

inline const std::map<std::string, std::set<std::string>> arrows = {
    {base, {}},
    {json, {base}},
    {parts, {base}},
    {congestion, {base}},
    {topologies, {base}},
    {workload, {base, json}},
    {collective, {base, workload}},
    {net, {base, congestion, topologies}},
    {sys, {base, topologies, workload, collective, net}},
    {fault, {base, topologies, net}},
    {series, {base, congestion, topologies, net}},
    {jobs, {base, topologies, workload, collective, net, sys}},
    {scenario, {base, congestion, topologies, workload, collective, net, sys, jobs, fault, series}},
    {report,
     {base, json, congestion, topologies, workload, collective, net, sys, jobs, fault, series,
      scenario}},
    {plot, {base, json, series, report}},
    {command,
     {base, congestion, topologies, workload, collective, net, scenario, report, plot, parts}},
    {run,
     {base, congestion, topologies, workload, collective, net, sys, jobs, fault, series, scenario,
      report, parts, command}},
    {hpcc,
     {base, congestion, topologies, workload, net, sys, jobs, scenario, report, command, run}},
    {astra,
     {base, congestion, topologies, workload, net, sys, jobs, scenario, report, command, run,
      hpcc}},
    {htsim, {base, congestion, topologies, workload, net, jobs, scenario, report, command, run}},
    {simai, {base, workload, net, sys, jobs, scenario, report, command, run}},
    {foreign,
     {base, congestion, topologies, workload, collective, net, scenario, report, command, run, hpcc,
      astra, htsim, simai}},
    {sweep, {base, net, jobs, scenario, report, command, run, foreign}},
    {diagnose, /* its table of changes names settings of all layers */
     {base, congestion, topologies, workload, net, sys, jobs, fault, scenario, report, plot,
      command, run, hpcc, foreign, sweep, bridge, engine}},
    {bench,
     {base, congestion, topologies, workload, collective, net, sys, jobs, scenario, report, command,
      run}},
    {trace_tools,
     {base, topologies, workload, collective, net, sys, jobs, scenario, report, command, run}},
    {cli, {base,   congestion, topologies, workload, collective, net,      sys,   jobs,
           fault,  series,     scenario,   report,   plot,       command,  run,   hpcc,
           astra,  htsim,      simai,      foreign,  sweep,      diagnose, bench, trace_tools,
           bridge, engine,     parts,      lib,      plugins}},
    {adapters, {lib}},
    {plugins, {base, congestion, topologies, workload, collective, net, scenario, fault, lib}},
    {lib, {base, json, congestion, topologies, net, fault, series, scenario, parts, bridge}},
    {engine, {base, congestion, topologies}},
    {model, {base, congestion, topologies, engine, ns3}},
    {helper, {base, congestion, topologies, engine, model, ns3}},
    {bridge, {base, parts, congestion, topologies, net, engine, model, helper, ns3}},
    {module_test, {base, congestion, topologies, engine, model, helper, ns3}},
    {examples, {base, congestion, topologies, engine, model, helper, ns3}},
};

/* The layer of a path from the root: the innermost folder of the table, "" for none. */
inline std::string layer_of(const std::string &path)
{
    std::string layer;
    for (const auto &a : arrows)
        if (lies_in(path, a.first) && a.first.size() > layer.size())
            layer = a.first;
    return layer;
}

/* The layer that an include leads to, "" for the compiler's, the system's and other libraries'
 * headers. */
inline std::string target_layer(const SourceFile &from, const std::string &name,
                                const std::set<std::string> &paths)
{
    if (name.compare(0, 4, "ns3/") == 0)
        return ns3;
    const std::string path = included_path(from, name, paths);
    if (!path.empty())
        return layer_of(path);
    /* Not in the tree: generated at build time, or not there (any more). */
    const std::string from_root = layer_of(name);
    return from_root.empty() ? layer_of("frontend/" + name) : from_root;
}

inline Offenders wrong_arrows(const SourceTree &tree)
{
    Offenders bad;
    const std::set<std::string> paths = paths_of(tree);
    for (const SourceFile &f : tree) {
        const std::string own = layer_of(f.path);
        if (!is_code(f.path) || own.empty())
            continue;
        for (const Include &i : includes_of(f)) {
            const std::string target = target_layer(f, i.name, paths);
            if (!target.empty() && target != own && !arrows.at(own).count(target))
                bad.push_back(
                    at(f, i.line, own + " must not include " + target + " (\"" + i.name + "\")"));
        }
    }
    return bad;
}

#endif
