// SPDX-License-Identifier: GPL-2.0-only
// What a control says of how its state moves (cc_replay.h), by the sequences of weft test-plugin.
#include "play.h"
#include "plugins/try_cc.h"

using namespace weft_test;

namespace
{

using Moving = std::vector<weft_cc_moving>;

Moving moving_of(const weft_cc_ops *ops)
{
    Moving all;
    for (const weft_cc_moving *m = weft_cc_replay_of(ops)->moving; m && m->size; m++)
        all.push_back(*m);
    return all;
}

/// Whether a QP and the same one moved by `moving` part.
bool parts(const weft_cc_ops *ops, Moving moving, unsigned seed,
           const Algo::Settings &settings = {})
{
    Algo a(ops, settings);
    weft_err err{};
    bool part = true;
    moving.push_back(WEFT_CC_MOVING_END);
    EXPECT_EQ(weft_try_cc_moves(ops, a.params(), moving.data(), seed, &part, &err), 0) << err.msg;
    return part;
}

class MovingState : public testing::TestWithParam<const weft_cc_ops *>
{
};

} // namespace

TEST_P(MovingState, GoesOnTheSameAtAnotherTimeWithOtherNumbers)
{
    const weft_cc_ops *ops = GetParam();
    for (unsigned seed = 1; seed <= WEFT_TRY_CC_MOVES; seed++) {
        EXPECT_FALSE(parts(ops, moving_of(ops), seed)) << "seed " << seed;
        if (std::string(ops->name) == "powertcp") {
            EXPECT_FALSE(parts(ops, moving_of(ops), seed, {{"form", "delay"}})) << "seed " << seed;
        }
    }
}

// Not each: some are written by each ACK before they decide anything.
TEST_P(MovingState, AFieldThatIsLeftOutShows)
{
    const weft_cc_ops *ops = GetParam();
    const Moving all = moving_of(ops);
    size_t shown = 0;
    for (size_t left = 0; left < all.size(); left++) {
        Moving others = all;
        others.erase(others.begin() + std::ptrdiff_t(left));
        bool shows = false;
        for (unsigned seed = 1; seed <= WEFT_TRY_CC_MOVES && !shows; seed++)
            shows = parts(ops, others, seed);
        shown += shows;
    }
    if (!all.empty()) {
        EXPECT_GT(shown, 0u);
    }
}

namespace
{

/// Controls whose traffic is replayed, but for those under credits, which count them from the
/// start.
std::vector<const weft_cc_ops *> replayed()
{
    std::vector<const weft_cc_ops *> some;
    for (const weft_cc_ops *ops : all())
        if (ops->replay && !(Algo(ops).needs() & WEFT_CC_NEEDS_CREDIT))
            some.push_back(ops);
    return some;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(All, MovingState, testing::ValuesIn(replayed()), [](const auto &info) {
    std::string s = info.param->name;
    for (char &c : s)
        c = c == '-' ? '_' : c;
    return s;
});
