# SPDX-License-Identifier: GPL-2.0-only
#[[
Copies the module, and the C sources that it stands on, into one folder that needs nothing else of weft, and makes that
folder a git repository, which `git clone` puts into contrib/ of an ns-3 source tree:

  cmake --build build/release --target export-contrib        (into build/release/contrib/weft)
  cmake -DDEST=/path/to/repository/weft -P ns3-module/cmake/ExportContrib.cmake

A repository that an earlier export made gets one more commit, where something changed. With -DGIT=OFF it is a folder
only, and must not exist yet. -DURL= is where the repository will be cloned from, for bakeconf.xml.
]]
if(NOT DEST)
  message(FATAL_ERROR "give the folder to make: -DDEST=/path/to/ns-3/contrib/weft")
endif()
if(NOT DEFINED GIT)
  set(GIT ON)
endif()
get_filename_component(root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
get_filename_component(dest ${DEST} ABSOLUTE)
if(NOT URL)
  set(URL "file://${dest}")
endif()
file(STRINGS ${root}/CMakeLists.txt line REGEX "^project\\(weft VERSION")
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" VERSION "${line}")

file(GLOB entries ${dest}/* ${dest}/.*)
list(FILTER entries EXCLUDE REGEX "/\\.(\\.|git)?$")
if(EXISTS ${dest} AND NOT (GIT AND EXISTS ${dest}/.git AND EXISTS ${dest}/bakeconf.xml))
  message(FATAL_ERROR "${dest} exists already, and no earlier export made it: remove it first")
elseif(entries)
  file(REMOVE_RECURSE ${entries})
endif()

# The bridge serves weft's frontend, and cmake/ has what the module needs outside of an ns-3 source tree.
set(module ${root}/ns3-module)
file(COPY ${module}/model ${module}/helper ${module}/test ${module}/examples ${module}/doc ${module}/engine
     DESTINATION ${dest} PATTERN CMakeLists.txt EXCLUDE PATTERN .clang-format EXCLUDE)
file(COPY ${root}/congestion ${root}/topologies DESTINATION ${dest} PATTERN CMakeLists.txt EXCLUDE)
file(COPY ${root}/frontend/base DESTINATION ${dest}/frontend PATTERN CMakeLists.txt EXCLUDE)
file(COPY ${root}/scenarios/ns3 DESTINATION ${dest}/scenarios PATTERN .clang-format EXCLUDE)
file(COPY ${root}/LICENSE DESTINATION ${dest})
file(COPY ${module}/examples/CMakeLists.txt DESTINATION ${dest}/examples)
file(COPY ${module}/cmake/ContribTree.cmake ${module}/cmake/InstallHeaders.cmake ${module}/cmake/Place.cmake ${module}/cmake/WeftLibrary.cmake
     DESTINATION ${dest}/cmake)

# The first half of the module's CMakeLists.txt.
file(READ ${module}/CMakeLists.txt text)
string(REGEX MATCH "(.*\nif\\(COMMAND build_lib\\).*\nendif\\(\\)\n)\n# The module on its own\\." found "${text}")
set(first ${CMAKE_MATCH_1})
string(REGEX REPLACE "^.*\nif\\(COMMAND build_lib\\)" "# SPDX-License-Identifier: GPL-2.0-only
# weft, a contributed module of ns-3: README.md says how it is built.
if(COMMAND build_lib)" first "${first}")
if(NOT found)
  message(FATAL_ERROR "ns3-module/CMakeLists.txt is not in two halves any more")
endif()
file(WRITE ${dest}/CMakeLists.txt
     "${first}message(FATAL_ERROR \"this is a module of ns-3: put it into contrib/ of an ns-3 source tree\")\n")

# The ns-3 classes are formatted by the .clang-format of the ns-3 tree that they lie in; the engine is C and formatted by
# weft's own rules before it comes here.
foreach(folder engine congestion topologies frontend)
  file(WRITE ${dest}/${folder}/.clang-format "# C code of weft's engine, formatted where it comes from.\n"
       "DisableFormat: true\nSortIncludes: Never\n")
endforeach()
file(READ ${module}/check-contrib text)
string(REGEX MATCH "releases=\"([^\"]*)\"" found "${text}")
string(REPLACE " " "\n" rows "${CMAKE_MATCH_1}")
string(REGEX REPLACE "([^\n]+)" "| ns-3 \\1 | builds, suites and examples pass |" MATRIX "${rows}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/contrib-README.md.in ${dest}/README.md @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/bakeconf.xml.in ${dest}/bakeconf.xml @ONLY)

if(NOT GIT)
  message(STATUS "${dest} is ready for ./ns3 configure")
  return()
endif()
find_program(git git REQUIRED)

# git(ARGS...): runs git in the repository; sets output.
function(git)
  execute_process(COMMAND ${git} -C ${dest} ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE errors
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "git ${ARGN}: ${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

if(NOT EXISTS ${dest}/.git)
  git(init --quiet --initial-branch=main)
endif()
git(add --all)
git(status --porcelain)
if(output STREQUAL "")
  message(STATUS "${dest} is as it was")
  return()
endif()
# The commit is by who made the last one of weft, at its time.
execute_process(COMMAND ${git} -C ${root} log -1 "--format=%an;%ae;%aI;%h" RESULT_VARIABLE code OUTPUT_VARIABLE last
                ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT code EQUAL 0)
  set(last "The weft project;weft@localhost;;")
endif()
list(GET last 0 name)
list(GET last 1 mail)
list(GET last 2 date)
list(GET last 3 commit)
set(ENV{GIT_AUTHOR_DATE} "${date}")
set(ENV{GIT_COMMITTER_DATE} "${date}")
string(STRIP "weft ${VERSION} ${commit}" subject)
git(-c "user.name=${name}" -c "user.email=${mail}" -c commit.gpgsign=false commit --quiet
    -m "${subject}" -m "The ns-3 module with the C sources that it stands on.")
message(STATUS "${dest} is ready: git clone ${dest} /path/to/ns-3/contrib/weft")
