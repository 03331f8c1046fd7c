// SPDX-License-Identifier: GPL-2.0-only
// Differences of traces.
#include "workload/et_diff.h"

#include "trace.h"
#include "tests/base/temp_dir.h"
#include "workload/chakra_read.h"

namespace
{

std::vector<std::string> Differences(Trace &a, Trace &b)
{
    TempDir dir;
    a.write(dir / "a.et");
    b.write(dir / "b.et");
    weft_arena *arena = weft_arena_new();
    weft_err err = {};
    weft_et *x, *y;
    EXPECT_EQ(weft_chakra_read_et((dir / "a.et").c_str(), arena, &x, &err), 0) << err.msg;
    EXPECT_EQ(weft_chakra_read_et((dir / "b.et").c_str(), arena, &y, &err), 0) << err.msg;
    std::vector<std::string> all;
    auto fn = [](void *ctx, const struct weft_et_diff *d) {
        const weft_et_node *node = d->a ? d->a : d->b;
        std::string s = std::to_string(node->id) + (d->a ? "a" : "") + (d->b ? "b" : "");
        if (d->field)
            s += std::string(" ") + d->field + (d->x ? " x" : "") + (d->y ? " y" : "");
        if (d->u)
            s += " " + std::to_string(*d->u) + " " + std::to_string(*d->v);
        static_cast<std::vector<std::string> *>(ctx)->push_back(s);
    };
    EXPECT_EQ(weft_et_diff(x, y, fn, &all, &err), 0) << err.msg;
    weft_arena_free(arena);
    return all;
}

TEST(EtDiff, SaysWhatDiffersAndNothingElse)
{
    Trace a, b;
    for (Trace *t : {&a, &b}) {
        t->cpu(5);
        t->cpu(t == &a ? 6 : 7);
        t->coll(ALL_REDUCE, t == &a ? 100 : 101, "", t == &a ? Deps{1, 2} : Deps{2, 1});
        t->send(1, 10, t == &a ? Deps{1} : Deps{2});
        if (t == &a)
            t->attribute("mine", WEFT_ET_INT32, 1);
    }
    a.recv(1, 10);
    EXPECT_EQ(Differences(a, b),
              (std::vector<std::string>{"2ab duration_micros 6 7", "3ab comm_size x y",
                                        "4ab data_deps", "4ab mine x", "5a"}));
    EXPECT_EQ(Differences(b, a),
              (std::vector<std::string>{"2ab duration_micros 7 6", "3ab comm_size x y",
                                        "4ab data_deps", "4ab mine y", "5b"}));
    EXPECT_TRUE(Differences(a, a).empty());
}

} // namespace
