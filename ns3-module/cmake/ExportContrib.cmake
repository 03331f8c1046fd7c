# SPDX-License-Identifier: GPL-2.0-only
#[[
Copies the module, and the C sources that it stands on, into one folder that needs nothing else of weft:

  cmake -DDEST=/path/to/ns-3.37/contrib/weft -P ns3-module/cmake/ExportContrib.cmake
]]
if(NOT DEST)
  message(FATAL_ERROR "give the folder to make: -DDEST=/path/to/ns-3/contrib/weft")
endif()
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
get_filename_component(dest ${DEST} ABSOLUTE)
if(EXISTS ${dest})
  message(FATAL_ERROR "${dest} exists already: remove it first")
endif()
# The bridge serves weft's frontend, which is no part of the copy.
file(COPY ${root}/ns3-module/ DESTINATION ${dest} PATTERN bridge EXCLUDE)
file(COPY ${root}/congestion ${root}/topologies ${root}/LICENSE DESTINATION ${dest})
file(COPY ${root}/frontend/base DESTINATION ${dest}/frontend)
file(COPY ${root}/scenarios/ns3 DESTINATION ${dest}/scenarios)
message(STATUS "${dest} is ready for ./ns3 configure")
