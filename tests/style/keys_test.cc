/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Knowledge points down in strings, too: text in the code of a layer names parameters ("pfc.prios")
 * of its own layer and of those that it may include, not of those above it. So the condition under
 * which a parameter has an effect is given by the layer that knows it (ns3-module/engine/params).
 */
#include "layers.h"

namespace
{

/* The layer that declares the parameters of a section. */
const std::map<std::string, std::string> owners = {
    {"dimension", topologies}, {"congestion-control", congestion},
    {"transport", engine},     {"switch", engine},
    {"pfc", engine},           {"ecn", engine},
    {"credit", engine},        {"in-network", engine},
    {"capture", engine},       {"tcp", bridge},
    {"ns3", bridge},           {"ideal", net},
    {"system", sys},           {"fault", fault},
    {"run", scenario},         {"network", scenario},
};

/* Parameters of another layer than the rest of their section. */
const std::map<std::string, std::string> apart = {{"transport.type", bridge},
                                                  {"transport.variant", bridge}};

/* Layers that resolve scenarios, or write them: a setting is text to them, whoever declares it. */
const std::set<std::string> composers = {scenario, report,  run,   hpcc,  astra,
                                         htsim,    foreign, sweep, bench, cli};

/* Files of settings for other layers, which they only hand on. */
const std::set<std::string> lists_of_settings = {
    "congestion/presets.c",      /* what a preset sets besides the control's own parameters */
    "frontend/system/presets.c", /* and besides the system's */
    "topologies/dim_settings.h", /* what a setting of a dimension takes the place of */
    "topologies/balancer.h",     /* what chooses a balancer */
};

bool key_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* The words "section.parameter" of a line's literals. */
std::vector<std::string> keys_of(const std::string &line, const std::string &code)
{
    std::vector<std::string> keys;
    bool inside = false;
    for (size_t i = 0; i < line.size(); i++) {
        if (code[i] == '"')
            inside = !inside;
        if (!inside || line[i] != '.')
            continue;
        size_t from = i, to = i + 1;
        while (from > 0 && key_char(line[from - 1]))
            from--;
        while (to < line.size() && key_char(line[to]))
            to++;
        const bool word =
            from > 0 && (line[from - 1] == '.' || line[from - 1] == '_' || line[from - 1] == '/');
        if (from < i && to > i + 1 && !word && (to == line.size() || line[to] != '('))
            keys.push_back(line.substr(from, to - from));
    }
    return keys;
}

/* The layer that declares a key, "" for what is no key. */
std::string owner_of(const std::string &key)
{
    const auto a = apart.find(key);
    if (a != apart.end())
        return a->second;
    if (has_extension(key, {".py", ".csv", ".json", ".xml", ".txt", ".h", ".c", ".cc"}))
        return "";
    const auto o = owners.find(key.substr(0, key.find('.')));
    return o == owners.end() ? "" : o->second;
}

Offenders wrong_keys(const SourceTree &tree)
{
    Offenders bad;
    for (const SourceFile &f : tree) {
        const std::string own = layer_of(f.path);
        if (!has_extension(f.path, {".c", ".h", ".cc", ".def"}) || own.empty() ||
            composers.count(own) || lists_of_settings.count(f.path))
            continue;
        const auto code = code_only(f.lines);
        for (size_t i = 0; i < f.lines.size(); i++) {
            if (code[i].find("#include") != std::string::npos)
                continue;
            for (const std::string &key : keys_of(f.lines[i], code[i])) {
                const std::string owner = owner_of(key);
                if (!owner.empty() && owner != own && !arrows.at(own).count(owner))
                    bad.push_back(at(f, i, own + " must not know " + key + " of " + owner));
            }
        }
    }
    return bad;
}

TEST(Keys, TextNamesNoParameterOfAHigherLayer)
{
    EXPECT_EQ(joined(wrong_keys(project_tree())), "");
}

TEST(Keys, WrongOnesAreFound)
{
    const struct {
        const char *path, *line;
        bool allowed;
    } cases[] = {
        {"ns3-module/engine/x.c", "\"pfc.prios has $ack-prio\"", true},
        {"ns3-module/engine/x.c", "\" or tcp.prios!=0\"", false},
        {"ns3-module/engine/x.def", "\" or tcp.prios!=0\"", false},
        {"ns3-module/engine/x.c", "\"transport.type=tcp\"", false},
        {"ns3-module/engine/x.c", "\"transport.mtu\"", true},
        {"ns3-module/engine/x.c", "\"dimension.flow-control has pfc\"", true},
        {"ns3-module/engine/x.c", "tcp.prios = 0; /* tcp.prios */", true},
        {"ns3-module/bridge/x.c", "\" or tcp.prios!=0\"", true},
        {"congestion/x.c", "\"ecn.kmin\"", false},
        {"congestion/x.c", "\"HPCC simulator, run.py\"", true},
        {"congestion/presets.c", "\"ecn.kmin=1KB\"", true},
        {"frontend/system/x.c", "\"run.seed\"", false},
        {"frontend/scenario/x.c", "\"system.chunks\"", true},
        {"tests/base/x.cc", "\"tcp.prios\"", true},
    };
    for (const auto &c : cases)
        EXPECT_EQ(wrong_keys({{c.path, {c.line}}}).empty(), c.allowed) << c.path << " " << c.line;
}

} // namespace
