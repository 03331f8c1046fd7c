/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "weft-fabric.h"

#include "base/needs.h"
#include "base/rng.h"
#include "weft-choice.h"
#include "weft-net-device.h"
#include "weft-trace-source.h"

#include "ns3/abort.h"
#include "ns3/fatal-error.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <vector>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftFabric");

NS_OBJECT_ENSURE_REGISTERED(WeftFabric);

TypeId
WeftFabric::GetTypeId()
{
    static TypeId tid = [] {
        TypeId t =
            TypeId("ns3::WeftFabric")
                .SetParent<Object>()
                .SetGroupName("Weft")
                .AddConstructor<WeftFabric>()
                .AddAttribute(
                    "CongestionControl",
                    "The congestion control of all QPs: an entry of weft's table, whose "
                    "parameters are the attributes of ns3::WeftCc<Name>; or model: what "
                    "CongestionControlModel is",
                    WeftChoiceValue(WeftCongestionControl::GetChoice("dcqcn")),
                    MakeAccessorHelper<WeftEnumValue>(&WeftFabric::SetCongestionControlChoice,
                                                      &WeftFabric::GetCongestionControlChoice),
                    WeftMakeChoiceChecker(WeftCongestionControl::GetChoices()))
                .AddAttribute("CongestionControlModel",
                              "The congestion control with its parameters, in place of "
                              "CongestionControl",
                              PointerValue(),
                              MakePointerAccessor(&WeftFabric::SetCongestionControl,
                                                  &WeftFabric::GetCongestionControl),
                              MakePointerChecker<WeftCongestionControl>())
                .AddAttribute("Seed",
                              "Seed of all randomness of the engine; 0: from RngSeed and RngRun",
                              UintegerValue(0),
                              MakeUintegerAccessor(&WeftFabric::m_seed),
                              MakeUintegerChecker<uint64_t>())
                .AddAttribute("Threads",
                              "Threads that run switches, with the same results; 0: one per "
                              "processor",
                              UintegerValue(1),
                              MakeUintegerAccessor(&WeftFabric::m_threads),
                              MakeUintegerChecker<uint32_t>(0, 255))
                .AddAttribute("CaptureDirectory",
                              "Where the links of CaptureLinks are captured",
                              StringValue("."),
                              MakeStringAccessor(&WeftFabric::SetCaptureDirectory,
                                                 &WeftFabric::GetCaptureDirectory),
                              MakeStringChecker())
                .AddTraceSource("FrameDrop",
                                "A packet of the IP stack was dropped in the fabric",
                                MakeTraceSourceAccessor(&WeftFabric::m_frameDrop),
                                "ns3::WeftFabric::FrameDropTracedCallback");
#define WEFT_ROW(KIND, NAME, MEMBER, TYPE, HELP, ...)                                              \
    t.AddTraceSource(#NAME, HELP, MakeWeftTraceSourceAccessor(&WeftFabric::MEMBER), "ns3::" #TYPE);
        WEFT_SHARED_TRACES(WEFT_ROW)
#undef WEFT_ROW
        for (const weft_engine_section& section : weft_engine_sections)
        {
            WeftAddParamAttributes(t, section.params, WeftCamelCase(section.name));
        }
        WeftAddParamAttributes(t, weft_capture_table, "Capture");
        return t;
    }();
    return tid;
}

WeftFabric::WeftFabric()
    : m_params()
{
    NS_LOG_FUNCTION(this);
    weft_err err = {};
    if (weft_engine_params_defaults(&m_params, &err) != 0)
    {
        NS_FATAL_ERROR("defaults of the engine: " << err.msg);
    }
}

WeftFabric::~WeftFabric()
{
    NS_LOG_FUNCTION(this);
    // The pump must release the engine before it is freed.
    m_pump.SetEngine(nullptr);
    weft_engine_free(m_engine);
    weft_fabric_free(m_ownGraph);
}

void
WeftFabric::DoDispose()
{
    // The engine and its congestion control stay, for those who look at what was counted; they go
    // together.
    m_pump.Retire();
    m_devices.Clear();
    m_frames.Clear();
    Object::DoDispose();
}

void
WeftFabric::SetGraph(weft_fabric* graph)
{
    NS_LOG_FUNCTION(this << graph);
    NS_ABORT_MSG_IF(m_engine, "the graph of a fabric in use cannot change");
    weft_fabric_free(m_ownGraph);
    m_ownGraph = graph;
    m_graph = graph;
}

void
WeftFabric::BorrowGraph(const weft_fabric* graph)
{
    NS_LOG_FUNCTION(this << graph);
    SetGraph(nullptr);
    m_graph = graph;
}

void
WeftFabric::SetParams(const weft_engine_params& params)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_engine, "the parameters of a fabric in use cannot change");
    m_params = params;
}

void*
WeftFabric::GetParamStruct(const weft_param_table& table)
{
    NS_LOG_FUNCTION(this);
    for (const weft_engine_section& section : weft_engine_sections)
    {
        if (&section.params == &table)
        {
            return reinterpret_cast<char*>(&m_params) + section.offset;
        }
    }
    if (&table == &weft_capture_table)
    {
        return &m_capture.GetParams();
    }
    NS_FATAL_ERROR("not a parameter table of the engine");
    return nullptr;
}

bool
WeftFabric::AreParamsFrozen() const
{
    NS_LOG_FUNCTION(this);
    return m_engine != nullptr;
}

void
WeftFabric::SetCongestionControlName(std::string name)
{
    NS_LOG_FUNCTION(this << name);
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_ccName = name;
    m_cc = nullptr;
    m_ccOps = nullptr;
}

std::string
WeftFabric::GetCongestionControlName() const
{
    NS_LOG_FUNCTION(this);
    return m_ccOps ? m_ccOps->name : m_cc ? m_cc->GetOps()->name : m_ccName;
}

void
WeftFabric::SetCongestionControlChoice(int choice)
{
    const std::vector<std::string> words = WeftCongestionControl::GetChoices();
    if (choice + 1 < static_cast<int>(words.size()))
    {
        SetCongestionControlName(words[choice]);
    }
}

int
WeftFabric::GetCongestionControlChoice() const
{
    return WeftCongestionControl::GetChoice(GetCongestionControlName());
}

void
WeftFabric::SetCongestionControl(Ptr<WeftCongestionControl> cc)
{
    NS_LOG_FUNCTION(this << cc);
    if (!cc)
    {
        return; // the attribute's initial value
    }
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_cc = cc;
    m_ccOps = nullptr;
}

Ptr<WeftCongestionControl>
WeftFabric::GetCongestionControl() const
{
    NS_LOG_FUNCTION(this);
    if (!m_cc && !m_ccOps)
    {
        weft_err err = {};
        m_cc = WeftCongestionControl::CreateByName(m_ccName, &err);
    }
    return m_cc;
}

void
WeftFabric::BorrowCongestionControl(const weft_cc_ops* ops, const void* params)
{
    NS_LOG_FUNCTION(this << ops << params);
    NS_ABORT_MSG_IF(m_engine, "the congestion control of a fabric in use cannot change");
    m_cc = nullptr;
    m_ccOps = ops;
    m_ccParams = params;
}

void
WeftFabric::SetSeed(uint64_t seed)
{
    NS_LOG_FUNCTION(this << seed);
    m_seed = seed;
    m_seedGiven = true;
}

void
WeftFabric::ExpectPeers(const weft_peers* peers)
{
    NS_LOG_FUNCTION(this << peers);
    m_peers = peers;
}

void
WeftFabric::SetThreads(uint32_t threads, uint64_t shuffle)
{
    NS_LOG_FUNCTION(this << threads << shuffle);
    m_threads = threads;
    m_threadShuffle = shuffle;
}

void
WeftFabric::SetReplay(weft_replaying replay, uint64_t mostBytes, double tolerance, bool resamples)
{
    NS_LOG_FUNCTION(this << replay << mostBytes << tolerance << resamples);
    m_replay = replay;
    m_replayTolerance = tolerance;
    m_replayResamples = resamples;
    m_replayBytes = mostBytes;
}

int64_t
WeftFabric::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    NS_ABORT_MSG_IF(m_engine, "streams are assigned before the fabric is used");
    m_stream = stream;
    return 1;
}

uint64_t
WeftFabric::MakeSeed() const
{
    if (m_seedGiven || m_seed != 0)
    {
        return m_seed;
    }
    weft_rng rng = weft_rng_stream(RngSeedManager::GetSeed(), "ns-3 stream", m_stream);
    return weft_mix64(weft_rng_u64(&rng) + RngSeedManager::GetRun());
}

int
WeftFabric::Build(weft_err* err)
{
    NS_LOG_FUNCTION(this);
    if (m_engine)
    {
        return 0;
    }
    weft_engine_config config = {};
    int rc = Configure(config, err);
    if (rc != 0)
    {
        return rc;
    }
    if (m_cc)
    {
        m_cc->Freeze();
    }
    m_engine = weft_engine_new(&config, err);
    if (!m_engine)
    {
        return err && err->code ? err->code : WEFT_E_LIMIT;
    }
    m_pump.SetEngine(m_engine);
    rc = weft_engine_set_replay(m_engine, m_replay, m_replayBytes, err);
    if (rc != 0)
    {
        return rc;
    }
    weft_engine_set_tolerance(m_engine, m_replayTolerance, m_replayResamples);
    rc = weft_engine_set_threads(m_engine, m_threads, m_threadShuffle, err);
    if (rc != 0)
    {
        return rc;
    }
    rc = m_capture.Open(err);
    if (rc != 0)
    {
        return rc;
    }
    m_fanOut.Update();
    if (IsShared())
    {
        rc = m_threads == 1 ? weft_engine_set_peers(m_engine, m_peers, err)
                            : weft_err_set(err, WEFT_E_ALONE, "attribute Threads is not 1");
    }
    if (rc != 0)
    {
        return weft_err_prepend(err, "several ranks can't share out the fabric");
    }
    NS_LOG_INFO("engine made: " << m_graph->nhosts << " hosts, " << m_graph->nswitches
                                << " switches, congestion control " << config.cc->name);
    return 0;
}

int
WeftFabric::Configure(weft_engine_config& config, weft_err* err)
{
    if (!m_graph)
    {
        return weft_err_set(err,
                            WEFT_E_INPUT,
                            "the fabric has no graph: call SetGraph, or use "
                            "WeftFabricHelper");
    }
    int rc = WeftCheckSimulation(err);
    if (rc != 0)
    {
        return rc;
    }
    if (!m_ccOps && !m_cc)
    {
        m_cc = WeftCongestionControl::CreateByName(m_ccName, err);
        if (!m_cc)
        {
            return WEFT_E_INPUT;
        }
    }
    config.fabric = m_graph;
    config.params = m_params;
    config.cc = m_ccOps ? m_ccOps : m_cc->GetOps();
    config.cc_params = m_ccOps ? m_ccParams : m_cc->GetParams();
    config.seed = MakeSeed();
    config.peers = m_peers;
    m_fanOut.Start(m_graph->nports);
    config.hooks = m_fanOut.MakeHooks();
    rc = weft_engine_check_config(&config, err);
    if (rc == 0 && m_cc)
    {
        weft_needs_scope scope = {&config.cc->params, config.cc_params, config.cc->name};
        rc = weft_params_refuse_idle(&scope, err);
    }
    return rc;
}

void
WeftFabric::TraceSinksChanged()
{
    NS_LOG_FUNCTION(this);
    m_fanOut.SetEngineHooks();
}

void
WeftFabric::SetCaptureDirectory(std::string directory)
{
    NS_LOG_FUNCTION(this << directory);
    m_capture.SetDirectory(directory);
}

std::string
WeftFabric::GetCaptureDirectory() const
{
    NS_LOG_FUNCTION(this);
    return m_capture.GetDirectory();
}

} // namespace ns3
