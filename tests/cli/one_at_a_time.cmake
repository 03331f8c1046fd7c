# SPDX-License-Identifier: GPL-2.0-only
# A process that is killed leaves a folder, which another test would take for one that its own have left.
foreach(case IN LISTS cli_test_CASES)
  if(case MATCHES "^Processes\\.")
    set_tests_properties(${case} PROPERTIES RESOURCE_LOCK processes)
  endif()
endforeach()
