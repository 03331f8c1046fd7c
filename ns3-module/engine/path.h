/* SPDX-License-Identifier: GPL-2.0-only */
/* What few runs need of the path of packets: each is tested together with the others. */
#ifndef WEFT_ENGINE_PATH_H
#define WEFT_ENGINE_PATH_H

#include <stdbool.h>
#include <stdint.h>

/** What few runs need of the packet path, tested together. */
enum odd {
    ODD_ORDER = 1,   /**< transport.ns3-event-order */
    ODD_QUANTUM = 2, /**< transport.time-quantum */
    ODD_PINT = 4,    /**< transmissions are noted for PINT */
    ODD_TURNS = 8,   /**< switch.scheduler=packet-rr */
    ODD_CREDIT = 16, /**< some links are under credit */
    ODD_PACKET = 32, /**< packet hook */
    ODD_RATE = 64,   /**< QP hook, for rates */
    ODD_ACK = 128    /**< QP hook, for ACKs */
};

/** What is done to packets that enter or leave a switch queue. */
enum touch {
    TOUCH_ECN = 1,   /**< data may be marked */
    TOUCH_SIGN = 2,  /**< data is stamped with INT or PINT */
    TOUCH_HOOK = 4,  /**< queue hook */
    TOUCH_FRAME = 8, /**< ECN-capable frames may be marked */
    TOUCH_TAP = 16,  /**< packet hook */
    TOUCH_HOLD = 32  /**< pauses are measured: there has been one */
};

/** What the packet path has to do beside forwarding. */
struct path {
    uint32_t odd;                /**< enum odd */
    uint32_t on_enter, on_leave; /**< enum touch */
    bool
        no_cut_through; /**< every packet goes through its queue, as something shows or counts that */
    bool lazy;          /**< switch ports may be lazy (lazy.c) */
    bool frames;        /**< frames of other transports were sent */
};

#endif
