// SPDX-License-Identifier: GPL-2.0-only
// Two backends for scenario tests: one with the packet backend's sections (but nothing behind them)
// and the ideal one.
#ifndef WEFT_TESTS_SCENARIO_WORLD_H
#define WEFT_TESTS_SCENARIO_WORLD_H

#include "ns3-module/bridge/packet_params.h"
#include "scenario/scenario.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace world
{

inline const weft_net_backend *packet_like()
{
    static weft_net_backend backend = {};
    backend.name = "packet";
    backend.title = "every packet";
    backend.uses_cc = true;
    backend.sections = weft_packet_sections;
    backend.nsections = WEFT_PACKET_SECTIONS;
    backend.params_size = sizeof(weft_packet_params);
    return &backend;
}

inline weft_engine_params engine_params(const weft_scenario &s)
{
    return weft_packet_engine_params(static_cast<const weft_packet_params *>(s.net_params));
}

/* A resolved scenario, or the error it led to. */
struct Resolved {
    weft_scenario *s = nullptr;
    weft_err err = {};
    int code = 0;

    Resolved() = default;
    Resolved(const Resolved &) = delete;
    Resolved(Resolved &&o) noexcept : s(o.s), err(o.err), code(o.code)
    {
        o.s = nullptr;
    }
    ~Resolved()
    {
        weft_scenario_free(s);
    }
    std::string message() const
    {
        char buf[2048];
        return weft_err_format(&err, buf, sizeof buf);
    }
    std::string warnings() const
    {
        std::string all;
        for (size_t i = 0; s && i < s->nwarnings; i++)
            all += std::string(s->warnings[i]) + "\n";
        return all;
    }
    const weft_scenario_group *group(const std::string &element) const
    {
        for (size_t i = 0; s && i < s->ngroups; i++)
            if (element == s->groups[i].element)
                return &s->groups[i];
        return nullptr;
    }
    /* The value of element's parameter as text. */
    std::string value(const std::string &element, const char *param) const
    {
        const weft_scenario_group *g = group(element);
        const weft_param *p = g ? weft_params_find(g->table, param) : nullptr;
        if (!p)
            return "(none)";
        if (p->type == WEFT_PARAM_STRING) {
            const char *text;
            std::memcpy(&text, static_cast<const char *>(g->values) + p->offset, sizeof text);
            return text ? text : "";
        }
        char buf[WEFT_PARAM_TEXT_MAX];
        return weft_params_format(p, g->values, buf, sizeof buf);
    }
};

inline Resolved parse(const std::string &xml, const std::vector<const char *> &sets = {},
                      const char *file = "dir/s.xml")
{
    const weft_net_backend *backends[] = {packet_like(), &weft_net_ideal};
    weft_scenario_options o = {backends, 2, sets.data(), sets.size()};
    Resolved r;
    r.code = weft_scenario_parse(xml.data(), xml.size(), file, &o, &r.s, &r.err);
    return r;
}

inline Resolved from_defaults(const std::vector<const char *> &sets)
{
    const weft_net_backend *backends[] = {packet_like(), &weft_net_ideal};
    weft_scenario_options o = {backends, 2, sets.data(), sets.size()};
    Resolved r;
    r.code = weft_scenario_load(nullptr, &o, &r.s, &r.err);
    return r;
}

/* A scenario with the least that it needs, and @p more inside. */
inline std::string scenario(const std::string &more = "")
{
    return "<scenario>\n<topology type=\"leaf-spine\"/>\n<workload type=\"generate\"/>\n" + more +
           "</scenario>\n";
}

inline void append(void *ctx, const char *text, size_t len)
{
    static_cast<std::string *>(ctx)->append(text, len);
}

} // namespace world

#define EXPECT_CONTAINS(text, part)                                                                \
    EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)

#endif
