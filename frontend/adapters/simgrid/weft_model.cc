/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A network model of SimGrid: "weft". It is a shared object that SimGrid's programs load by
 * LD_PRELOAD, and that they choose by --cfg=network/model:weft. Hosts of the platform are hosts of
 * weft's network, in the order in which the platform creates them; links and routes of the platform
 * have no effect. SimGrid keeps the clock: weft runs as far as SimGrid's next event, or to the
 * first communication that is over.
 */
#include <simgrid_inside.hh>

#include "../client/fabric.hh"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace
{

namespace sg = simgrid::kernel::resource;
using WeftAdapters::kNeverPs;

constexpr double kPsPerSecond = 1e12;

simgrid::config::Flag<std::string> cfg_scenario("weft/scenario", "A scenario of weft", "");
simgrid::config::Flag<std::string> cfg_settings("weft/settings",
                                                "Settings of weft, KEY=VALUE, with ; between", "");

int64_t ps_of(double seconds)
{
    return std::llround(seconds * kPsPerSecond);
}

double seconds_of(int64_t ps)
{
    return static_cast<double>(ps) / kPsPerSecond;
}

WeftAdapters::Options options()
{
    WeftAdapters::Options o = {cfg_scenario.get(), {}, WeftAdapters::Delivered};
    std::istringstream in(cfg_settings.get());
    for (std::string s; std::getline(in, s, ';');)
        o.settings.push_back(s);
    return o;
}

/* A link of the platform: without effect, but with the numbers that it was given. */
class Link : public sg::StandardLinkImpl
{
  public:
#if SIMGRID_VERSION >= 40100
    Link(const std::string &name, double bandwidth, simgrid::kernel::routing::NetZoneImpl *zone)
        : StandardLinkImpl(name, simgrid::s4u::Link::SharingPolicy::SHARED, zone)
#else
    Link(const std::string &name, double bandwidth) : StandardLinkImpl(name)
#endif
    {
        bandwidth_.peak = bandwidth;
    }
    void apply_event(simgrid::kernel::profile::Event *, double) override
    {
        throw std::runtime_error("weft: profiles of links are not known");
    }
    void set_sharing_policy(simgrid::s4u::Link::SharingPolicy policy,
                            const simgrid::s4u::NonLinearResourceCb &) override
    {
        m_policy = policy;
    }
    simgrid::s4u::Link::SharingPolicy get_sharing_policy() const override
    {
        return m_policy;
    }
    void set_concurrency_limit(int) const override {}
    void set_bandwidth(double value) override
    {
        bandwidth_.peak = value;
    }
    void set_latency(double value) override
    {
        latency_.peak = value;
    }

  private:
    simgrid::s4u::Link::SharingPolicy m_policy = simgrid::s4u::Link::SharingPolicy::SHARED;
};

/* A communication. */
class Action : public sg::NetworkAction
{
  public:
    Action(sg::Model *model, simgrid::s4u::Host &src, simgrid::s4u::Host &dst, double bytes)
        : NetworkAction(model, src, dst, bytes, false), m_alive(std::make_shared<bool>(true))
    {
    }
    ~Action() override
    {
        *m_alive = false; /* it may be cancelled before its message arrives */
    }
    void suspend() override
    {
        throw std::runtime_error("weft: a message cannot be suspended");
    }
    void resume() override
    {
        throw std::runtime_error("weft: a message cannot be resumed");
    }
    void update_remains_lazy(double) override {}

    std::shared_ptr<bool> Alive() const
    {
        return m_alive;
    }

  private:
    std::shared_ptr<bool> m_alive;
};

class Model : public sg::NetworkModel
{
  public:
    Model() : NetworkModel("weft"), m_fabric(options())
    {
        simgrid::s4u::Host::on_creation_cb([this](simgrid::s4u::Host const &host) {
            /* it is called twice for a host */
            m_hosts.emplace(&host, static_cast<uint32_t>(m_hosts.size()));
        });
    }

#if SIMGRID_VERSION >= 40100
    sg::StandardLinkImpl *create_link(const std::string &name,
                                      const std::vector<double> &bandwidths,
                                      simgrid::kernel::routing::NetZoneImpl *zone) override
    {
        sg::StandardLinkImpl *link = new Link(name, bandwidths.at(0), zone);
        link->set_model(this);
        return link;
    }
    sg::StandardLinkImpl *create_wifi_link(const std::string &, const std::vector<double> &,
                                           simgrid::kernel::routing::NetZoneImpl *) override
    {
        throw std::runtime_error("weft: there is no wifi");
    }
#else
    sg::StandardLinkImpl *create_link(const std::string &name,
                                      const std::vector<double> &bandwidths) override
    {
        sg::StandardLinkImpl *link = new Link(name, bandwidths.at(0));
        link->set_model(this);
        return link;
    }
    sg::StandardLinkImpl *create_wifi_link(const std::string &,
                                           const std::vector<double> &) override
    {
        throw std::runtime_error("weft: there is no wifi");
    }
#endif

#if SIMGRID_VERSION >= 33600
    sg::Action *communicate(simgrid::s4u::Host *src, simgrid::s4u::Host *dst, double bytes,
                            double rate, bool) override
#else
    sg::Action *communicate(simgrid::s4u::Host *src, simgrid::s4u::Host *dst, double bytes,
                            double rate) override
#endif
    {
        if (rate > 0)
            throw std::runtime_error("weft: a communication has no rate of its own");
        auto *const action = new Action(this, *src, *dst, bytes);
        const int64_t now = ps_of(simgrid::kernel::EngineImpl::get_clock());
        if (m_fabric.NowPs() < now && m_fabric.Look(now) != kNeverPs)
            throw std::logic_error("weft: a message was over before the time of SimGrid");
        m_fabric.Send(
            {m_hosts.at(src), m_hosts.at(dst), static_cast<uint64_t>(std::llround(bytes)), 0},
            [action, alive = action->Alive()](WeftAdapters::Kind) {
                if (*alive && action->get_state() == Action::State::STARTED)
                    action->finish(Action::State::FINISHED);
            });
        return action;
    }

#if SIMGRID_VERSION < 33600
    double get_latency_factor(double) override
    {
        return 1;
    }
    double get_bandwidth_factor(double) override
    {
        return 1;
    }
#endif

    bool next_occurring_event_is_idempotent() override
    {
        return false; /* it is asked with how long it may run */
    }

    /* @param most seconds that it may run; negative: to the first message that is over */
    double next_occurring_event(double most) override
    {
        const double clock = simgrid::kernel::EngineImpl::get_clock();
        if (m_found == kNeverPs && m_fabric.Busy())
            m_found = m_fabric.Look(most < 0 ? kNeverPs : ps_of(clock + most));
        return m_found == kNeverPs ? most : std::max(0.0, seconds_of(m_found) - clock);
    }

    void update_actions_state(double now, double) override
    {
        if (m_found == kNeverPs || m_found > ps_of(now))
            return;
        m_found = kNeverPs;
        m_fabric.Dispatch();
    }

  private:
    WeftAdapters::Fabric m_fabric;
    int64_t m_found{kNeverPs};                              //!< Time of messages that are over.
    std::map<const simgrid::s4u::Host *, uint32_t> m_hosts; //!< Their numbers.
};

void start()
{
    auto model = std::make_shared<Model>();
    auto *engine = simgrid::kernel::EngineImpl::get_instance();
    engine->add_model(model);
    engine->get_netzone_root()->set_network_model(model);
}

#if SIMGRID_VERSION >= 33600
SIMGRID_REGISTER_NETWORK_MODEL(weft, "The packets of weft", &start);
#else
/* This version has a list that cannot be added to otherwise; it is built before this object. */
const bool registered =
    (const_cast<std::vector<surf_model_description_t> &>(surf_network_model_description)
         .push_back({"weft", "The packets of weft", &start}),
     true);
#endif

} // namespace
