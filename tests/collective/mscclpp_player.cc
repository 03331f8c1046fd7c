/* SPDX-License-Identifier: GPL-2.0-only */
#include "mscclpp_player.h"

#include <algorithm>
#include <deque>
#include <map>
#include <sstream>
#include <tuple>

namespace mscclpp
{

namespace
{

/* Which of the others `peer` is for GPU g. */
int Other(int g, int peer, int n)
{
    return (peer - g - 1 + n) % n;
}

std::string List(const std::vector<std::string> &parts)
{
    std::string all;
    for (const std::string &p : parts)
        all += (all.empty() ? "" : ",") + p;
    return "[" + all + "]";
}

std::string Numbers(const std::vector<int> &numbers)
{
    std::vector<std::string> parts;
    for (int v : numbers)
        parts.push_back(std::to_string(v));
    return List(parts);
}

std::string Pieces(const std::vector<Piece> &pieces, int g, int n)
{
    std::vector<std::string> parts;
    for (const Piece &p : pieces) {
        const std::string which =
            p.gpu == g ? std::string("\"type\":\"") + p.buffer + "\""
                       : "\"buffer_id\":" + std::to_string(3 * Other(g, p.gpu, n) +
                                                           (int)std::string("ios").find(p.buffer));
        parts.push_back("{" + which + ",\"index\":" + std::to_string(p.index) +
                        ",\"size\":" + std::to_string(p.size) + "}");
    }
    return List(parts);
}

std::string Text(const Op &op, int g, int n)
{
    std::ostringstream x;
    x << "{\"name\":\"" << op.name << "\"";
    if (!op.src.empty())
        x << ",\"src_buff\":" << Pieces(op.src, g, n) << ",\"dst_buff\":" << Pieces(op.dst, g, n)
          << ",\"channel_type\":\"memory\"";
    if (!op.peers.empty()) {
        std::vector<int> ids;
        for (int p : op.peers)
            ids.push_back(Other(g, p, n));
        x << ",\"channel_ids\":" << Numbers(ids) << ",\"channel_type\":\"memory\"";
    }
    if (!op.semaphores.empty())
        x << ",\"semaphore_ids\":" << Numbers(op.semaphores);
    if (op.barrier >= 0)
        x << ",\"barrier_id\":" << op.barrier << ",\"num_threadblocks\":" << op.threadblocks;
    if (op.shares > 1)
        x << ",\"tbg_info\":{\"tb_id\":" << op.share << ",\"tbg_size\":" << op.shares << "}";
    x << "}";
    return x.str();
}

std::string Text(const Plan &p, int g)
{
    const int n = (int)p.gpus.size();
    const Gpu &gpu = p.gpus[(size_t)g];
    std::vector<int> ends, refs;
    std::vector<std::string> blocks, buffers, semaphores;
    for (int k = 0; k < n - 1; k++)
        for (char type : {'i', 'o', 's'}) {
            refs.push_back((int)buffers.size());
            buffers.push_back("{\"rank\":" + std::to_string((g + 1 + k) % n) + ",\"type\":\"" +
                              type + "\",\"access_channel_types\":[\"memory\"]}");
        }
    for (size_t t = 0; t < gpu.tbs.size(); t++) {
        std::vector<std::string> ops;
        std::vector<int> ids;
        for (const Op &op : gpu.tbs[t])
            ops.push_back(Text(op, g, n));
        for (int k = 0; k < n - 1; k++) {
            ids.push_back((int)ends.size());
            ends.push_back((g + 1 + k) % n);
        }
        std::string all = List(ops);
        if (gpu.pipeline[t])
            all = "[{\"name\":\"pipeline\",\"iter_context\":{\"unit_size\":1024,\"num_chunks\":1},"
                  "\"ops\":" +
                  all + "}]";
        blocks.push_back(
            "\n{\"id\":" + std::to_string(t) + ",\"ops\":" + all +
            ",\"channels\":[{\"channel_type\":\"memory\",\"channel_ids\":" + Numbers(ids) +
            "}],\"remote_buffer_refs\":[{\"access_channel_type\":\"memory\","
            "\"remote_buffer_ids\":" +
            Numbers(refs) + "}]}");
    }
    for (int v : p.semaphores)
        semaphores.push_back("{\"init_value\":" + std::to_string(v) + "}");
    return "{\"id\":" + std::to_string(g) + ",\"input_chunks\":" + std::to_string(p.in) +
           ",\"output_chunks\":" + std::to_string(p.out) +
           ",\"scratch_chunks\":" + std::to_string(p.scratch) +
           ",\"threadblocks\":" + List(blocks) +
           ",\"channels\":[{\"channel_type\":\"memory\",\"connected_to\":" + Numbers(ends) +
           "}],\"remote_buffers\":" + List(buffers) + ",\"semaphores\":" + List(semaphores) + "}";
}

using Values = std::vector<uint64_t>;

/* Something under way into a GPU. */
struct Item {
    enum Kind { DATA, SIGNAL } kind;
    int gpu;
    uint64_t *to;
    Values values;
};

class Player
{
  public:
    Player(const Plan &p, std::mt19937_64 &rng) : p_(p), rng_(rng), n_((int)p.gpus.size()) {}
    bool Play();

  private:
    struct Where { /* of a threadblock */
        size_t op = 0;
        int part = 0;
        std::vector<Values> held;
        size_t round = 0; /* of the barrier it waits at */
    };
    using Path = std::tuple<int, int, int>; /* GPU, threadblock, to GPU */

    uint64_t *Slot(const Piece &piece, const Op &op, size_t *size);
    Values Read(const Piece &piece, const Op &op);
    bool AllThere(const Piece &piece, const Op &op);
    void Write(int g, int t, const Piece &piece, const Op &op, const Values &v, bool packets);
    bool CanMove(int g, int t);
    void Move(int g, int t);
    void Store(int g, int t, const Op &op);
    bool Deliver();
    void Fill();
    bool IsRight();
    bool IsOver(int g) const;
    void Arrive(const Item &item);

    const Plan &p_;
    std::mt19937_64 &rng_;
    int n_;
    std::vector<std::map<char, Values>> memory_;
    std::vector<Values> in_;
    std::map<const uint64_t *, bool> packet_; /* that came */
    std::map<Path, std::deque<Item>> wire_;
    std::map<Path, int> relaxed_; /* signals that need not stay behind data */
    std::vector<Item> packets_;   /* they come in any order */
    std::map<Path, int> signals_; /* at GPU, threadblock, from GPU */
    std::map<std::pair<int, int>, int> semaphores_;
    std::map<std::pair<int, int>, std::pair<int, size_t>> barriers_; /* who came, rounds done */
    std::vector<std::vector<Where>> at_;
    bool late_ = false; /* data came to a GPU whose threadblocks were over */
};

bool Packed(const std::string &name, bool in)
{
    return in ? name == "upkt" || name == "respkt" : name == "ppkt" || name == "respkt";
}

bool Sums(const std::string &name)
{
    return name == "res" || name == "rre" || name == "respkt";
}

uint64_t *Player::Slot(const Piece &piece, const Op &op, size_t *size)
{
    const size_t share = (size_t)(piece.size * p_.fine / op.shares);
    const char buffer = p_.inplace && piece.buffer == 'o' ? 'i' : piece.buffer;
    *size = share;
    return &memory_[(size_t)piece.gpu][buffer]
                   [(size_t)(piece.index * p_.fine) + (size_t)op.share * share];
}

Values Player::Read(const Piece &piece, const Op &op)
{
    size_t n;
    const uint64_t *at = Slot(piece, op, &n);
    return Values(at, at + n);
}

bool Player::AllThere(const Piece &piece, const Op &op)
{
    size_t n;
    const uint64_t *at = Slot(piece, op, &n);
    for (size_t k = 0; k < n; k++)
        if (!packet_[at + k])
            return false;
    return true;
}

void Player::Write(int g, int t, const Piece &piece, const Op &op, const Values &v, bool packets)
{
    size_t n;
    uint64_t *at = Slot(piece, op, &n);
    for (size_t k = 0; k < n && piece.gpu == g; k++)
        at[k] = v[k];
    if (piece.gpu == g)
        return;
    for (size_t k = 0; packets && k < n; k++)
        packets_.push_back({Item::DATA, piece.gpu, at + k, {v[k]}});
    if (!packets)
        wire_[{g, t, piece.gpu}].push_back({Item::DATA, piece.gpu, at, v});
}

bool Player::CanMove(int g, int t)
{
    const auto &ops = p_.gpus[(size_t)g].tbs[(size_t)t];
    const Where &w = at_[(size_t)g][(size_t)t];
    if (w.op == ops.size())
        return false;
    const Op &op = ops[w.op];
    if (op.name == "wait" || op.name == "rlxwait")
        return std::all_of(op.peers.begin(), op.peers.end(), [&](int from) {
            return signals_[{g, t, from}] > 0;
        });
    if (op.name == "sem_acquire")
        return std::all_of(op.semaphores.begin(), op.semaphores.end(), [&](int s) {
            return semaphores_[{g, s}] > 0;
        });
    if (op.name == "barrier" && w.part == 1)
        return barriers_[{g, op.barrier}].second > w.round;
    for (size_t k = Sums(op.name) ? 1 : 0; Packed(op.name, true) && k < op.src.size(); k++)
        if (w.part == 0 && !AllThere(op.src[k], op))
            return false;
    return true;
}

/* What was read goes where it has to. */
void Player::Store(int g, int t, const Op &op)
{
    Where &w = at_[(size_t)g][(size_t)t];
    if (Sums(op.name)) {
        for (size_t k = 1; k < w.held.size(); k++)
            for (size_t j = 0; j < w.held[0].size(); j++)
                w.held[0][j] += w.held[k][j];
        w.held.resize(1);
    }
    for (size_t k = 0; k < op.dst.size(); k++)
        Write(g, t, op.dst[k], op, w.held[w.held.size() == 1 ? 0 : k], Packed(op.name, false));
}

void Player::Move(int g, int t)
{
    Where &w = at_[(size_t)g][(size_t)t];
    const Op &op = p_.gpus[(size_t)g].tbs[(size_t)t][w.op];
    bool over = true;
    if (op.name == "wait" || op.name == "rlxwait") {
        for (int from : op.peers)
            signals_[{g, t, from}]--;
    } else if (op.name == "signal") {
        for (int to : op.peers)
            wire_[{g, t, to}].push_back({Item::SIGNAL, to, nullptr, {}});
    } else if (op.name == "rlxsignal") {
        for (int to : op.peers)
            relaxed_[{g, t, to}]++;
    } else if (op.name == "sem_acquire" || op.name == "sem_release") {
        for (int s : op.semaphores)
            semaphores_[{g, s}] += op.name == "sem_release" ? 1 : -1;
    } else if (op.name == "barrier" && w.part == 0) {
        auto &b = barriers_[{g, op.barrier}];
        w.round = b.second;
        if (++b.first == op.threadblocks) {
            b.first = 0;
            b.second++;
        }
        over = false;
    } else if (!op.src.empty() && w.part == 0) {
        w.held.clear();
        for (const Piece &piece : op.src)
            w.held.push_back(Read(piece, op));
        over = false;
    } else if (!op.src.empty()) {
        Store(g, t, op);
    }
    w.part = over ? 0 : 1;
    w.op += over;
}

bool Player::IsOver(int g) const
{
    for (size_t t = 0; t < at_[(size_t)g].size(); t++)
        if (at_[(size_t)g][t].op < p_.gpus[(size_t)g].tbs[t].size())
            return false;
    return true;
}

/* Whoever called the collective goes on when the threadblocks of its GPU are over. */
void Player::Arrive(const Item &item)
{
    late_ = late_ || IsOver(item.gpu);
    std::copy(item.values.begin(), item.values.end(), item.to);
}

/* Something arrives; false: nothing is under way. */
bool Player::Deliver()
{
    std::vector<Path> full, loose;
    for (auto &w : wire_)
        if (!w.second.empty())
            full.push_back(w.first);
    for (auto &r : relaxed_) {
        const auto &w = wire_[r.first];
        if (r.second > 0 && std::none_of(w.begin(), w.end(), [](const Item &i) {
                return i.kind == Item::SIGNAL; /* signals of a channel stay in order */
            }))
            loose.push_back(r.first);
    }
    const size_t all = full.size() + loose.size() + packets_.size();
    if (all == 0)
        return false;
    size_t k = rng_() % all;
    if (k < packets_.size()) {
        Arrive(packets_[k]);
        packet_[packets_[k].to] = true;
        packets_.erase(packets_.begin() + (long)k);
        return true;
    }
    k -= packets_.size();
    if (k < loose.size()) {
        const auto [g, t, to] = loose[k];
        relaxed_[loose[k]]--;
        signals_[{to, t, g}]++;
        return true;
    }
    const auto [g, t, to] = full[k - loose.size()];
    auto &wire = wire_[{g, t, to}];
    const Item item = wire.front();
    wire.pop_front();
    if (item.kind == Item::SIGNAL)
        signals_[{to, t, g}]++;
    else
        Arrive(item);
    return true;
}

void Player::Fill()
{
    for (int g = 0; g < n_; g++) {
        memory_.emplace_back();
        for (auto [buffer, chunks] :
             {std::pair('i', p_.in), std::pair('o', p_.out), std::pair('s', p_.scratch)})
            for (int k = 0; k < chunks * p_.fine; k++)
                memory_.back()[buffer].push_back(rng_()); /* nobody may rely on what is there */
        in_.push_back(memory_.back()['i']);
        at_.emplace_back(p_.gpus[(size_t)g].tbs.size());
        for (size_t s = 0; s < p_.semaphores.size(); s++)
            semaphores_[{g, (int)s}] = p_.semaphores[s];
    }
}

bool Player::IsRight()
{
    const size_t part = p_.coll == "alltoall" ? in_[0].size() / (size_t)n_ : in_[0].size();
    for (int g = 0; g < n_; g++) {
        const Values &out = memory_[(size_t)g][p_.inplace ? 'i' : 'o'];
        for (size_t k = 0; k < out.size(); k++) {
            uint64_t want = 0;
            if (p_.coll == "allreduce")
                for (const Values &in : in_)
                    want += in[k];
            else if (p_.coll == "allgather")
                want = in_[k / part][k % part];
            else
                want = in_[k / part][(size_t)g * part + k % part];
            if (out[k] != want)
                return false;
        }
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
    const uint64_t slow = 1 + rng_() % 6; /* the network */
    for (;;) {
        if (rng_() % 8 == 0)
            std::swap(all[rng_() % all.size()], all[rng_() % all.size()]);
        if (rng_() % slow == 0 && Deliver())
            continue;
        const auto next = std::find_if(all.begin(), all.end(),
                                       [&](auto gt) { return CanMove(gt.first, gt.second); });
        if (next != all.end()) {
            Move(next->first, next->second);
            if (rng_() % 4 == 0)
                std::rotate(next, next + 1, all.end());
        } else if (!Deliver()) {
            break;
        }
    }
    for (int g = 0; g < n_; g++)
        if (!IsOver(g))
            return false; /* it never ends */
    return !late_ && IsRight();
}

Op Moves(const char *name, std::vector<Piece> src, std::vector<Piece> dst)
{
    Op op;
    op.name = name;
    op.src = std::move(src);
    op.dst = std::move(dst);
    return op;
}

Op Signals(const char *name, std::vector<int> peers)
{
    Op op;
    op.name = name;
    op.peers = std::move(peers);
    return op;
}

Op Semaphore(const char *name, int which)
{
    Op op;
    op.name = name;
    op.semaphores = {which};
    return op;
}

Op Barrier(int threadblocks)
{
    Op op;
    op.name = "barrier";
    op.barrier = 0;
    op.threadblocks = threadblocks;
    return op;
}

Gpu Made(std::vector<std::vector<Op>> tbs, bool pipeline = false)
{
    const size_t n = tbs.size();
    return {std::move(tbs), std::vector<bool>(n, pipeline)};
}

std::vector<int> Others(int g, int n)
{
    std::vector<int> all;
    for (int k = 1; k < n; k++)
        all.push_back((g + k) % n);
    return all;
}

} // namespace

std::string Plan::Json() const
{
    std::vector<std::string> all;
    for (int g = 0; g < (int)gpus.size(); g++)
        all.push_back("\n" + Text(*this, g));
    return "{\"name\":\"t\",\"collective\":\"" + coll +
           "\",\"protocol\":\"Simple\",\"inplace\":" + (inplace ? "true" : "false") +
           ",\"max_message_size\":18446744073709551615,\"gpus\":" + List(all) + "}\n";
}

bool PlaysRight(const Plan &p, std::mt19937_64 &rng)
{
    return Player(p, rng).Play();
}

/* A threadblock writes its chunk to everybody and hands on what the next one wrote. */
Plan GatherByWrites(int n)
{
    Plan p{"allgather", false, 1, n, 1, 1, {}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<Op> ops = {Moves("copy", {{g, 'i', 0}}, {{g, 'o', g}})};
        for (int to : Others(g, n))
            ops.push_back(Moves("put", {{g, 'i', 0}}, {{to, 'o', g}}));
        ops.push_back(Signals("signal", Others(g, n)));
        ops.push_back(Signals("wait", Others(g, n)));
        ops.push_back(Moves("copy", {{g, 'o', (g + 1) % n}}, {{g, 's', 0}}));
        p.gpus.push_back(Made({ops}));
    }
    return p;
}

/* Each asks for the others' chunks, a threadblock per GPU. */
Plan GatherByReads(int n, bool in_pipelines)
{
    Plan p{"allgather", false, 1, n, 1, 1, {}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<std::vector<Op>> tbs = {{Moves("copy", {{g, 'i', 0}}, {{g, 'o', g}}),
                                             Moves("copy", {{g, 'i', 0}}, {{g, 's', 0}}),
                                             Signals("signal", Others(g, n)),
                                             Signals("wait", Others(g, n))}};
        for (int from : Others(g, n))
            tbs[0].push_back(Moves("get", {{from, 's', 0}}, {{g, 'o', from}}));
        p.gpus.push_back(Made(tbs, in_pipelines));
    }
    return p;
}

/* Chunk g is added up at g, from packets; `group` threadblocks share each step. */
Plan ReduceByPackets(int n, int group)
{
    Plan p{"allreduce", true, n, n, 2 * n, group, {}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<std::vector<Op>> tbs;
        for (int k = 0; k < group; k++) {
            std::vector<Op> first, last;
            std::vector<Piece> src = {{g, 'i', g}}, dst = {{g, 'i', g}};
            for (int to : Others(g, n)) {
                first.push_back(Moves("ppkt", {{g, 'i', to}}, {{to, 's', g}}));
                src.push_back({g, 's', to});
                dst.push_back({to, 's', n + g});
                last.push_back(Moves("upkt", {{g, 's', n + to}}, {{g, 'i', to}}));
            }
            first.push_back(Moves("respkt", src, dst));
            /* nobody overwrites a chunk before it has gone out */
            first.push_back(Barrier(2 * group));
            last.insert(last.begin(), Barrier(2 * group));
            for (auto *ops : {&first, &last})
                for (Op &op : *ops)
                    if (!op.src.empty() && group > 1) {
                        op.share = k;
                        op.shares = group;
                    }
            tbs.push_back(first);
            tbs.push_back(last);
        }
        p.gpus.push_back(Made(tbs));
    }
    return p;
}

/* Chunk g is added up at g, which reads it from all and writes it to all. */
Plan ReduceByReads(int n)
{
    Plan p{"allreduce", true, n, n, n, 1, {}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<Op> ops = {Signals("rlxsignal", Others(g, n)),
                               Signals("rlxwait", Others(g, n))};
        std::vector<Piece> src = {{g, 'i', g}};
        for (int from : Others(g, n))
            src.push_back({from, 'i', g});
        ops.push_back(Moves("rre", src, {{g, 's', g}}));
        for (int to : Others(g, n))
            ops.push_back(Moves("put", {{g, 's', g}}, {{to, 'i', g}}));
        ops.push_back(Moves("copy", {{g, 's', g}}, {{g, 'i', g}}));
        ops.push_back(Signals("signal", Others(g, n)));
        ops.push_back(Signals("wait", Others(g, n)));
        p.gpus.push_back(Made({ops}));
    }
    return p;
}

/* Two rounds over one chunk of scratch: semaphores hand it from threadblock to threadblock. */
Plan GatherOverScratch(int n)
{
    Plan p{"allgather", false, 2, 2 * n, 1, 1, {1, 0}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<Op> fills, sends;
        for (int c = 0; c < 2; c++) {
            fills.push_back(Semaphore("sem_acquire", 0)); /* empty: so it is at first */
            fills.push_back(Moves("copy", {{g, 'i', c}}, {{g, 's', 0}}));
            fills.push_back(Semaphore("sem_release", 1));
            sends.push_back(Semaphore("sem_acquire", 1));
            sends.push_back(Moves("copy", {{g, 's', 0}}, {{g, 'o', 2 * g + c}}));
            for (int to : Others(g, n))
                sends.push_back(Moves("put", {{g, 's', 0}}, {{to, 'o', 2 * g + c}}));
            sends.push_back(Semaphore("sem_release", 0));
        }
        sends.push_back(Signals("signal", Others(g, n)));
        sends.push_back(Signals("wait", Others(g, n)));
        p.gpus.push_back(Made({fills, sends}, true));
    }
    return p;
}

/* Threadblock k fetches what is for its half of the GPUs; all copy after a barrier. */
Plan ExchangeBehindABarrier(int n)
{
    Plan p{"alltoall", false, n, n, n, 1, {}, {}};
    for (int g = 0; g < n; g++) {
        std::vector<std::vector<Op>> tbs(2);
        for (int k = 0; k < 2; k++) {
            for (int to : Others(g, n))
                if (to % 2 == k)
                    tbs[(size_t)k].push_back(Moves("put", {{g, 'i', to}}, {{to, 's', g}}));
            tbs[(size_t)k].push_back(Signals("signal", Others(g, n)));
            tbs[(size_t)k].push_back(Signals("wait", Others(g, n)));
            tbs[(size_t)k].push_back(Barrier(2));
            for (int from = 0; from < n; from++)
                if (from % 2 != k)
                    tbs[(size_t)k].push_back(
                        Moves("copy", {{g, from == g ? 'i' : 's', from}}, {{g, 'o', from}}));
        }
        p.gpus.push_back(Made(tbs));
    }
    return p;
}

} // namespace mscclpp
