/* SPDX-License-Identifier: GPL-2.0-only */
/* Writer to reader: random traces come back the same, random graphs keep their edges. */
#include "dump.h"
#include "workload/chakra_json.h"
#include "workload/chakra_read.h"
#include "workload/et_build.h"

#include <rapidcheck/gtest.h>

#include <set>
#include <stdexcept>

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

weft_et_io IoGen(weft_arena *arena)
{
    weft_et_io io = {*rc::gen::arbitrary<bool>(), "", "", ""};
    for (const char **text : {&io.values, &io.shapes, &io.types})
        *text = io.present ? weft_arena_strdup(arena, (*TextGen()).c_str()) : "";
    return io;
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
        n.inputs = IoGen(arena);
        n.outputs = IoGen(arena);
        n.attrs = AttrsGen(arena, &n.nattrs);
    }
    return et;
}

weft_et *Read(weft_arena *arena, const char *name, const Bytes &bytes)
{
    weft_et *et = nullptr;
    weft_err err{};
    if (weft_chakra_read_et_memory(name, bytes.data(), bytes.size(), arena, &et, &err) != 0)
        throw std::runtime_error(Text(err));
    return et;
}

Bytes Json(const weft_et *et)
{
    char *json = nullptr;
    size_t size = 0;
    weft_err err{};
    FILE *f = open_memstream(&json, &size);
    const int rc = weft_chakra_json_write(et, f, "x.json", &err);
    fclose(f);
    const Bytes text(json, size);
    free(json);
    if (rc != 0)
        throw std::runtime_error(Text(err));
    return text;
}

} // namespace

/* A trace with something in it: readers refuse one of nothing. */
weft_et *SomeEt(weft_arena *a)
{
    weft_et *et = EtGen(a);
    RC_PRE(et->nnodes > 0 || (et->version && et->version[0]));
    return et;
}

RC_GTEST_PROP(RoundTrip, AnyTraceComesBack, ())
{
    Arena arena;
    weft_et *et = SomeEt(arena.a);
    for (size_t i = 0; i < et->nnodes; i++)
        if (*rc::gen::arbitrary<bool>()) { // a field of a schema to come
            auto *others = static_cast<uint8_t *>(weft_arena_alloc(arena.a, 8));
            const Bytes field = *rc::gen::arbitrary<bool>()
                                    ? Blob(*rc::gen::inRange(11, 4000), "ab")
                                    : Int(*rc::gen::inRange(11, 4000), *rc::gen::inRange(0, 300));
            memcpy(others, field.data(), field.size());
            et->nodes[i].others = others;
            et->nodes[i].nothers = field.size();
        }
    Bytes bytes = Encode(et);
    const weft_et *back = Read(arena.a, "x.et", bytes);
    RC_ASSERT(Dump(back) == Dump(et));
    RC_ASSERT(Encode(back) == bytes);
}

RC_GTEST_PROP(RoundTrip, AnyTraceComesBackFromJson, ())
{
    Arena arena;
    weft_et *et = SomeEt(arena.a);
    const Bytes json = Json(et);
    RC_ASSERT(weft_chakra_is_json(reinterpret_cast<const uint8_t *>(json.data()), json.size()));
    weft_et *back = Read(arena.a, "x.json", json);
    RC_ASSERT(Encode(back) == Encode(et));
    /* and JSON from the file: the same text */
    RC_ASSERT(Json(Read(arena.a, "x.et", Encode(back))) == json);
}

TEST(RoundTrip, FieldsOfAnotherSchemaHaveNoNamesInJson)
{
    Arena arena;
    const Bytes storage = Blob(11, Int(1, 1) + Blob(10, Int(1, 3) + Int(5, 4096)));
    const Bytes file = Header() + Frame(NodeHead(4, "read", 8) + storage);
    weft_et *et = Read(arena.a, "x.et", file);
    EXPECT_EQ(Bytes(reinterpret_cast<const char *>(et->nodes[0].others), et->nodes[0].nothers),
              storage);
    EXPECT_EQ(Encode(et), file);
    EXPECT_THROW(Json(et), std::runtime_error);
    et->nodes[0].nothers = 0;
    EXPECT_NE(Json(et).find("\"STORAGE_NODE\""), Bytes::npos);
    EXPECT_EQ(Read(arena.a, "x.json", Json(et))->nodes[0].type, WEFT_ET_STORAGE_NODE);
}

/* Every trace of ASTRA-sim's, byte for byte, when the outside data is there. */
TEST(RoundTrip, SharedTraces)
{
    const char *shared = getenv("WEFT_SHARED");
    const std::filesystem::path data = std::filesystem::path(shared ? shared : "") / "data";
    if (!shared || !std::filesystem::is_directory(data))
        GTEST_SKIP() << "no outside data (WEFT_SHARED)";
    int files = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(data)) {
        if (entry.path().extension() != ".et")
            continue;
        Arena arena;
        const Bytes bytes = ReadAll(entry.path());
        weft_et *et = Read(arena.a, "x.et", bytes);
        EXPECT_EQ(Encode(et), bytes) << entry.path();
        const Bytes json = Json(et);
        EXPECT_EQ(Encode(Read(arena.a, "x.json", json)), bytes) << entry.path();
        EXPECT_EQ(Json(Read(arena.a, "x.et", Encode(Read(arena.a, "x.json", json)))), json);
        files++;
    }
    EXPECT_GE(files, 60);
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
