/*
 * Copyright (c) 2026 The weft project
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEFT_ALL_TO_ALL_H
#define WEFT_ALL_TO_ALL_H

#include "weft-application.h"

#include <map>

namespace ns3
{

/**
 * @ingroup weft
 * One member of a group in which everyone sends to everyone, in rounds.
 *
 * Member i sends to i+1, i+2 ... around the group, so that no receiver is everyone's first. A
 * member's round is complete when its own messages are acknowledged and one of each other member
 * has arrived; then its next round starts, while others may still be in the last one. A message's
 * tag is the number of its round.
 */
class WeftAllToAll : public WeftApplication
{
  public:
    /**
     * @return the TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param members all applications of the group, this one among them; the same vector for all
     */
    void SetGroup(const std::vector<Ptr<WeftAllToAll>>& members);

  private:
    void Start() override;
    void Received(const weft_completion& message) override;
    void Acked(const weft_completion& message) override;
    void DoDispose() override;

    /**
     * Starts a round, or nothing after the last one.
     */
    void StartRound();
    /**
     * Posts as many messages of the round as the window allows.
     */
    void Fill();
    /**
     * Goes on to the next round when this one is complete.
     */
    void CheckRound();
    /**
     * A message of another member has arrived here.
     * @param round its round
     */
    void Arrived(uint64_t round);

    uint64_t m_bytes{0};                        //!< Attribute Bytes.
    uint32_t m_rounds{0};                       //!< Attribute Rounds.
    uint32_t m_window{0};                       //!< Attribute Window.
    std::vector<Ptr<WeftAllToAll>> m_group;     //!< All members.
    std::size_t m_me{0};                        //!< Own place among them.
    std::map<uint32_t, WeftAllToAll*> m_byHost; //!< Members by host number.
    bool m_inRound{false};                      //!< A round is under way.
    uint32_t m_round{0};                        //!< Its number.
    Time m_roundStart;                          //!< When it started.
    std::size_t m_sent{0};                      //!< Messages of it posted.
    std::size_t m_acked{0};                     //!< Messages of it acknowledged.
    std::map<uint64_t, std::size_t> m_arrived;  //!< Messages of others, by round.

    TracedCallback<uint32_t, Time> m_roundComplete; //!< Trace source RoundComplete.
};

} // namespace ns3

#endif /* WEFT_ALL_TO_ALL_H */
