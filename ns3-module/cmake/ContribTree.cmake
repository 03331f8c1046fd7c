# SPDX-License-Identifier: GPL-2.0-only
#[[
What the module needs besides ns-3's build_lib when it lies in contrib/weft of an ns-3 source tree.

contrib/weft is a link to weft's folder ns3-module, or a copy that ExportContrib.cmake made. The C code that the
engine stands on (base, congestion, topologies) is one folder up from where the link leads, or inside the copy.

Sets weft_c_sources, weft_suites, weft_libraries, and weft_missing when something that is needed is not there; compile
options of everything in contrib/weft; defines weft_finish_library().
]]

get_filename_component(weft_here ${CMAKE_CURRENT_SOURCE_DIR} REALPATH)
set(weft_missing)
if(EXISTS ${weft_here}/frontend/base)
  set(weft_root ${weft_here})
elseif(EXISTS ${weft_here}/../frontend/base)
  get_filename_component(weft_root ${weft_here}/.. ABSOLUTE)
else()
  set(weft_missing "the C sources of weft are not beside it. Link contrib/weft to weft's folder ns3-module, or make a \
copy with cmake -DDEST=contrib/weft -P ns3-module/cmake/ExportContrib.cmake")
endif()

find_package(LibXml2)
include(${weft_here}/cmake/WeftLibrary.cmake)
weft_find(xxhash HEADER xxhash.h LIBRARY xxhash MODULE libxxhash)
weft_find(yaml HEADER yaml.h LIBRARY yaml MODULE yaml-0.1)
if(NOT weft_missing AND NOT LIBXML2_FOUND)
  set(weft_missing "libxml2 was not found (Debian: libxml2-dev)")
elseif(NOT weft_missing AND NOT TARGET weft::xxhash)
  set(weft_missing "xxhash was not found (Debian: libxxhash-dev)")
elseif(NOT weft_missing AND NOT TARGET weft::yaml)
  set(weft_missing "libyaml was not found (Debian: libyaml-dev)")
endif()
set(weft_libraries ${LIBXML2_LIBRARIES} ${WEFT_XXHASH_LIBRARY} ${WEFT_YAML_LIBRARY} ${CMAKE_DL_LIBS} m)

file(GLOB weft_c_sources CONFIGURE_DEPENDS ${weft_root}/frontend/base/*.c ${weft_root}/congestion/*.c
     ${weft_root}/topologies/*.c ${weft_here}/engine/*.c ${weft_here}/engine/*/*.c)
list(FILTER weft_c_sources EXCLUDE REGEX "/engine/(replay|parallel)_none\\.c$")
list(FILTER weft_c_sources EXCLUDE REGEX "/congestion/skeleton\\.c$") # an example to copy, not an algorithm

file(GLOB weft_suites CONFIGURE_DEPENDS test/*-test-suite.cc)
# Suites that need more modules than the library does, and those modules.
set(weft_test_libraries)
foreach(suite "config-store:config-store" "ip:point-to-point;flow-monitor"
        "ip-addresses:point-to-point" "tcp:point-to-point;flow-monitor")
  string(REGEX MATCH "^([^:]*):(.*)$" suite "${suite}")
  set(modules ${CMAKE_MATCH_2})
  set(name ${CMAKE_MATCH_1})
  foreach(module ${modules})
    if(module IN_LIST ns3-all-enabled-modules)
      list(APPEND weft_test_libraries ${lib${module}})
    else()
      list(FILTER weft_suites EXCLUDE REGEX "/weft-${name}-test-suite")
    endif()
  endforeach()
endforeach()

# Ranks, where ns-3 is built with MPI.
if(ENABLE_MPI)
  set_source_files_properties(${weft_root}/frontend/base/mpi_mail.c PROPERTIES COMPILE_DEFINITIONS WEFT_HAVE_MPI)
endif()

# Headers are named from the root: "base/param.h", "congestion/cc.h", "ns3-module/engine/engine.h"; within the engine
# from its folder: "core/pkt.h".
set(weft_links ${CMAKE_CURRENT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${weft_links})
file(CREATE_LINK ${weft_here} ${weft_links}/ns3-module SYMBOLIC)
set(weft_include_folders ${weft_links} ${weft_root} ${weft_root}/frontend ${weft_here}/engine)

# The project of ns-3 is C++ alone since 3.46, and CMake leaves the files of a language that is not enabled out without
# a word.
enable_language(C)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON) # glibc's POSIX functions, 128-bit integers
# ns-3 sets the flags of its build types for C++ only ("default" is none of CMake's). The C code gets the same, but for
# size: it is where the time goes; and its checks stay on.
string(TOUPPER "${CMAKE_BUILD_TYPE}" weft_type)
if(NOT CMAKE_C_FLAGS_${weft_type})
  string(REPLACE "-Os" "-O2" CMAKE_C_FLAGS_${weft_type} "${CMAKE_CXX_FLAGS_${weft_type}}")
endif()
string(REPLACE "-DNDEBUG" "" CMAKE_C_FLAGS_${weft_type} "${CMAKE_C_FLAGS_${weft_type}}")
add_compile_options(-ffp-contract=off -Wno-missing-field-initializers)
include(${weft_here}/cmake/Place.cmake)
weft_place(${weft_root} "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}") # ns-3 sets it

# After build_lib. Programs of the tree, and of those who install it, find the C headers that weft's ns-3 headers
# include; the tests find what they alone need. ns-3 writes the folders of the library that are not generator
# expressions into ns3-weft.pc: that is where the headers are installed, and no folder of the sources.
function(weft_finish_library)
  list(TRANSFORM weft_include_folders REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>" OUTPUT_VARIABLE folders)
  foreach(target ${libweft-obj} ${libweft})
    if(TARGET ${target}) # up to 3.44 the objects are a target of their own on most systems
      target_include_directories(${target} PRIVATE ${folders} ${LIBXML2_INCLUDE_DIRS}
                                 ${WEFT_XXHASH_INCLUDE_DIR} ${WEFT_YAML_INCLUDE_DIR})
    endif()
  endforeach()
  target_include_directories(${libweft} PRIVATE ${CMAKE_INSTALL_FULL_INCLUDEDIR}/weft
                             INTERFACE ${folders} $<INSTALL_INTERFACE:include/weft>)
  include(${weft_here}/cmake/InstallHeaders.cmake)
  weft_install_c_headers(${weft_root} ${weft_here} include/weft)
  if(TARGET "${testweft}" AND weft_test_libraries)
    target_link_libraries(${testweft} ${weft_test_libraries})
  endif()
endfunction()
