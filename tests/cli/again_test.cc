// SPDX-License-Identifier: GPL-2.0-only
// A run whose optimisations meet what they did not foresee begins again without them: its files are
// those of a run without, and run.json, the summary and a warning say so. Played by a backend that
// fails where it is asked to replay.
#include "tests/base/temp_dir.h"

#include "command/command.h"
#include "net/net.h"
#include "run/interrupt.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace
{

struct weft_net_ops ops; // of the ideal backend, but for these:
const struct weft_net_ops *inner;
bool took_part; // replay has done something

int run(weft_net *net, int64_t until_ps, weft_err *err)
{
    inner->run(net, until_ps, err);
    weft_totals t = {};
    inner->totals(net, &t);
    if (t.msgs_received < 5)
        return err->code;
    return weft_err_set(err, WEFT_E_INTERNAL, "this was not foreseen");
}

void replay(weft_net *, weft_replay_figures *out)
{
    *out = {};
    out->looks = took_part;
}

int create(const weft_net_config *config, weft_net **out, weft_err *err)
{
    const int rc = weft_net_ideal.create(config, out, err);
    if (rc || config->dry || !config->replay)
        return rc;
    inner = (*out)->ops;
    ops = *inner;
    ops.run = run;
    ops.replay = replay;
    (*out)->ops = &ops;
    return 0;
}

struct Played {
    int code;
    std::string out, err;
    std::map<std::string, std::string> files;
};

Played play(const std::string &replay_as, bool fallback)
{
    TempDir dir;
    struct weft_net_backend backend = weft_net_ideal;
    backend.create = create;
    const struct weft_net_backend *const backends[] = {&backend};
    struct weft_out written = {};
    written.fd = open((dir / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FILE *err = fopen((dir / "err").c_str(), "w");
    struct weft_log_file to = {err, false};
    struct weft_log log = {};
    log.level = WEFT_LOG_INFO;
    log.sink = weft_log_file_sink;
    log.user = &to;
    struct weft_cli cli = {};
    cli.out = weft_out_open(&written);
    cli.written = &written;
    cli.err = err;
    cli.log = &log;
    cli.backends = backends;
    cli.nbackends = 1;
    cli.interrupted = weft_interrupt_flag();
    cli.no_fallback = !fallback;
    std::vector<std::string> words = {"weft",       "run",
                                      "--out",      dir / "folder",
                                      "--progress", "never",
                                      "--set",      "topology.type=single-switch",
                                      "--set",      "single-switch.hosts=4",
                                      "--set",      "workload.type=generate",
                                      "--set",      "generate.kind=all-reduce",
                                      "--set",      "run.replay=" + replay_as};
    std::vector<char *> argv;
    for (std::string &w : words)
        argv.push_back(w.data());
    Played p;
    p.code = weft_cli_main(&cli, static_cast<int>(argv.size()), argv.data());
    fclose(cli.out);
    fclose(err);
    p.out = slurp(dir / "said");
    p.err = slurp(dir / "err");
    for (auto &f : fs::recursive_directory_iterator(dir / "folder"))
        if (f.is_regular_file())
            p.files[f.path().filename().string()] = slurp(f.path().string());
    return p;
}

} // namespace

TEST(Again, WithoutWhatFailed)
{
    took_part = true;
    Played off = play("off", true), on = play("exact", true);
    ASSERT_EQ(off.code, 0) << off.err;
    ASSERT_EQ(on.code, 0) << on.err;
    EXPECT_NE(off.files["run.json"].find("\"fallbacks\": 0"), std::string::npos);
    EXPECT_NE(on.files["run.json"].find("\"fallbacks\": 1"), std::string::npos);
    EXPECT_EQ(off.err, "");
    EXPECT_NE(on.err.find("this was not foreseen"), std::string::npos) << on.err;
    EXPECT_EQ(off.out.find("begun again"), std::string::npos) << off.out;
    EXPECT_NE(on.out.find("begun again"), std::string::npos) << on.out;
    off.files.erase("run.json");
    on.files.erase("run.json");
    EXPECT_GT(off.files.size(), 5u);
    EXPECT_EQ(off.files, on.files);
}

/* Tests are told of the error itself; and what no optimisation had a part in fails again. */
TEST(Again, NotWhereItWouldHideSomething)
{
    took_part = true;
    const Played told = play("exact", false);
    EXPECT_EQ(told.code, 70);
    EXPECT_NE(told.err.find("this was not foreseen"), std::string::npos) << told.err;
    EXPECT_EQ(told.files.count("finished"), 0u);
    took_part = false;
    EXPECT_EQ(play("exact", true).code, 70);
}
