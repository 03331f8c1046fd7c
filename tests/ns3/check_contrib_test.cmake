# SPDX-License-Identifier: GPL-2.0-only
# ns3-module/check-contrib with stand-ins for the programs of an ns-3 source tree: what it runs, and what it refuses.
#   cmake -DROOT=/path/to/weft -DWORK=/tmp/x -P check_contrib_test.cmake
cmake_minimum_required(VERSION 3.25)
find_program(git git)
if(NOT git)
  message("skipped: git is not installed")
  return()
endif()

set(tree ${WORK}/tree)

function(program name text)
  file(WRITE ${tree}/${name} "#!/bin/sh\n${text}")
  file(CHMOD ${tree}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# A tree whose checker of style, build and tests all pass; they write what they were asked into calls.
function(make_tree)
  file(REMOVE_RECURSE ${WORK})
  file(WRITE ${tree}/VERSION "3.99\n")
  program(utils/check-style-clang-format.py "echo style $* >>calls\n")
  program(ns3 "echo ns3 $* >>calls
if [ $1 = configure ]; then
    mkdir -p empty
    printf 'cmake_minimum_required(VERSION 3.13)\\nproject(x NONE)\\n' >empty/CMakeLists.txt
    cmake -S empty -B cmake-cache >configured
fi\n")
  file(GLOB sources ${ROOT}/ns3-module/test/*-test-suite.cc)
  set(text "echo test.py $* >>calls\n")
  foreach(source ${sources})
    file(STRINGS ${source} line REGEX " : TestSuite\\(|TestSuite\\(\"weft")
    string(REGEX MATCH "\"(weft[a-z-]*)\"" found "${line}")
    string(APPEND text "echo '[1/2] PASS: TestSuite ${CMAKE_MATCH_1}'\n")
  endforeach()
  file(STRINGS ${ROOT}/ns3-module/test/examples-to-run.py lines REGEX "^    \\(\"")
  foreach(line ${lines})
    string(REGEX MATCH "\"([a-z-]*)\"" found "${line}")
    string(APPEND text "echo '[2/2] PASS: Example contrib/weft/examples/${CMAKE_MATCH_1}'\n")
  endforeach()
  program(test.py "${text}")
endfunction()

function(expect what code pattern)
  execute_process(COMMAND ${ROOT}/ns3-module/check-contrib ${ARGN} RESULT_VARIABLE got OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT got EQUAL code OR NOT output MATCHES "${pattern}")
    message(SEND_ERROR "${what}: exit code ${got} and\n${output}\nexpected ${code} and ${pattern}")
  endif()
endfunction()

make_tree()
expect("no tree" 2 "which ns-3 source tree")
expect("a folder that is no tree" 2 "no ns-3 source tree: it needs VERSION" ${WORK})
expect("help" 0 "Last run on ns-3 3\\.37, 3\\.42, 3\\.43, 3\\.48, 3\\.49-dev\\.\n" --help)
set(passed "ns-3 3\\.99: [0-9]+ suites and [0-9]+ examples of weft pass, style passes")
expect("all well" 0 "${passed}\n" -j 1 ${tree} --enable-asserts)
file(READ ${tree}/calls calls)
if(NOT calls MATCHES "style contrib/weft\nns3 configure [^\n]*point-to-point;weft [^\n]*--enable-asserts\nns3 build\ntest.py [^\n]*--jobs=1 ")
  message(SEND_ERROR "it ran: ${calls}")
endif()
# The clone is its own, and is brought up to date.
file(WRITE ${tree}/contrib/weft/model/stale.cc "")
execute_process(COMMAND git -C ${tree}/contrib/weft add model/stale.cc)
expect("again" 0 "${passed}\n" ${tree})
if(EXISTS ${tree}/contrib/weft/model/stale.cc)
  message(SEND_ERROR "the clone of an earlier run was not brought up to date")
endif()

make_tree()
program(utils/check-style-clang-format.py "[ $1 = --no-formatting ] || { echo Could not find any supported version of clang-format; exit 1; }\n")
expect("no clang-format" 0 "${passed} but for the formatting, which was not checked\n" ${tree})
program(utils/check-style-clang-format.py "[ $1 = --no-formatting ] || { echo Detected bad code formatting; exit 1; }\n")
expect("another style" 1 "Detected bad.*the style is not that of ns-3 3\\.99" ${tree})

make_tree()
program(ns3 "[ $1 = configure ] || exit 0
mkdir -p empty
printf 'cmake_minimum_required(VERSION 3.13)\nproject(x NONE)\n' >empty/CMakeLists.txt
cmake -S empty -B cmake-cache >configured
echo 'CMake Warning (dev) at contrib/weft/examples/CMakeLists.txt:6 (build_lib_example):' >&2
echo \"  uninitialized variable 'weft_mpi'\" >&2\n")
expect("a build that warns" 1 "uninitialized variable.*ns-3 3\\.99, but its build warns of weft's files" ${tree})

make_tree()
program(test.py "echo '[1/1] PASS: TestSuite weft-fabric'\n")
expect("a suite that test.py does not know" 1 "test.py did not run weft-" ${tree})
program(test.py "echo '[1/1] FAIL: TestSuite weft-fabric'\nexit 1\n")
expect("a suite that fails" 1 "not all pass with ns-3 3\\.99" ${tree})

# What somebody put there stays: a link to weft's own folder, of which `git reset` would take the work, or a clone.
make_tree()
file(MAKE_DIRECTORY ${tree}/contrib)
file(CREATE_LINK ${ROOT}/ns3-module ${tree}/contrib/weft SYMBOLIC)
expect("a link" 2 "left as it is" ${tree})
file(REMOVE ${tree}/contrib/weft)
execute_process(COMMAND git init --quiet ${tree}/contrib/weft)
expect("a repository" 2 "left as it is" ${tree})
