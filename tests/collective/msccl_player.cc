/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl_player.h"

#include <algorithm>
#include <deque>
#include <map>
#include <regex>
#include <sstream>
#include <tuple>

namespace msccl
{

std::string Program::Xml() const
{
    std::ostringstream x;
    x << "<algo name=\"t\" coll=\"" << coll << "\" ngpus=\"" << gpus.size() << "\" inplace=\""
      << inplace << "\" proto=\"Simple\" nchannels=\"1\">\n";
    for (size_t g = 0; g < gpus.size(); g++) {
        x << "<gpu id=\"" << g << "\" i_chunks=\"" << gpus[g].in << "\" o_chunks=\"" << gpus[g].out
          << "\" s_chunks=\"" << gpus[g].scratch << "\">\n";
        for (size_t t = 0; t < gpus[g].tbs.size(); t++) {
            const Tb &tb = gpus[g].tbs[t];
            x << "<tb id=\"" << t << "\" send=\"" << tb.send << "\" recv=\"" << tb.recv
              << "\" chan=\"" << tb.chan << "\">\n";
            for (size_t s = 0; s < tb.steps.size(); s++) {
                const Step &k = tb.steps[s];
                x << "<step s=\"" << s << "\" type=\"" << k.type << "\" srcbuf=\"" << k.src
                  << "\" srcoff=\"" << k.srcoff << "\" dstbuf=\"" << k.dst << "\" dstoff=\""
                  << k.dstoff << "\" cnt=\"" << k.cnt << "\" depid=\"" << k.depid << "\" deps=\""
                  << k.deps << "\" hasdep=\"0\"/>\n";
            }
            x << "</tb>\n";
        }
        x << "</gpu>\n";
    }
    x << "</algo>\n";
    return x.str();
}

bool Parse(const std::string &xml, Program *p)
{
    static const std::regex attribute("([a-z_]+)=\"([^\"]*)\"");
    std::istringstream lines(xml);
    std::string line;
    *p = Program();
    while (std::getline(lines, line)) {
        std::map<std::string, std::string> a;
        for (std::sregex_iterator i(line.begin(), line.end(), attribute), end; i != end; ++i)
            a[(*i)[1]] = (*i)[2];
        auto number = [&](const char *name, int def) {
            return a.count(name) ? std::stoi(a[name]) : def;
        };
        auto buffer = [&](const char *name) { return a[name].empty() ? 'i' : a[name][0]; };
        if (line.find("<copy") != std::string::npos)
            return false;
        if (line.find("<algo") != std::string::npos) {
            p->coll = a["coll"];
            p->inplace = number("inplace", 0) != 0;
        } else if (line.find("<gpu") != std::string::npos) {
            p->gpus.push_back(
                {number("i_chunks", 0), number("o_chunks", 0), number("s_chunks", 0), {}});
        } else if (line.find("<tb") != std::string::npos) {
            p->gpus.back().tbs.push_back(
                {number("send", -1), number("recv", -1), number("chan", 0), {}});
        } else if (line.find("<step") != std::string::npos) {
            p->gpus.back().tbs.back().steps.push_back(
                {a["type"], buffer("srcbuf"), number("srcoff", 0), buffer("dstbuf"),
                 number("dstoff", 0), number("cnt", 0), number("depid", -1), number("deps", -1)});
        }
    }
    return !p->gpus.empty() && !p->coll.empty();
}

namespace
{

using Values = std::vector<uint64_t>;

class Player
{
  public:
    Player(const Program &p, std::mt19937_64 &rng) : p_(p), rng_(rng), n_((int)p.gpus.size()) {}

    bool Play();

  private:
    struct Where { /* of a threadblock */
        size_t step = 0;
        int part = 0;
        Values held; /* what the parts hand on */
    };

    int Outputs() const;
    uint64_t *Slot(int g, char buffer, int off);
    uint64_t Input(int g, int chunk) const
    {
        return in_[(size_t)g][(size_t)chunk];
    }
    uint64_t Sum(int chunk) const;
    bool CanMove(int g, int t) const;
    bool Move(int g, int t);
    void Fill();
    bool IsRight();

    const Program &p_;
    std::mt19937_64 &rng_;
    int n_, inputs_ = 0, outputs_ = 0, parts_ = 0, room_ = 0; /* room of a buffer */
    std::vector<Values> in_, memory_; /* memory: input, output (or both in one), scratch */
    std::vector<std::vector<Where>> at_;
    std::map<std::tuple<int, int, int>, std::deque<Values>> wire_; /* from, to, channel */
};

/* Two buffers at places of their own, unless they overlap in place. */
uint64_t *Player::Slot(int g, char buffer, int off)
{
    int base = buffer == 'i' ? 0 : buffer == 'o' ? room_ : 2 * room_;
    if (p_.inplace && buffer == 'o')
        base = p_.coll == "reduce_scatter" ? g * parts_ : 0;
    if (p_.inplace && buffer == 'i' && p_.coll == "allgather")
        base = g * inputs_;
    return &memory_[(size_t)g][(size_t)(base + off)];
}

void Player::Fill()
{
    int out = 0;
    for (const Gpu &g : p_.gpus) {
        inputs_ = std::max(inputs_, g.in);
        out = std::max(out, g.out);
        room_ = std::max({room_, n_ * g.in, g.out, g.scratch});
    }
    room_ = 2 * std::max(room_, out);
    if (inputs_ == 0)
        inputs_ = p_.coll == "allgather" ? out / n_ : out;
    const bool split = p_.coll == "reduce_scatter" || p_.coll == "alltoall";
    parts_ = split ? inputs_ / n_ : inputs_;
    outputs_ = p_.coll == "allgather"        ? inputs_ * n_
               : p_.coll == "reduce_scatter" ? parts_
                                             : inputs_;
    for (int g = 0; g < n_; g++) {
        in_.emplace_back();
        memory_.emplace_back((size_t)(3 * room_));
        for (uint64_t &v : memory_.back())
            v = rng_(); /* nobody may rely on what is there */
        for (int k = 0; k < inputs_; k++)
            in_.back().push_back(*Slot(g, 'i', k) = rng_());
        at_.emplace_back(p_.gpus[(size_t)g].tbs.size());
    }
}

uint64_t Player::Sum(int chunk) const
{
    uint64_t sum = 0;
    for (int g = 0; g < n_; g++)
        sum += Input(g, chunk);
    return sum;
}

bool Player::IsRight()
{
    for (int g = 0; g < n_; g++)
        for (int k = 0; k < outputs_; k++) {
            uint64_t want = 0;
            if (p_.coll == "allreduce")
                want = Sum(k);
            else if (p_.coll == "reduce_scatter")
                want = Sum(g * parts_ + k);
            else if (p_.coll == "allgather")
                want = Input(k / inputs_, k % inputs_);
            else
                want = Input(k / parts_, g * parts_ + k % parts_);
            if (*Slot(g, 'o', k) != want)
                return false;
        }
    return true;
}

bool Receives(const Step &s)
{
    return s.type[0] == 'r' && s.type != "re";
}

bool Sends(const Step &s)
{
    return s.type == "s" || (Receives(s) && s.type.back() == 's');
}

bool Player::CanMove(int g, int t) const
{
    const Tb &tb = p_.gpus[(size_t)g].tbs[(size_t)t];
    const Where &w = at_[(size_t)g][(size_t)t];
    if (w.step == tb.steps.size())
        return false;
    const Step &s = tb.steps[w.step];
    if (w.part > 0)
        return true;
    if (s.depid >= 0 && at_[(size_t)g][(size_t)s.depid].step <= (size_t)std::max(s.deps, 0))
        return false;
    const auto wire = wire_.find({tb.recv, g, tb.chan});
    return !Receives(s) || (wire != wire_.end() && !wire->second.empty());
}

/* Reads, then writes, then sends. False: what cannot be played. */
bool Player::Move(int g, int t)
{
    const Tb &tb = p_.gpus[(size_t)g].tbs[(size_t)t];
    Where &w = at_[(size_t)g][(size_t)t];
    const Step &s = tb.steps[w.step];
    const bool adds = s.type.rfind("rr", 0) == 0, receives = Receives(s);
    if (s.type == "nop") {
        w.step++;
    } else if (w.part == 0) {
        w.held.assign((size_t)s.cnt, 0);
        if (receives) {
            auto &queue = wire_[{tb.recv, g, tb.chan}];
            w.held = queue.front();
            queue.pop_front();
            if (w.held.size() != (size_t)s.cnt)
                return false;
        }
        for (int k = 0; k < s.cnt; k++) {
            if (!receives || adds)
                w.held[(size_t)k] += *Slot(g, s.src, s.srcoff + k);
            if (s.type == "re")
                w.held[(size_t)k] += *Slot(g, s.dst, s.dstoff + k);
        }
        w.part = 1;
    } else {
        for (int k = 0; k < s.cnt && s.type != "s" && s.type != "rrs"; k++)
            *Slot(g, s.dst, s.dstoff + k) = w.held[(size_t)k];
        if (Sends(s))
            wire_[{g, tb.send, tb.chan}].push_back(w.held);
        w.part = 0;
        w.step++;
    }
    return true;
}

/* Priorities that change now and then find orders that fair dice do not. */
bool Player::Play()
{
    Fill();
    std::vector<std::pair<int, int>> all;
    for (int g = 0; g < n_; g++)
        for (size_t t = 0; t < p_.gpus[(size_t)g].tbs.size(); t++)
            all.emplace_back(g, (int)t);
    std::shuffle(all.begin(), all.end(), rng_);
    for (size_t moves = 0;; moves++) {
        if (rng_() % 8 == 0)
            std::swap(all[rng_() % all.size()], all[rng_() % all.size()]);
        const auto next = std::find_if(all.begin(), all.end(),
                                       [&](auto gt) { return CanMove(gt.first, gt.second); });
        if (next == all.end())
            break;
        if (!Move(next->first, next->second))
            return false;
        if (rng_() % 4 == 0)
            std::rotate(next, next + 1, all.end());
    }
    for (int g = 0; g < n_; g++)
        for (size_t t = 0; t < at_[(size_t)g].size(); t++)
            if (at_[(size_t)g][t].step < p_.gpus[(size_t)g].tbs[t].steps.size())
                return false; /* it never ends */
    return IsRight();
}

} // namespace

bool PlaysRight(const Program &p, std::mt19937_64 &rng)
{
    return Player(p, rng).Play();
}

/* In place; one threadblock per GPU. */
Program RingAllReduce(int n)
{
    Program p{"allreduce", true, {}};
    for (int g = 0; g < n; g++) {
        Tb tb{(g + 1) % n, (g + n - 1) % n, 0, {}};
        auto step = [&](const char *type, int c) { tb.steps.push_back({type, 'i', c, 'i', c}); };
        step("s", g);
        for (int k = 1; k < n; k++)
            step(k == n - 1 ? "rrcs" : "rrs", (g - k + n) % n);
        for (int k = 0; k < n - 1; k++)
            step(k == n - 2 ? "r" : "rcs", (g - k + n) % n);
        p.gpus.push_back({n, 0, 0, {tb}});
    }
    return p;
}

/* In place: everybody sends chunk p to p's scratch, which adds all up in one threadblock and sends
 * the sum to all; the others wait for it. */
Program AllPairs(int n, int tbs_per_peer)
{
    Program p{"allreduce", true, {}};
    const int m = tbs_per_peer;
    for (int g = 0; g < n; g++) {
        Gpu gpu{n * m, 0, n * m, {}};
        for (int c = 0; c < m; c++)
            for (int peer = 0; peer < n; peer++) {
                if (peer == g)
                    continue;
                Tb tb{peer, peer, c, {}};
                tb.steps.push_back({"s", 'i', peer * m + c, 's', g * m + c});
                tb.steps.push_back({"r", 'i', g * m + c, 's', peer * m + c});
                const int self = (int)gpu.tbs.size(), adder = c * (n - 1);
                if (self == adder) { /* adds up what it and the others of this channel received */
                    for (int from = 0, t = adder; from < n; from++) {
                        if (from == g)
                            continue;
                        tb.steps.push_back({"re", 's', from * m + c, 'i', g * m + c, 1,
                                            t == self ? -1 : t, t == self ? -1 : 1});
                        t++;
                    }
                }
                tb.steps.push_back({"s", 'i', g * m + c, 'i', g * m + c, 1,
                                    self == adder ? -1 : adder, self == adder ? -1 : n});
                tb.steps.push_back({"r", 'i', peer * m + c, 'i', peer * m + c});
                gpu.tbs.push_back(tb);
            }
        p.gpus.push_back(gpu);
    }
    return p;
}

/* In place, a chunk per tree of a chain of ranks: up in some threadblocks, down in others; that the
 * result comes after what was sent up follows from the messages alone. */
Program Tree(int n)
{
    Program p{"allreduce", true, {}};
    for (int g = 0; g < n; g++) {
        Gpu gpu{1, 0, 0, {}};
        const int up = g == 0 ? -1 : (g - 1) / 2;
        int adder = -1; /* the last threadblock that adds */
        for (int child = 2 * g + 1; child <= 2 * g + 2 && child < n; child++) {
            Tb tb{-1, child, 0, {}};
            tb.steps.push_back({"rrc", 'i', 0, 'i', 0, 1, adder, adder < 0 ? -1 : 0});
            adder = (int)gpu.tbs.size();
            gpu.tbs.push_back(tb);
        }
        int full = adder; /* who has the result */
        if (up >= 0) {
            Tb tb{up, -1, 0, {}};
            tb.steps.push_back({"s", 'i', 0, 'i', 0, 1, adder, adder < 0 ? -1 : 0});
            gpu.tbs.push_back(tb);
            full = (int)gpu.tbs.size();
            gpu.tbs.push_back({-1, up, 1, {{"r", 'i', 0, 'i', 0}}});
        }
        for (int child = 2 * g + 1; child <= 2 * g + 2 && child < n; child++)
            gpu.tbs.push_back({child, -1, 1, {{"s", 'i', 0, 'i', 0, 1, full, 0}}});
        p.gpus.push_back(gpu);
    }
    return p;
}

Program AllToAll(int n)
{
    Program p{"alltoall", false, {}};
    for (int g = 0; g < n; g++) {
        Gpu gpu{n, n, 0, {}};
        gpu.tbs.push_back({-1, -1, 0, {{"cpy", 'i', g, 'o', g}}});
        for (int peer = 0; peer < n; peer++)
            if (peer != g)
                gpu.tbs.push_back(
                    {peer, peer, 0, {{"s", 'i', peer, 'o', g}, {"r", 'i', peer, 'o', peer}}});
        p.gpus.push_back(gpu);
    }
    return p;
}

Program RingAllGather(int n, bool inplace)
{
    Program p{"allgather", inplace, {}};
    for (int g = 0; g < n; g++) {
        Tb tb{(g + 1) % n, (g + n - 1) % n, 0, {}};
        if (!inplace)
            tb.steps.push_back({"cpy", 'i', 0, 'o', g});
        tb.steps.push_back({"s", 'i', 0, 'o', g});
        for (int k = 1; k < n; k++) {
            const int c = (g - k + n) % n;
            tb.steps.push_back({k == n - 1 ? "r" : "rcs", 'o', c, 'o', c});
        }
        p.gpus.push_back({1, n, 0, {tb}});
    }
    return p;
}

} // namespace msccl
