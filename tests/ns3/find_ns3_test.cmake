# SPDX-License-Identifier: GPL-2.0-only
# FindNs3Debian.cmake on prefixes made up of empty files: which libraries it takes, and what it refuses.
#   cmake -DROOT=/path/to/weft -DWORK=/tmp/x -DCC=gcc -DCXX=g++ -P find_ns3_test.cmake

# A prefix NAME with headers, of VERSION in version-defines.h if given, and libraries lib/NAMES.so.
function(make_prefix name)
  cmake_parse_arguments(A "" "HEADERS;PACKAGE;LIBDIR" "LIBRARIES" ${ARGN})
  set(prefix ${WORK}/${name})
  if(NOT A_LIBDIR)
    set(A_LIBDIR lib)
  endif()
  file(WRITE ${prefix}/include/ns3/simulator-impl.h "")
  if(A_HEADERS)
    string(REPLACE "." ";" parts ${A_HEADERS})
    list(GET parts 0 major)
    list(GET parts 1 minor)
    file(WRITE ${prefix}/include/ns3/version-defines.h
         "#define NS3_VERSION_MAJOR ${major}\n#define NS3_VERSION_MINOR ${minor}\n")
  endif()
  if(A_PACKAGE)
    file(WRITE ${prefix}/${A_LIBDIR}/cmake/ns3/ns3ConfigVersion.cmake "set(PACKAGE_VERSION \"${A_PACKAGE}\")\n")
  endif()
  foreach(library ${A_LIBRARIES})
    file(WRITE ${prefix}/${A_LIBDIR}/lib${library}.so "")
  endforeach()
endfunction()

# Runs a project that looks for ns-3 with ARGN and prints what it found; sets code and output.
function(search)
  file(REMOVE_RECURSE ${WORK}/project/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/project -B ${WORK}/project/build ${ARGN}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(code ${code} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_found what expected)
  search(${ARGN})
  if(NOT code EQUAL 0 OR NOT output MATCHES "found: ${expected} ")
    message(SEND_ERROR "${what}: expected \"${expected}\", and it says: ${output}")
  endif()
endfunction()

function(expect_refused what expected)
  search(${ARGN})
  if(code EQUAL 0 OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "${what}: expected \"${expected}\", and it says: ${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(WRITE ${WORK}/project/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(x NONE)
set(CMAKE_LIBRARY_ARCHITECTURE x86_64-linux-gnu)
list(APPEND CMAKE_MODULE_PATH ${ROOT}/ns3-module/cmake)
find_package(Ns3Debian \${WANTED} REQUIRED)
get_target_property(core weft_ns3_core IMPORTED_LOCATION)
get_target_property(all weft_ns3_all INTERFACE_LINK_LIBRARIES)
get_target_property(system weft_ns3_system INTERFACE_COMPILE_FEATURES)
message(\"found: \${Ns3Debian_VERSION} \${core} \${system} \${all} .\")
")

set(modules core network internet traffic-control)
set(names ${modules})
list(TRANSFORM names PREPEND ns3-)
make_prefix(debian HEADERS 3.37 LIBRARIES ${names} ns3-weft LIBDIR lib/x86_64-linux-gnu)
list(TRANSFORM modules PREPEND ns3.48- OUTPUT_VARIABLE names)
list(TRANSFORM names APPEND -default OUTPUT_VARIABLE default)
list(TRANSFORM names APPEND -debug OUTPUT_VARIABLE debug)
make_prefix(upstream LIBRARIES ${default} ns3.48-weft-default ns3.48-core-test-default)
make_prefix(profiles LIBRARIES ${default} ${debug} LIBDIR lib64)
make_prefix(release LIBRARIES ${names} ${debug})
list(TRANSFORM default REPLACE 3.48 3.44 OUTPUT_VARIABLE older)
make_prefix(two LIBRARIES ${default} ${older})
make_prefix(two-named LIBRARIES ${default} ${older} PACKAGE 3.44)
make_prefix(stale HEADERS 3.37 LIBRARIES ${default})
make_prefix(no-libraries)
list(TRANSFORM default REPLACE "3.48" "3-dev" OUTPUT_VARIABLE dev)
make_prefix(dev LIBRARIES ${dev} PACKAGE 3.48)

set(all "[^ ]*weft_ns3_core;weft_ns3_internet;weft_ns3_network;weft_ns3_traffic-control")
expect_found("Debian's names" "3.37 ${WORK}/debian/lib/x86_64-linux-gnu/libns3-core.so cxx_std_17 ${all}"
             -DNS3_ROOT=${WORK}/debian)
expect_found("upstream's names" "3.48 ${WORK}/upstream/lib/libns3.48-core-default.so cxx_std_23 ${all}"
             -DNS3_ROOT=${WORK}/upstream)
expect_found("by CMAKE_PREFIX_PATH" "3.48 ${WORK}/upstream/lib/libns3.48-core-default.so cxx_std_23 ${all}"
             -DCMAKE_PREFIX_PATH=${WORK}/upstream)
expect_found("NS3_ROOT is before CMAKE_PREFIX_PATH" "3.37 ${WORK}/debian/lib/x86_64-linux-gnu/libns3-core.so cxx_std_17 ${all}"
             -DNS3_ROOT=${WORK}/debian -DCMAKE_PREFIX_PATH=${WORK}/upstream)
expect_found("one profile of two" "3.48 ${WORK}/profiles/lib64/libns3.48-core-default.so cxx_std_23 ${all}"
             -DNS3_ROOT=${WORK}/profiles)
expect_found("the release build" "3.48 ${WORK}/release/lib/libns3.48-core.so cxx_std_23 ${all}"
             -DNS3_ROOT=${WORK}/release)
expect_found("the version that the package names" "3.44 ${WORK}/two-named/lib/libns3.44-core-default.so cxx_std_20 ${all}"
             -DNS3_ROOT=${WORK}/two-named)
expect_found("a development version" "3.48 ${WORK}/dev/lib/libns3-dev-core-default.so cxx_std_23 ${all}"
             -DNS3_ROOT=${WORK}/dev)
expect_refused("two versions" "libraries of several ns-3 \\(3.44, 3.48\\)" -DNS3_ROOT=${WORK}/two)
expect_refused("headers and libraries that differ" "are of ns-3 3.37, the libraries beside them of 3.48"
               -DNS3_ROOT=${WORK}/stale)
expect_refused("headers alone" "no libns3\\*-core\\*.so beside them"
               -DNS3_ROOT=${WORK}/no-libraries -DCMAKE_PREFIX_PATH=${WORK}/upstream)
expect_refused("nothing there" "set NS3_ROOT to the prefix" -DNS3_ROOT=${WORK}/nothing)
expect_refused("another version than wanted" "3.37" "-DWANTED=3.48;EXACT" -DNS3_ROOT=${WORK}/debian)

# All of weft takes that ns-3: its version and its standard, and no folder of another.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${ROOT} -B ${WORK}/weft -DNS3_ROOT=${WORK}/upstream -DWEFT_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
                        -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX}
                RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${output}")
endif()
file(READ ${WORK}/weft/compile_commands.json commands)
function(expect_compiled file)
  string(REGEX MATCH "\"command\": \"[^\n]*/bridge/${file}\"" command "${commands}")
  foreach(expected ${ARGN})
    if(NOT command MATCHES "${expected}")
      message(SEND_ERROR "the bridge is compiled without ${expected}: ${command}")
    endif()
  endforeach()
endfunction()
expect_compiled("ns3_part_open\\.c" "VERSION=[\\\\\"]+3\\.48[\\\\\"]+ ")
expect_compiled("simulation\\.cc" "-isystem ${WORK}/upstream/include " "-std=(c|gnu)\\+\\+(23|2b) ")
