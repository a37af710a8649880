# SPDX-License-Identifier: Apache-2.0
# afterlife_instrument(<target>): compiles the C++ of a target so that `afterlife run` sees its accesses of memory: it
# reports data races of its threads, and each atomic operation is a turn. clang alone can do so. Outside of
# `afterlife run` the program runs as before, and slower.
#
# Include this file, or find_package(afterlife). The library is afterlife::instrumented, or AFTERLIFE_INSTRUMENTED.
function(afterlife_instrument target)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "afterlife_instrument(${target}): only clang instruments code as Afterlife needs it; "
      "the compiler is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  set(library afterlife::instrumented)
  if(AFTERLIFE_INSTRUMENTED)
    set(library ${AFTERLIFE_INSTRUMENTED})
  endif()
  # The definition compiles members of std::string with the target, so that they are instrumented, too.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=thread -g>)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_EXTERN_TEMPLATE=0)
  target_link_libraries(${target} PRIVATE ${library})
  target_link_options(${target} PRIVATE -fno-sanitize-link-runtime)
endfunction()
