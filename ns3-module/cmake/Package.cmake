# SPDX-License-Identifier: GPL-2.0-only
#[[
Installs the module for scripts outside of this tree, as component ns3-module:

  cmake --install build/release --component ns3-module --prefix /usr/local

  lib/libns3-weft.so     the module with the C code that it stands on
  include/ns3            its headers, beside ns-3's own, and weft-module.h, which includes them all
  include/weft           the C headers that they include
  lib/cmake/weft         the CMake package: find_package(weft), target weft::weft
  lib/pkgconfig          ns3-weft.pc
  share/weft/presets     topologies by name
]]
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# All of the objects: scripts call functions of the engine that the module's own classes do not.
set(objects)
foreach(library weft_ns3_objects weft_engine weft_topologies weft_congestion weft_base)
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
endforeach()
set(weft_ns3_ranks)
if(TARGET weft_ns3_mpi AND TARGET weft_mpi_mail)
  set(weft_ns3_ranks weft_ns3_mpi weft_mpi_mail)
endif()
add_library(weft_ns3_shared SHARED ${objects})
set_target_properties(weft_ns3_shared PROPERTIES OUTPUT_NAME ns3-weft EXPORT_NAME weft
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(weft_ns3_shared PROPERTIES LINKER_LANGUAGE CXX INSTALL_RPATH_USE_LINK_PATH ON)
target_link_libraries(weft_ns3_shared PRIVATE weft_flags weft_ns3_system weft_ns3_internet weft_ns3_traffic-control ${weft_ns3_ranks} weft::xxhash weft::yaml LibXml2::LibXml2 m)
target_include_directories(weft_ns3_shared INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weft>)
target_compile_features(weft_ns3_shared INTERFACE cxx_std_17)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/weft-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weft-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weft-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindNs3Debian.cmake DESTINATION ${package} COMPONENT ns3-module)
install(TARGETS weft_ns3_shared EXPORT weft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ns3-module
  NAMELINK_COMPONENT ns3-module)
install(EXPORT weft NAMESPACE weft:: FILE weft-targets.cmake DESTINATION ${package} COMPONENT ns3-module)
install(FILES ${HEADERS} ${WEFT_NS3_INCLUDE}/ns3/weft-module.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
  COMPONENT ns3-module)

# ns3-weft.pc is written when it is installed: the prefix may be given only then. It names the libraries of ns-3 itself:
# the .pc files of Debian's ns-3 contain what no shell takes ("-I/usr;").
set(pc_cflags "-I${NS3_INCLUDE_DIR} -DNS3_LOG_ENABLE")
get_filename_component(folder ${NS3_CORE_LIBRARY} DIRECTORY)
# A script may name weft's and ns-3's classes as text alone: the libraries stay, nothing else of the script's.
set(pc_before "${WEFT_LINK_ALWAYS}")
set(pc_after "${WEFT_LINK_ALWAYS_END}")
set(pc_libs "-L${folder} -Wl,-rpath,${folder}")
foreach(component internet traffic-control network core)
  get_target_property(file weft_ns3_${component} IMPORTED_LOCATION)
  get_filename_component(name ${file} NAME_WLE)
  string(REGEX REPLACE "^lib" "-l" name ${name})
  string(APPEND pc_libs " ${name}")
endforeach()
string(APPEND pc_libs " ${pc_after}")
foreach(variable CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR PROJECT_DESCRIPTION PROJECT_VERSION pc_cflags pc_before pc_libs)
  install(CODE "set(${variable} \"${${variable}}\")" COMPONENT ns3-module)
endforeach()
install(CODE "configure_file(\"${CMAKE_CURRENT_LIST_DIR}/ns3-weft.pc.in\"
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/ns3-weft.pc\" @ONLY)" COMPONENT ns3-module)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/topologies/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/presets
  COMPONENT ns3-module)
include(${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake)
weft_install_c_headers(${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_INSTALL_INCLUDEDIR}/weft
  COMPONENT ns3-module)
