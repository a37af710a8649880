# precompile(<target>... [WITH <header>...]): the targets' sources begin with the headers that most of them
# include, of libraries and of our own, read once for all: a source takes a third of the time. The targets of one
# call are compiled alike. Only where AFTERLIFE_PRECOMPILED is on: a build without it, which is dev alone, is one in
# which a source that lacks an include does not compile. Our own headers are named as in an include, so that the
# list is the same text in every clone.
option(AFTERLIFE_PRECOMPILED "Read the most used headers once: for builds from nothing" OFF)

set(common_headers <algorithm> <array> <deque> <functional> <map> <memory> <memory_resource> <optional> <set> <span>
  <string> <string_view> <unordered_map> <vector> <cuda.h> <fmt/format.h> <nlohmann/json.hpp>)

function(precompile first)
  if(NOT AFTERLIFE_PRECOMPILED)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 precompiled "" "" "WITH")
  foreach(target ${first} ${precompiled_UNPARSED_ARGUMENTS})
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # As ccache asks for.
  endforeach()
  target_precompile_headers(${first} PRIVATE ${common_headers} ${precompiled_WITH})
  foreach(target ${precompiled_UNPARSED_ARGUMENTS})
    target_precompile_headers(${target} REUSE_FROM ${first})
  endforeach()
endfunction()
