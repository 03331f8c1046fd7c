/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_APPLICATION_HELPER_H
#define WEFT_APPLICATION_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup weft
 * Installs one of weft's applications on host nodes of a fabric that is installed already.
 */
class WeftApplicationHelper
{
  public:
    /**
     * @param type name of a TypeId derived from ns3::WeftApplication
     */
    explicit WeftApplicationHelper(const std::string& type);

    /**
     * @param name attribute of the application
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param hosts nodes that the applications deal with, in place of all others of the fabric
     */
    void SetPeers(const NodeContainer& hosts);

    /**
     * @param nodes host nodes
     * @return one application per node
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;

    /**
     * @param apps applications of weft
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& apps, int64_t stream);

  private:
    ObjectFactory m_factory; //!< Of the applications.
    NodeContainer m_peers;   //!< Of SetPeers.
};

/**
 * @ingroup weft
 * WeftMessageSender: messages to one host.
 */
class WeftMessageSenderHelper : public WeftApplicationHelper
{
  public:
    /**
     * @param remote the receiver, a host node
     * @param bytes size of a message
     */
    WeftMessageSenderHelper(Ptr<Node> remote, uint64_t bytes);
};

/**
 * @ingroup weft
 * WeftIncast: many hosts send to one. It is installed on the receiver.
 */
class WeftIncastHelper : public WeftApplicationHelper
{
  public:
    /**
     * @param bytes what each sender sends in a round
     */
    explicit WeftIncastHelper(uint64_t bytes);
};

/**
 * @ingroup weft
 * WeftCdfTraffic: Poisson traffic with sizes from a file.
 */
class WeftCdfTrafficHelper : public WeftApplicationHelper
{
  public:
    /**
     * @param file the distribution
     * @param load fraction of the host's rate
     */
    WeftCdfTrafficHelper(const std::string& file, double load);
};

/**
 * @ingroup weft
 * WeftAllToAll: the nodes of one Install are one group.
 */
class WeftAllToAllHelper : public WeftApplicationHelper
{
  public:
    /**
     * @param bytes from each to each in a round
     */
    explicit WeftAllToAllHelper(uint64_t bytes);

    /**
     * @param nodes host nodes: the group
     * @return one application per node
     */
    ApplicationContainer Install(const NodeContainer& nodes) const;
};

} // namespace ns3

#endif /* WEFT_APPLICATION_HELPER_H */
