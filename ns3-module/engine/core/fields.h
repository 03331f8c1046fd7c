/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of fields per record. A record is made of its list, a .def file of lines
 *
 *     FIELD(type, name, dimensions, evolution, owner)
 *
 * so that a new field has a line, and its line says how the field evolves while traffic repeats
 * itself. Snapshots, comparisons and shifts in time are made from the same lines (room replay). The
 * owner is the thread, or the process, that writes the field.
 */
#ifndef WEFT_ENGINE_FIELDS_H
#define WEFT_ENGINE_FIELDS_H

/** How a field evolves from one repetition to the next. */
enum evolution {
    /* what the future depends on, or what is counted */
    EVOLVES_SAME,   /**< stays */
    EVOLVES_TIME,   /**< with the clock; WEFT_NEVER and 0, which say that there is none, stay */
    EVOLVES_PAST,   /**< with the clock, unless it was over both times: that it is over is all that
                       matters */
    EVOLVES_CHANGE, /**< with the clock, or it stays: the time of a change, and none came */
    EVOLVES_PSN,    /**< by the packets that its QP moves by */
    EVOLVES_BYTES,  /**< by the payload that its QP moves by */
    EVOLVES_GATE,   /**< the same; 0, which says that there is none, stays */
    EVOLVES_COUNT,  /**< by anything: a counter that nothing depends on */
    EVOLVES_RARE,   /**< stays; symmetric components need not have the same */
    /* the same where messages are posted and received, or of symmetric components; else stays */
    EVOLVES_END_PSN,
    EVOLVES_END_BYTES,
    EVOLVES_END_TIME, /**< with the clock, where messages are posted and received */
    EVOLVES_CLOCK,    /**< a clock of what keeps a QP from sending: a counter, but the same in
                         symmetric components */
    EVOLVES_PORT,     /**< the number of a port: stays, by its place in symmetric components */
    /* what is not read */
    EVOLVES_BUILD,   /**< constant, and the same in symmetric components */
    EVOLVES_NAME,    /**< constant, or a number that means the same under another name */
    EVOLVES_APP,     /**< what the application calls a message */
    EVOLVES_LINK,    /**< number of a record, link of a list, pointer: the order of lists is read */
    EVOLVES_DERIVED, /**< follows from other fields: entries of event queues, caches */
    EVOLVES_ABSENT,  /**< of what traffic that repeats itself has not (replay_reasons.c) */
    EVOLVES_BY_HAND, /**< read by code, which says why */
    EVOLVES_PACKED   /**< of a packet: read with others as one value */
};

/** A line of a list as the declaration of the field. */
#define FIELD_DECLARE(type, name, dimensions, evolution, owner) type name dimensions;
#define FIELD_DECLARE_UNION(type, evolution, owner) type;

#endif
