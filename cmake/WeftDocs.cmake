# SPDX-License-Identifier: GPL-2.0-only
# The handbook as a site: cmake --build BUILD --target docs writes BUILD/docs/html, which opens from disk.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(Python3_FOUND)
  add_custom_target(docs COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/docs/site/build ${PROJECT_BINARY_DIR}/docs
                    COMMENT "The handbook: docs/html/index.html" VERBATIM)
endif()
