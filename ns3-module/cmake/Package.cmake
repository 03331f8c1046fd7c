# SPDX-License-Identifier: GPL-2.0-only
#[[
Installs the module for scripts outside of this tree, as component ns3-module:

  cmake --install build/release --component ns3-module --prefix /usr/local

  lib/libns3-weft.so     the module with the C code that it stands on
  include/ns3            its headers, beside ns-3's own
  include/weft           the C headers that they include
  lib/cmake/weft         the CMake package: find_package(weft), target weft::weft
  share/weft/presets     topologies by name
]]
find_package(LibXml2 REQUIRED)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# All of the objects: scripts call functions of the engine that the module's own classes do not.
set(objects)
foreach(library weft_ns3_objects weft_engine weft_topologies weft_congestion weft_base)
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
endforeach()
add_library(weft_ns3_shared SHARED ${objects})
set_target_properties(weft_ns3_shared PROPERTIES OUTPUT_NAME ns3-weft EXPORT_NAME weft
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(weft_ns3_shared PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(weft_ns3_shared PRIVATE weft_flags weft_ns3_system weft_ns3_internet weft_ns3_traffic-control ${XXHASH_LIBRARY} LibXml2::LibXml2 m)
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
install(FILES ${HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3 COMPONENT ns3-module)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/topologies/presets/ DESTINATION ${CMAKE_INSTALL_DATADIR}/weft/presets
  COMPONENT ns3-module)
include(${CMAKE_CURRENT_LIST_DIR}/InstallHeaders.cmake)
weft_install_c_headers(${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_INSTALL_INCLUDEDIR}/weft
  COMPONENT ns3-module)
