/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of MSCCL and plans of MSCCL++, for import_kinds.c. */
#ifndef WEFT_CLI_IMPORT_MSCCL_H
#define WEFT_CLI_IMPORT_MSCCL_H

#include "foreign/import.h"
#include "workload/dag.h"

/** Whether a program (XML), or a plan (JSON), is for such a collective. */
bool weft_import_msccl_does(const struct weft_import_file *f, bool plan, enum weft_coll_kind kind);
/** Reads and proves it; as weft_import_kind.read. */
int weft_import_msccl(const struct weft_import_file *f, char *what, size_t size,
                      struct weft_err *err);

#endif
