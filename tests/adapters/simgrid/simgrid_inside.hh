/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SimGrid's inner interface to network models (3.32) as far as the model "weft" uses it, for its
 * test. Names and signatures are SimGrid's; nothing of it is here.
 */
#ifndef WEFT_TESTS_ADAPTERS_SIMGRID_INSIDE_HH
#define WEFT_TESTS_ADAPTERS_SIMGRID_INSIDE_HH

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#define SIMGRID_VERSION 33200

namespace simgrid
{

namespace config
{
template <class T> class Flag
{
  public:
    Flag(const char *name, const char *, T value) : m_value(value)
    {
        s_flags[name] = &m_value;
    }
    T get() const
    {
        return m_value;
    }
    inline static std::map<std::string, T *> s_flags; /* for tests: --cfg=NAME:VALUE */

  private:
    T m_value;
};
} // namespace config

namespace s4u
{
class Host
{
  public:
    static void on_creation_cb(const std::function<void(Host &)> &f)
    {
        s_created.push_back(f);
    }
    inline static std::vector<std::function<void(Host &)>> s_created;
};
struct Link {
    enum class SharingPolicy { SHARED };
};
using NonLinearResourceCb = std::function<double(double, int)>;
} // namespace s4u

namespace kernel
{

namespace profile
{
class Event;
}

namespace resource
{

class Model
{
  public:
    virtual ~Model() = default;
};

class Action
{
  public:
    enum class State { STARTED, FINISHED };
    virtual ~Action() = default;
    State get_state() const
    {
        return m_state;
    }
    void finish(State state)
    {
        m_state = state;
    }
    virtual void suspend() = 0;
    virtual void resume() = 0;
    virtual void update_remains_lazy(double now) = 0;

  private:
    State m_state = State::STARTED;
};

class NetworkAction : public Action
{
  public:
    NetworkAction(Model *, s4u::Host &, s4u::Host &, double, bool) {}
};

class StandardLinkImpl
{
  public:
    explicit StandardLinkImpl(const std::string &) {}
    virtual ~StandardLinkImpl() = default;
    void set_model(Model *) {}
    virtual void apply_event(profile::Event *event, double value) = 0;
    virtual void set_sharing_policy(s4u::Link::SharingPolicy, const s4u::NonLinearResourceCb &) = 0;
    virtual s4u::Link::SharingPolicy get_sharing_policy() const = 0;
    virtual void set_concurrency_limit(int limit) const = 0;
    virtual void set_bandwidth(double value) = 0;
    virtual void set_latency(double value) = 0;
    double get_bandwidth() const
    {
        return bandwidth_.peak;
    }

  protected:
    struct Metric {
        double peak = 0;
    };
    Metric latency_, bandwidth_;
};

class NetworkModel : public Model
{
  public:
    explicit NetworkModel(const std::string &) {}
    virtual StandardLinkImpl *create_link(const std::string &name,
                                          const std::vector<double> &bandwidths) = 0;
    virtual StandardLinkImpl *create_wifi_link(const std::string &name,
                                               const std::vector<double> &bandwidths) = 0;
    virtual Action *communicate(s4u::Host *src, s4u::Host *dst, double bytes, double rate) = 0;
    virtual double get_latency_factor(double) = 0;
    virtual double get_bandwidth_factor(double) = 0;
    virtual bool next_occurring_event_is_idempotent() = 0;
    virtual double next_occurring_event(double most) = 0;
    virtual void update_actions_state(double now, double delta) = 0;
};

} // namespace resource

namespace routing
{
class NetZoneImpl
{
  public:
    void set_network_model(std::shared_ptr<resource::NetworkModel> model)
    {
        network_model = model;
    }
    std::shared_ptr<resource::NetworkModel> network_model;
};
} // namespace routing

class EngineImpl
{
  public:
    static EngineImpl *get_instance()
    {
        static EngineImpl engine;
        return &engine;
    }
    static double get_clock()
    {
        return get_instance()->clock;
    }
    void add_model(std::shared_ptr<resource::Model>) {}
    routing::NetZoneImpl *get_netzone_root()
    {
        return &root;
    }
    double clock = 0;
    routing::NetZoneImpl root;
};

} // namespace kernel
} // namespace simgrid

struct surf_model_description_t {
    const char *name, *description;
    std::function<void()> init;
};
inline std::vector<surf_model_description_t> surf_network_model_description;

#endif
