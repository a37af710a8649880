# SPDX-License-Identifier: Apache-2.0
# precompile(<target>... [WITH <header>...] [FROM <target>]): the targets' sources begin with the headers that most of
# them include, of libraries and of our own, read once for all: a source takes a third of the time. With FROM, they are
# those of a target that has been precompiled. The targets of one call are compiled alike, but for definitions, the
# profile, and how far they are optimized: only not optimizing at all makes headers others. Only where
# AFTERLIFE_PRECOMPILED is on: a build without it, which is dev alone, is one in which a source that lacks an include
# does not compile. Our own headers are named as in an include, so that the list is the same text in every clone.
option(AFTERLIFE_PRECOMPILED "Read the most used headers once: for builds from nothing" OFF)

set(common_headers <algorithm> <array> <deque> <functional> <map> <memory> <memory_resource> <optional> <set> <span>
  <string> <string_view> <unordered_map> <vector> <cuda.h> <fmt/format.h> <nlohmann/json.hpp>)

function(precompile)
  if(NOT AFTERLIFE_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 precompiled "" "FROM" "WITH")
  set(targets ${precompiled_UNPARSED_ARGUMENTS})
  foreach(target ${targets})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # As ccache asks for.
  endforeach()
  if(NOT precompiled_FROM)
    list(POP_FRONT targets precompiled_FROM)
    target_precompile_headers(${precompiled_FROM} PRIVATE ${common_headers} ${precompiled_WITH})
  endif()
  foreach(target ${targets})
    target_precompile_headers(${target} REUSE_FROM ${precompiled_FROM})
  endforeach()
endfunction()

# precompile_code(<program>): has the code of what the headers define made once for all of the program's own sources,
# rather than by each: a quarter less to compile. It is made as the program is linked, and what no one calls is left
# out, since that may call what a library does not have.
function(precompile_code program)
  if(NOT AFTERLIFE_PRECOMPILED)
    return()
  endif()
  target_compile_options(${program} PRIVATE -fpch-codegen)
  set(headers CMakeFiles/${program}.dir/cmake_pch.hxx)
  add_custom_command(TARGET ${program} PRE_LINK COMMAND_EXPAND_LISTS VERBATIM COMMAND ${CMAKE_CXX_COMPILER}
    $<TARGET_PROPERTY:flags,INTERFACE_COMPILE_OPTIONS> $<TARGET_PROPERTY:cold,INTERFACE_COMPILE_OPTIONS>
    -fPIE -fvisibility=hidden -ffunction-sections -c ${headers}.pch -o ${headers}.o)
  target_link_libraries(${program} PRIVATE -Wl,${headers}.o -Wl,--gc-sections)
endfunction()

# unite(<target> <groups> [ONLY <regex>...] [APART <regex>...]): compiles the target's sources, or only those in these
# folders, in so many groups, each as one file: a third of the time. A source's group follows from its name, so a new file changes only one group; tests of the paths
# have groups of their own. Two sources of a group must not give one name to two things, nor leave a macro defined
# that another one knows by another meaning; those that do are compiled apart, as all are in a build that is not
# precompiled.
function(unite target groups)
  if(NOT AFTERLIFE_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 united "" "" "ONLY;APART")
  list(JOIN united_APART "|" apart)
  list(JOIN united_ONLY "|" only)
  get_target_property(united_sources ${target} SOURCES)
  list(FILTER united_sources INCLUDE REGEX "^[^$].*\\.cpp$")
  foreach(source ${united_sources})
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" name ${source})
    string(MD5 hash ${name})
    string(SUBSTRING ${hash} 0 6 hash)
    math(EXPR group "0x${hash} % ${groups}")
    string(REGEX REPLACE "/.*" "_${group}" group ${name})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    if(name MATCHES "/(${apart})\\.cpp$" OR NOT name MATCHES "/(${only})")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
