# SPDX-License-Identifier: GPL-2.0-only
# weft_install_c_headers(ROOT MODULE DESTINATION [arguments of install]): installs the C headers that the ns-3 headers
# of the module include, in folders named as the sources name them.
function(weft_install_c_headers root module destination)
  foreach(folder base congestion topologies)
    set(from ${root}/${folder})
    if(folder STREQUAL "base")
      set(from ${root}/frontend/base)
    endif()
    file(GLOB headers CONFIGURE_DEPENDS ${from}/*.h ${from}/cc_needs.def ${from}/balances.def)
    install(FILES ${headers} DESTINATION ${destination}/${folder} ${ARGN})
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS ${module}/engine/engine*.h)
  install(FILES ${headers} ${module}/engine/wire.h ${module}/engine/capture.h
    ${module}/engine/recoveries.def DESTINATION ${destination}/ns3-module/engine ${ARGN})
endfunction()
