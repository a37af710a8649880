# Sources by folder, and what is built from them. What has no source yet is left out.

# sources(<variable> <glob>...): the files that match, looked up again at every build.
function(sources variable)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# The same, at any depth.
function(sources_below variable)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

# subfolders(<variable> <folder>): the names of the folders in it that hold C++.
function(subfolders variable folder)
  sources(files ${folder}/*/*.cpp)
  list(TRANSFORM files REPLACE ".*/([^/]+)/[^/]+$" "\\1")
  list(REMOVE_DUPLICATES files)
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# add_objects(<target> <file>...): adds a part of what every program is linked from. Objects, not
# archives: nothing is left out because nobody calls it by name.
add_library(everything INTERFACE)
function(add_objects target)
  if(ARGN)
    add_library(${target} OBJECT ${ARGN})
    target_link_libraries(${target} PRIVATE flags)
    target_sources(everything INTERFACE $<TARGET_OBJECTS:${target}>)
  endif()
endfunction()

# add_program(<name> [PATH <path>] SOURCES <glob>... [LIBRARIES ...]): links the sources with
# everything. A program of one path learns its name from AFTERLIFE_PATH.
function(add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "PATH" "SOURCES;LIBRARIES")
  sources(files ${program_SOURCES})
  if(NOT files)
    return()
  endif()
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE flags everything ${program_LIBRARIES})
  if(program_PATH)
    target_compile_definitions(${name} PRIVATE AFTERLIFE_PATH="${program_PATH}")
  endif()
endfunction()
