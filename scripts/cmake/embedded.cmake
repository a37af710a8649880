# SPDX-License-Identifier: Apache-2.0
# add_embedded(<path>): the program embedded_<path>_<python> for each CPython that is asked for and found,
# from scenarios/<path>/tests/embedded/*.cpp. Found is one with a shared library and its internal headers:
# AFTERLIFE_PYTHON311 and AFTERLIFE_PYTHON312 (an interpreter's file) first, then where they usually are.
#
# Of one that is not found, embedded_<path>_<python>.skipped says why, beside the other programs: the
# tests that wanted it tell the reason.

# find_embeddable(<major.minor>): <version>_INCLUDE, <version>_LIBRARY, or <version>_WHY_NOT.
function(find_embeddable version)
  string(REPLACE "." "" digits ${version})
  file(GLOB built LIST_DIRECTORIES false /opt/python/${version}*/bin/python${version}
    $ENV{PYENV_ROOT}/versions/${version}.*/bin/python${version}
    $ENV{HOME}/.pyenv/versions/${version}.*/bin/python${version})
  foreach(python ${AFTERLIFE_PYTHON${digits}} $ENV{AFTERLIFE_PYTHON${digits}}
          /usr/bin/python${version} /usr/local/bin/python${version} ${built})
    execute_process(COMMAND ${python} -c "if True:
      import os, sysconfig
      get = sysconfig.get_config_var
      include, name = sysconfig.get_path('include'), get('LDLIBRARY')
      folders = [get('LIBDIR'), os.path.join(get('LIBDIR'), get('MULTIARCH') or ''), get('LIBPL')]
      files = [os.path.join(folder, name) for folder in folders]
      shared = [f for f in files if f.endswith('.so') and os.path.exists(f)]
      headers = os.path.exists(os.path.join(include, 'internal', 'pycore_object.h'))
      right = sysconfig.get_python_version() == '${version}'
      print(include, shared[0], sep=';', end='') if right and headers and shared else None"
      OUTPUT_VARIABLE found ERROR_QUIET)
    if(found)
      list(GET found 0 include)
      list(GET found 1 library)
      set(${version}_INCLUDE ${include} PARENT_SCOPE)
      set(${version}_LIBRARY ${library} PARENT_SCOPE)
      message(STATUS "CPython ${version} to embed: ${library}")
      return()
    endif()
  endforeach()
  set(${version}_WHY_NOT
    "no CPython ${version} with a shared library and internal headers was found (AFTERLIFE_PYTHON${digits})"
    PARENT_SCOPE)
endfunction()

function(add_embedded path)
  optional_sources(files scenarios/${path}/tests/embedded/*.cpp)
  if(NOT files)
    return()
  endif()
  sources(instruments harness/core/instruments/*.cpp)
  foreach(version 3.11 3.12)
    find_embeddable(${version})
    string(REPLACE "." "" digits ${version})
    set(name embedded_${path}_cpython${digits})
    set(note ${PROJECT_BINARY_DIR}/${name}.skipped)
    file(REMOVE ${note})
    if(${version}_WHY_NOT)
      file(WRITE ${note} ${${version}_WHY_NOT})
      continue()
    endif()
    add_executable(${name} ${files} ${instruments})
    target_link_libraries(${name} PRIVATE flags ${${version}_LIBRARY})
    target_include_directories(${name} SYSTEM PRIVATE ${${version}_INCLUDE})
    cmake_path(GET ${version}_LIBRARY PARENT_PATH folder)
    set_target_properties(${name} PROPERTIES BUILD_RPATH ${folder})
    list(APPEND embedded_programs ${name})
  endforeach()
  set(embedded_programs ${embedded_programs} PARENT_SCOPE)
endfunction()
