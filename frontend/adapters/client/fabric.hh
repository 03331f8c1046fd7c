/* SPDX-License-Identifier: MIT */
/*
 * The network of weft as adapters for other simulators use it: messages, receives and timers with
 * handlers, in two ways to run. A simulator that leaves the loop to the network calls Run(). One
 * that has a clock of its own calls Look() with the time of its next event, and Dispatch() when its
 * clock has come to the time that Look() returned.
 *
 * Networks are opened by OpenNetwork(), which has two implementations: ../linked/linked.cc calls
 * libweft, served.cc talks to a process of `weft serve`. A program links one of them.
 */
#ifndef WEFT_ADAPTERS_CLIENT_FABRIC_HH
#define WEFT_ADAPTERS_CLIENT_FABRIC_HH

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace WeftAdapters
{

/** Kinds of events, as in weft.h. */
enum Kind : uint32_t {
    Started = 1,      //!< The NIC begins to send the message.
    Sent = 2,         //!< Its last packet has left the NIC.
    Delivered = 4,    //!< Its last byte has arrived.
    Acknowledged = 8, //!< The sender knows that.
    Matched = 16,     //!< A receive has its message.
    Timer = 32        //!< A timer has ended.
};

/** The kind of @p name, "sent", "delivered" or "acknowledged"; throws std::runtime_error. */
Kind KindOf(const std::string &name);

/** No time: later than all. */
constexpr int64_t kNeverPs = INT64_MAX;

/** How a network is opened. */
struct Options {
    std::string scenario;              //!< A file of weft; "": defaults.
    std::vector<std::string> settings; //!< "KEY=VALUE".
    uint32_t kinds;                    //!< Kinds that handlers are called for.
};

/** A message to send now. */
struct Message {
    uint32_t src;   //!< Host.
    uint32_t dst;   //!< Host.
    uint64_t bytes; //!< Payload.
    uint64_t tag;   //!< Receives match on it.
};

/** Something that happened. */
struct Happening {
    uint32_t kind; //!< One Kind.
    uint64_t user; //!< Given with the message, receive or timer.
};

/** A network, without handlers. */
class Network
{
  public:
    virtual ~Network() = default;
    virtual uint32_t Hosts() const = 0;
    virtual int64_t NowPs() const = 0;
    virtual void Send(const Message &message, uint64_t user) = 0;
    virtual void Receive(uint32_t dst, uint32_t src, uint64_t tag, uint64_t user) = 0;
    virtual void Schedule(int64_t delayPs, uint64_t user) = 0;
    /**
     * Runs to a time, or to the end of the first instant that has an event of the kinds asked for.
     * @param untilPs the time; kNeverPs: to the end
     * @param out     receives what happened, in the order of (time, posting)
     */
    virtual void Run(int64_t untilPs, std::vector<Happening> &out) = 0;
    /** A sentence on each message and receive that is not over. */
    virtual std::vector<std::string> Explain() = 0;
};

/** Opens a network; throws std::runtime_error. */
std::unique_ptr<Network> OpenNetwork(const Options &options);

/** A network with handlers. Each is called once for each kind, between two instants. */
class Fabric
{
  public:
    /** Opens it; throws std::runtime_error. */
    explicit Fabric(const Options &options);

    uint32_t Hosts() const
    {
        return m_network->Hosts();
    }
    int64_t NowPs() const
    {
        return m_network->NowPs();
    }

    using Handler = std::function<void(Kind)>;
    /** @p happens is called for each kind that the message goes through. */
    void Send(const Message &message, Handler happens);
    void Receive(uint32_t dst, uint32_t src, uint64_t tag, Handler matched);
    void Schedule(int64_t delayPs, Handler ends);

    /**
     * Runs to a time, or to the end of the first instant with handlers to call, which it does not
     * call yet.
     * @return time of this instant; kNeverPs: there is none until then
     */
    int64_t Look(int64_t untilPs);
    /** Calls the handlers of the instant that Look() found. */
    void Dispatch();
    /** Whether messages or timers are under way. */
    bool Busy() const
    {
        return m_open > 0;
    }

    /**
     * Runs until nothing is left to happen, and calls handlers on the way.
     * @return what waits for something that does not come, a sentence each; empty: all is done
     */
    std::vector<std::string> Run();

  private:
    struct Call {
        Handler f;
        uint32_t last; //!< After this kind the call is over.
    };
    uint64_t Keep(uint32_t last, Handler f);

    std::unique_ptr<Network> m_network;
    uint32_t m_last;                //!< The last kind that messages have.
    uint64_t m_open{0};             //!< Messages and timers that are not over.
    std::vector<Call> m_calls;      //!< By the number given with what was posted.
    std::vector<uint64_t> m_free;   //!< Numbers that are free.
    std::vector<Happening> m_found; //!< What Look() found.
};

} // namespace WeftAdapters

#endif
