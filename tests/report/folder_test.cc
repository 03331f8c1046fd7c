// SPDX-License-Identifier: GPL-2.0-only
#include "fake_net.h"
#include "report/columns.h"
#include "scenario/output.h"
#include "tests/base/temp_dir.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

namespace
{

std::string header(int file)
{
    std::string h;
    for (size_t i = 0; i < weft_csv_files[file]->n; i++)
        h += (i ? "," : "") + std::string(weft_csv_files[file]->columns[i].name);
    return h + "\n";
}

/* Cells of the only row of a file, by column; none is quoted. */
std::map<std::string, std::string> first_row(const std::string &path, int file)
{
    const std::string text = slurp(path), head = header(file);
    std::map<std::string, std::string> cells;
    EXPECT_EQ(text.rfind(head, 0), 0u) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
    std::string row = text.substr(std::min(head.size(), text.size()));
    for (size_t i = 0, at = 0; i < weft_csv_files[file]->n; i++) {
        const size_t end = row.find_first_of(",\n", at);
        EXPECT_EQ(row[end], i + 1 < weft_csv_files[file]->n ? ',' : '\n') << row;
        cells[weft_csv_files[file]->columns[i].name] = row.substr(at, end - at);
        at = end + 1;
    }
    return cells;
}

void nothing_more(weft_json *j, const void *ctx)
{
    weft_json_kv_str(j, "note", static_cast<const char *>(ctx));
}

TEST(Folder, RowsOfEveryFile)
{
    TempDir dir;
    FakeNet net;
    weft_err err = {};
    const std::string path = dir / "deep/er";
    weft_report_config c = {path.c_str(), net.fabric, nullptr};
    weft_report *r = weft_report_new(&c, &err);
    ASSERT_NE(r, nullptr) << err.msg;
    flow(r, 4, 1500, 3000, 2000);
    weft_op op = {};
    op.kind = WEFT_OP_COMP;
    op.id = 12;
    op.name = "fwd, layer \"1\"";
    weft_system_observer so = weft_report_system_observer(r, 0);
    weft_op_record rec = {1, &op, 1000, 2000, 5001, 0};
    int64_t exposed[WEFT_CAUSES] = {};
    exposed[WEFT_CAUSE_OWN_NIC] = 100;
    exposed[WEFT_CAUSE_DEPENDENCY] = 200;
    rec.exposed_ps = exposed;
    so.op(so.ctx, &rec);
    weft_net_observer no = weft_report_net_observer(r);
    weft_net_pfc pfc = {777, 0, 3, 1};
    no.pfc(no.ctx, &pfc);
    pfc = {1777, 0, 3, 0};
    no.pfc(no.ctx, &pfc);
    ASSERT_EQ(weft_report_flush(r, &err), 0) << err.msg;
    const std::map<std::string, std::string> first = first_row(path + "/flows.csv", WEFT_CSV_FLOWS);
    for (const auto &[column, value] : std::map<std::string, std::string>{
             {"id", "4"},
             {"from", "0"},
             {"to", "1"},
             {"tag", "0x0000000000000007"},
             {"prio", "3"},
             {"size_bytes", "1000"},
             {"start_ns", "1.500"},
             {"fct_ns", "3.000"},
             {"ack_ns", "3.100"},
             {"ideal_fct_ns", "2.000"},
             {"slowdown", "1.500000"},
             {"retx_bytes", "5"},
             {"cnps", "2"},
             {"qpn", ""},
             {"own_nic_ns", "0.000"},
             {"fabric_queueing_ns", "1.000"},
         })
        EXPECT_EQ(first.at(column), value) << column;
    EXPECT_EQ(slurp(path + "/ops.csv"),
              header(WEFT_CSV_OPS) +
                  "1,12,\"fwd, layer \"\"1\"\"\",compute,0,1.000,2.000,5.001,4.001,"
                  "0.300,0.000,0.100,0.000,0.000,0.000,0.000,0.000,0.000,0.000,0.200,\n");
    EXPECT_EQ(slurp(path + "/pfc.csv"),
              header(WEFT_CSV_PFC) + "0.777,0,h0,s2,3,pause\n1.777,0,h0,s2,3,resume\n");
    EXPECT_FALSE(std::filesystem::exists(path + "/links.csv"));

    net.ports[3] = {7, 1000, 900, 250, 4096, 11, 2, 3, 4, 5, 6, 8, 9};
    ASSERT_EQ(weft_report_write_links(r, &net.net, 1000, &err), 0) << err.msg;
    const std::string links = slurp(path + "/links.csv");
    EXPECT_EQ(links.rfind(header(WEFT_CSV_LINKS), 0), 0u);
    EXPECT_CONTAINS(
        links,
        "\n3,1,s2,h1,1,200000000000,500.000,7,1000,900,0.250,25.0000,2,0.011,3,4,5,6,8,9,4096\n");
    EXPECT_CONTAINS(links, "\n0,0,h0,s2,0,400000000000,500.000,0,0,0,0.000,0.0000,");

    ASSERT_EQ(weft_report_write_run(r, nothing_more, "hi", &err), 0) << err.msg;
    EXPECT_EQ(slurp(path + "/run.json"), "{\n  \"schema_version\": 1,\n  \"note\": \"hi\"\n}\n");
    ASSERT_EQ(weft_report_mark_finished(r, WEFT_OUTCOME_FINISHED, &err), 0) << err.msg;
    EXPECT_EQ(slurp(path + "/finished"), "finished\n");
    weft_report_free(r);
}

TEST(Folder, ANewRunRemovesTheMarkOfTheOldOne)
{
    TempDir dir;
    FakeNet net;
    weft_err err = {};
    const std::string path = dir / "x";
    weft_report_config c = {path.c_str(), net.fabric, nullptr};
    weft_report *r = weft_report_new(&c, &err);
    ASSERT_EQ(weft_report_mark_finished(r, WEFT_OUTCOME_FINISHED, &err), 0);
    weft_report_free(r);
    r = weft_report_new(&c, &err);
    ASSERT_NE(r, nullptr);
    EXPECT_FALSE(std::filesystem::exists(path + "/finished"));
    weft_report_free(r);
}

TEST(Folder, AnUnusablePlaceIsAnIoError)
{
    TempDir dir;
    FakeNet net;
    weft_err err = {};
    {
        std::ofstream(dir / "file") << "x";
    }
    const std::string path = dir / "file/inside";
    weft_report_config c = {path.c_str(), net.fabric, nullptr};
    EXPECT_EQ(weft_report_new(&c, &err), nullptr);
    EXPECT_EQ(err.code, WEFT_E_IO);
}

TEST(Folder, WriteErrorsSurfaceAtTheNextFlush)
{
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full here";
    TempDir dir;
    FakeNet net;
    weft_err err = {};
    const std::string path = dir / "x";
    std::filesystem::create_directory(path);
    std::filesystem::create_symlink("/dev/full", path + "/flows.csv");
    weft_report_config c = {path.c_str(), net.fabric, nullptr};
    weft_report *r = weft_report_new(&c, &err);
    int code = 0;
    if (r) { /* the header may sit in a buffer until then */
        for (int i = 0; i < 1000 && !code; i++) {
            flow(r, (uint64_t)i, 0, 10, 10);
            code = weft_report_flush(r, &err);
        }
    }
    EXPECT_EQ(err.code, WEFT_E_IO);
    weft_report_free(r);
}

TEST(Folder, AMessageFasterThanIdealIsABug)
{
    FakeNet net;
    weft_err err = {};
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_report *r = weft_report_new(&c, &err);
    flow(r, 0, 0, 10, 10);
    EXPECT_EQ(weft_report_flush(r, &err), 0);
    flow(r, 1, 0, 9, 10);
    EXPECT_EQ(weft_report_flush(r, &err), WEFT_E_INTERNAL);
    EXPECT_CONTAINS(err.msg, "message 1 (h0->h1");
    weft_report_free(r);
}

TEST(Folder, WithoutADirectoryNothingIsWritten)
{
    FakeNet net;
    weft_err err = {};
    weft_report_config c = {nullptr, net.fabric, nullptr};
    weft_report *r = weft_report_new(&c, &err);
    flow(r, 0, 0, 1, 1);
    EXPECT_EQ(weft_report_flush(r, &err), 0);
    EXPECT_EQ(weft_report_write_links(r, &net.net, 1, &err), 0);
    EXPECT_EQ(weft_report_write_run(r, nothing_more, "", &err), 0);
    EXPECT_EQ(weft_report_mark_finished(r, WEFT_OUTCOME_FINISHED, &err), 0);
    weft_report_free(r);
}

} // namespace

// The names that output.tables takes are those of the files.
TEST(Folder, EveryTableCanBeChosen)
{
    const weft_param *tables = weft_params_find(&weft_output_param_table, "tables");
    ASSERT_NE(tables, nullptr);
    for (const weft_csv_file *file : weft_csv_files) {
        const std::string name = std::string(file->name).substr(0, strlen(file->name) - 4);
        weft_output_params p = {name.c_str(), weft_output_params::WEFT_OUTPUT_AUTO, 0};
        for (const weft_csv_file *other : weft_csv_files)
            EXPECT_EQ(weft_output_has(&p, other->name), other == file) << other->name;
        EXPECT_NE(std::string(tables->help).find(name), std::string::npos) << name;
    }
}
