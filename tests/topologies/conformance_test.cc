// SPDX-License-Identifier: GPL-2.0-only
// What topology.h promises, checked for every topology of the table.
#include "topo.h"

#include <cstring>
#include <set>

using namespace weft_test;

namespace
{

std::vector<const weft_topology_ops *> all()
{
    size_t n = 0;
    const weft_topology_ops *const *t = weft_topology_table(&n);
    return {t, t + n};
}

bool lower_case_words(const std::string &s)
{
    return !s.empty() &&
           s.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos &&
           s.front() != '-' && s.back() != '-';
}

bool needs_a_file(const weft_topology_ops *ops)
{
    for (size_t i = 0; i < ops->params.n; i++)
        if (!ops->params.params[i].def)
            return true;
    return false;
}

} // namespace

TEST(TopologyTable, NamesAreUniqueAndLowerCase)
{
    std::set<std::string> seen;
    for (const weft_topology_ops *ops : all()) {
        EXPECT_TRUE(lower_case_words(ops->name)) << ops->name;
        EXPECT_TRUE(seen.insert(ops->name).second) << ops->name;
        EXPECT_GT(std::strlen(ops->title), 0u) << ops->name;
        ASSERT_TRUE(ops->build || ops->dimensions) << ops->name;
    }
    EXPECT_GE(seen.size(), 5u);
}

TEST(TopologyTable, FindsEveryNameAndSuggestsTheNearest)
{
    for (const weft_topology_ops *ops : all())
        EXPECT_EQ(weft_topology_find(ops->name, nullptr), ops);
    weft_err err{};
    EXPECT_EQ(weft_topology_find("leaf-spin", &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_INPUT);
    EXPECT_NE(std::string(err.msg).find("'leaf-spine'"), std::string::npos) << err.msg;
    EXPECT_EQ(weft_topology_find("moebius-strip-of-switches", &err), nullptr);
    EXPECT_NE(std::string(err.msg).find("there are: single-switch, dumbbell"), std::string::npos)
        << err.msg;
}

TEST(TopologyTable, ParametersAreDescribedAndTheirTextsValid)
{
    for (const weft_topology_ops *ops : all()) {
        std::vector<unsigned char> params(ops->params.struct_size);
        weft_err err{};
        EXPECT_EQ(weft_params_defaults(&ops->params, params.data(), &err), 0) << text(err);
        for (size_t i = 0; i < ops->params.n; i++) {
            const weft_param &p = ops->params.params[i];
            EXPECT_TRUE(lower_case_words(p.name)) << p.name;
            ASSERT_NE(p.help, nullptr) << p.name;
            for (const char *v : {p.def, p.min, p.max}) {
                if (v) {
                    EXPECT_EQ(weft_params_set(&ops->params, params.data(), p.name, v, &err), 0)
                        << text(err);
                }
            }
        }
    }
}

TEST(TopologyTable, DefaultsBuildAFabricInWhichEveryPairHasAPath)
{
    for (const weft_topology_ops *ops : all()) {
        if (needs_a_file(ops))
            continue;
        SCOPED_TRACE(ops->name);
        Fabric f = build(ops->name);
        ASSERT_NE(f, nullptr);
        ASSERT_NO_FATAL_FAILURE(expect_numbered(f));
        EXPECT_GE(f->nhosts, 2u);
        Routes r = routes_of(f);
        ASSERT_NO_FATAL_FAILURE(expect_all_pairs(f, r));
    }
}

TEST(TopologyTable, HostsComeFirstAndRatesAndDelaysAreTaken)
{
    for (const weft_topology_ops *ops : all()) {
        if (needs_a_file(ops))
            continue;
        SCOPED_TRACE(ops->name);
        Settings s;
        for (size_t i = 0; i < ops->params.n; i++) {
            if (ops->params.params[i].type == WEFT_PARAM_RATE)
                s.emplace_back(ops->params.params[i].name, "123456789bps");
            if (ops->params.params[i].type == WEFT_PARAM_TIME)
                s.emplace_back(ops->params.params[i].name, "7777ps");
        }
        if (s.empty())
            continue; // "multi" has the rates of its dimensions
        Fabric f = build(ops->name, s);
        ASSERT_NE(f, nullptr);
        for (uint32_t h = 0; h < f->nhosts; h++)
            EXPECT_EQ(f->hosts[h], h);
        for (uint32_t l = 0; l < f->nlinks; l++) {
            EXPECT_EQ(f->links[l].rate_bps, 123456789u);
            EXPECT_EQ(f->links[l].delay_ps, 7777);
            EXPECT_EQ(f->links[l].error_rate, 0.0);
            EXPECT_LT(f->links[l].dim, f->ndims);
        }
    }
}
