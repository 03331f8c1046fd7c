/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that a scenario and the symptoms of its run give reason to try. */
#include "diagnose/diagnose.h"
#include "scenario/scenario.h"

int weft_changes_list(struct weft_changes *c, const struct weft_scenario *s, const char *main,
                      const struct weft_fabric *f, const struct weft_symptoms *y,
                      struct weft_err *err)
{
    c->link_rates = s->run->link_rates;
    if (weft_changes_of_faults(c, s, y, err) || weft_changes_of_links(c, f, y, err) ||
        weft_changes_of_hosts(c, s, f, y, err) || weft_changes_of_ranks(c, s, y, err) ||
        weft_changes_of_settings(c, s, main, err) || weft_changes_by_rule(c, s, main, f, y, err))
        return err->code;
    return 0;
}
