/* SPDX-License-Identifier: GPL-2.0-only */
/* Writer to reader: random traces come back the same, random graphs keep their edges. */
#include "dump.h"
#include "workload/chakra_json.h"
#include "workload/chakra_read.h"
#include "workload/et_build.h"

#include <rapidcheck/gtest.h>

#include <set>

using namespace wire;

namespace
{

const int g_seeded = setenv("RC_PARAMS", "seed=20240901", 0); // the same cases in every run

/** Text without NUL. */
rc::Gen<std::string> TextGen()
{
    return rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
}

union weft_et_scalar ScalarGen(weft_arena *arena, int kind)
{
    union weft_et_scalar v = {};
    int bits = kind == WEFT_ET_INT32 || kind == WEFT_ET_UINT32 || kind == WEFT_ET_SINT32 ||
                       kind == WEFT_ET_FIXED32 || kind == WEFT_ET_SFIXED32
                   ? 32
                   : 64;
    auto any = *rc::gen::arbitrary<uint64_t>() << *rc::gen::inRange(0, 64);
    switch (weft_et_kind_class(static_cast<weft_et_kind>(kind))) {
    case WEFT_ET_CLASS_REAL:
        v.f64 =
            kind == WEFT_ET_FLOAT ? *rc::gen::arbitrary<float>() : *rc::gen::arbitrary<double>();
        break;
    case WEFT_ET_CLASS_SIGNED:
        v.i64 = bits == 32 ? static_cast<int32_t>(any) : static_cast<int64_t>(any);
        break;
    case WEFT_ET_CLASS_UNSIGNED:
        v.u64 = kind == WEFT_ET_BOOL ? any & 1 : bits == 32 ? static_cast<uint32_t>(any) : any;
        break;
    default: {
        std::string s = *TextGen();
        if (kind == WEFT_ET_BYTES)
            s += std::string("\0\x80", 2);
        char *copy = static_cast<char *>(weft_arena_alloc(arena, s.size() + 1));
        memcpy(copy, s.data(), s.size());
        v.text.data = copy;
        v.text.len = s.size();
    }
    }
    return v;
}

weft_et_attr *AttrsGen(weft_arena *arena, size_t *n)
{
    *n = static_cast<size_t>(*rc::gen::inRange(0, 5));
    auto *attrs = static_cast<weft_et_attr *>(weft_arena_calloc(arena, *n, sizeof(weft_et_attr)));
    for (size_t i = 0; i < *n; i++) {
        attrs[i].name = weft_arena_strdup(arena, (*TextGen()).c_str());
        attrs[i].doc = weft_arena_strdup(arena, (*TextGen()).c_str());
        int kind = *rc::gen::inRange(2, WEFT_ET_KIND_MAX + 1); // 2 stands for "no value"
        attrs[i].kind = kind == 2 ? WEFT_ET_NONE : static_cast<weft_et_kind>(kind);
        if (kind % 2) {
            attrs[i].value = ScalarGen(arena, kind);
        } else if (kind > 2) {
            size_t count = static_cast<size_t>(*rc::gen::inRange(0, 4));
            auto *v = static_cast<weft_et_scalar *>(
                weft_arena_calloc(arena, count, sizeof(weft_et_scalar)));
            for (size_t k = 0; k < count; k++)
                v[k] = ScalarGen(arena, kind - 1);
            attrs[i].values = v;
            attrs[i].nvalues = count;
        }
    }
    return attrs;
}

uint64_t *DepsGen(weft_arena *arena, size_t *n)
{
    auto ids = *rc::gen::arbitrary<std::vector<uint64_t>>();
    auto *p = static_cast<uint64_t *>(weft_arena_calloc(arena, ids.size(), 8));
    std::copy(ids.begin(), ids.end(), p);
    *n = ids.size();
    return p;
}

weft_et *EtGen(weft_arena *arena)
{
    auto *et = static_cast<weft_et *>(weft_arena_alloc(arena, sizeof(weft_et)));
    et->version = *rc::gen::element("", "0.0.4", "1.0.0");
    et->attrs = AttrsGen(arena, &et->nattrs);
    et->nnodes = static_cast<size_t>(*rc::gen::inRange(0, 6));
    et->nodes =
        static_cast<weft_et_node *>(weft_arena_calloc(arena, et->nnodes, sizeof(weft_et_node)));
    for (size_t i = 0; i < et->nnodes; i++) {
        weft_et_node &n = et->nodes[i];
        n.id = *rc::gen::arbitrary<uint64_t>();
        n.name = weft_arena_strdup(arena, (*TextGen()).c_str());
        n.type = *rc::gen::arbitrary<int32_t>();
        n.ctrl_deps = DepsGen(arena, &n.nctrl_deps);
        n.data_deps = DepsGen(arena, &n.ndata_deps);
        n.start_us = *rc::gen::arbitrary<uint64_t>();
        n.duration_us = *rc::gen::arbitrary<uint64_t>();
        n.inputs.present = *rc::gen::arbitrary<bool>();
        n.inputs.values = weft_arena_strdup(arena, (*TextGen()).c_str());
        n.attrs = AttrsGen(arena, &n.nattrs);
    }
    return et;
}

} // namespace

RC_GTEST_PROP(RoundTrip, AnyTraceComesBack, ())
{
    Arena arena;
    weft_et *et = EtGen(arena.a);
    Bytes bytes = Encode(et);
    weft_et *back = nullptr;
    weft_err err{};
    int rc = weft_chakra_read_et_memory("x.et", bytes.data(), bytes.size(), arena.a, &back, &err);
    if (rc != 0)
        RC_FAIL(Text(err));
    for (size_t i = 0; i < et->nnodes; i++) {
        weft_et_io *io = &et->nodes[i].inputs;
        io->shapes = io->types = "";
    }
    RC_ASSERT(Dump(back) == Dump(et));
    RC_ASSERT(Encode(back) == bytes);
}

RC_GTEST_PROP(RoundTrip, AnyTraceComesBackFromJson, ())
{
    Arena arena;
    weft_et *et = EtGen(arena.a);
    for (size_t i = 0; i < et->nnodes; i++)
        for (weft_et_io *io : {&et->nodes[i].inputs, &et->nodes[i].outputs})
            for (const char **text : {&io->values, &io->shapes, &io->types})
                *text = *text ? *text : "";
    char *json = nullptr;
    size_t size = 0;
    weft_err err{};
    FILE *f = open_memstream(&json, &size);
    RC_ASSERT(weft_chakra_json_write(et, f, "x.json", &err) == 0);
    fclose(f);
    weft_et *back = nullptr;
    RC_ASSERT(weft_chakra_is_json(reinterpret_cast<uint8_t *>(json), size));
    const int rc = weft_chakra_read_et_memory("x.json", json, size, arena.a, &back, &err);
    free(json);
    if (rc != 0)
        RC_FAIL(Text(err));
    RC_ASSERT(Encode(back) == Encode(et));
}

RC_GTEST_PROP(RoundTrip, AnyGraphKeepsItsEdges, (uint16_t seed_bits))
{
    Arena arena;
    weft_et_build b;
    weft_et_build_start(&b, arena.a);
    int n = *rc::gen::inRange(1, 40);
    uint64_t step = 1 + seed_bits % 1000; // ids with gaps
    // A random order of the file; edges only from lower to higher ids, so no cycle.
    std::vector<uint64_t> order;
    for (int i = 0; i < n; i++)
        order.insert(order.begin() + *rc::gen::inRange(0, i + 1), static_cast<uint64_t>(i));
    std::set<std::pair<uint64_t, uint64_t>> edges;
    for (uint64_t i : order) {
        weft_et_build_comp(&b, i * step, "n", i);
        for (int k = *rc::gen::inRange(0, 4); i > 0 && k > 0; k--) {
            uint64_t p = *rc::gen::inRange<uint64_t>(0, i);
            if (*rc::gen::arbitrary<bool>())
                weft_et_build_data_dep(&b, p * step);
            else
                weft_et_build_ctrl_dep(&b, p * step);
            edges.insert({p * step, i * step});
        }
    }
    weft_et *et = nullptr;
    weft_err err{};
    RC_ASSERT(weft_et_build_finish(&b, &et, &err) == 0);

    Folder dir;
    bool gz = *rc::gen::arbitrary<bool>();
    std::string path = dir / (gz ? "t.0.et.gz" : "t.0.et");
    RC_ASSERT(weft_chakra_write_et(et, path.c_str(), &err) == 0);
    weft_workload *w = nullptr;
    if (weft_chakra_read((dir / "t").c_str(), 1, nullptr, &w, &err) != 0)
        RC_FAIL(Text(err));

    const weft_dag &d = w->dags[0];
    std::set<std::pair<uint64_t, uint64_t>> got;
    size_t parents = 0, children = 0;
    for (uint32_t i = 0; i < d.nops; i++) {
        RC_ASSERT(d.ops[i].id == i * step); // ascending
        RC_ASSERT(d.ops[i].duration_ps == static_cast<int64_t>(i) * 1000000);
        parents += d.ops[i].nparents;
        children += d.ops[i].nchildren;
        for (uint32_t k = 0; k < d.ops[i].nchildren; k++)
            got.insert({d.ops[i].id, d.ops[d.children[d.ops[i].first_child + k]].id});
    }
    RC_ASSERT(d.nops == static_cast<uint32_t>(n));
    RC_ASSERT(got == edges);
    RC_ASSERT(parents == edges.size());
    RC_ASSERT(children == edges.size());
    weft_workload_free(w);
}
