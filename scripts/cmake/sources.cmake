# SPDX-License-Identifier: Apache-2.0
# Sources by folder, and what is built from them. A glob that matches nothing is an error, or a typo and a folder
# that lacks a part would only make the build smaller.

# sources(<variable> <glob>...): the files that match, looked up again at every build. Each glob must match.
function(sources variable)
  glob_each(GLOB REQUIRED ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# sources_below(<variable> <glob>...): the same, at any depth.
function(sources_below variable)
  glob_each(GLOB_RECURSE REQUIRED ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# optional_sources(<variable> <glob>...): the same as sources(), and it may be that nothing matches.
function(optional_sources variable)
  glob_each(GLOB OPTIONAL ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# Leaves what the globs match in `found` of the caller.
function(glob_each how need)
  set(all "")
  foreach(glob ${ARGN})
    file(${how} matches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${glob})
    if(need STREQUAL "REQUIRED" AND NOT matches)
      message(FATAL_ERROR "No file matches ${glob}. See harness/docs/how-to/recipes.md for what each part needs.")
    endif()
    list(APPEND all ${matches})
  endforeach()
  list(SORT all)  # The order of what is linked is the same whichever glob found it.
  set(found ${all} PARENT_SCOPE)
endfunction()

# subfolders(<variable> <folder>): the names of the folders in it that hold C++.
function(subfolders variable folder)
  sources(files ${folder}/*/*.cpp)
  list(TRANSFORM files REPLACE ".*/([^/]+)/[^/]+$" "\\1")
  list(REMOVE_DUPLICATES files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# slice_sources(<variable> <glob>...): as sources_below(), without tests.
function(slice_sources variable)
  glob_each(GLOB_RECURSE REQUIRED ${ARGN})
  list(FILTER found EXCLUDE REGEX "/tests/")
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# add_objects(<target> <file>...): adds a part of what every program is linked from. Objects, not
# archives: nothing is left out because no one calls it by name.
add_library(everything INTERFACE)
function(add_objects target)
  add_library(${target} OBJECT ${ARGN})
  target_link_libraries(${target} PRIVATE flags)
  target_sources(everything INTERFACE $<TARGET_OBJECTS:${target}>)
endfunction()

# add_program(<name> [PATH <path>] SOURCES <glob>... [LIBRARIES ...]): links the sources with
# everything. A program of one path learns its name from AFTERLIFE_PATH.
function(add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "PATH" "SOURCES;LIBRARIES")
  sources(files ${program_SOURCES})
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE flags everything ${program_LIBRARIES})
  if(program_PATH)
    target_compile_definitions(${name} PRIVATE AFTERLIFE_PATH="${program_PATH}")
  endif()
endfunction()
