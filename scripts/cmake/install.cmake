# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies: a tree that can be moved, in which each part finds the others from where it is.
# It holds no link: a wheel cannot have one, and is made of the same tree.
#   bin/afterlife
#   lib/afterlife/       the libraries, with what they need that a bare system lacks in bundled/
#   lib/afterlife/link/  for the option -L of linkers
#   lib/cmake/afterlife  for find_package(afterlife)
#   include/afterlife    the headers that programs may include: what our driver has beyond CUDA. A path is modelled in a
#                        clone, as the harness has no stable interface for it.

# another_name(<target> <file>): a library by another name of the target's, for dlopen(). As it is no link, it is a library
# that needs the target, and holds nothing; no linker can use it.
function(another_name target file)
  string(MAKE_C_IDENTIFIER ${file} name)
  set(source ${PROJECT_BINARY_DIR}/generated/another_name.cpp)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "")
  endif()
  add_library(${name} SHARED ${source})
  target_link_libraries(${name} PRIVATE ${target})
  target_link_options(${name} PRIVATE -nostdlib -fuse-ld=lld -Wl,--no-as-needed)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${file} NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/other_names)
  list(APPEND installed_libraries ${name})
  set(installed_libraries ${installed_libraries} PARENT_SCOPE)
endfunction()

set(library_folder lib/afterlife)
set(installed_libraries cuda_sim cudart cudart12 nvml nvrtc_front nvrtc_rest nvjitlink_front nvjitlink_rest
  afterlife_threads afterlife_nvtx afterlife_audit afterlife_instrumented)
set_target_properties(${installed_libraries} afterlife_reads PROPERTIES INSTALL_RPATH "$ORIGIN/bundled")
another_name(cuda_sim libcuda.so)
another_name(cudart libcudart.so)
another_name(nvml libnvidia-ml.so)
another_name(nvrtc_front libnvrtc.so)
another_name(nvrtc_front libnvrtc.so.12)
another_name(nvjitlink_front libnvJitLink.so)
another_name(nvjitlink_front libnvJitLink.so.12)
foreach(library ${installed_libraries})
  get_target_property(rpath ${library} INSTALL_RPATH)
  if(NOT rpath)
    set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
endforeach()
# The second place is the first one before a wheel is unpacked, for what looks into wheels.
set_target_properties(afterlife PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${library_folder}/bundled;$ORIGIN/../data/${library_folder}/bundled")
set_target_properties(stand_in PROPERTIES INSTALL_RPATH "$ORIGIN/../../bundled")

# All that is installed.
add_custom_target(installed DEPENDS
  afterlife afterlife_reads cudart_static cudart12_static selftest_program stand_in ${installed_libraries})

install(TARGETS afterlife RUNTIME DESTINATION bin)
install(TARGETS ${installed_libraries} LIBRARY DESTINATION ${library_folder} NAMELINK_SKIP)
# Linker scripts: a name without a version, for -l, means the library with its version.
function(install_link_name name library)
  set(script ${PROJECT_BINARY_DIR}/generated/link/${name})
  file(WRITE ${script} "INPUT(${library})\n")
  cmake_path(GET name PARENT_PATH folder)
  install(FILES ${script} DESTINATION ${library_folder}/link/${folder})
endfunction()
install_link_name(libcuda.so ../libcuda.so.1)
install_link_name(libcudart.so ../libcudart.so.13)
install_link_name(libnvidia-ml.so ../libnvidia-ml.so.1)
install_link_name(libnvJitLink.so ../libnvJitLink.so.13)
install_link_name(libnvrtc.so ../libnvrtc.so.13)
install_link_name(cuda12/libcudart.so ../../libcudart.so.12)
install(TARGETS cudart_static ARCHIVE DESTINATION ${library_folder}/link)
install(TARGETS cudart12_static ARCHIVE DESTINATION ${library_folder}/link/cuda12)
install(TARGETS afterlife_reads LIBRARY DESTINATION ${library_folder}/world_reads)
install(FILES ${PROJECT_BINARY_DIR}/lib/world_reads/sitecustomize.py DESTINATION ${library_folder}/world_reads)
install(TARGETS stand_in RUNTIME DESTINATION ${library_folder}/stand_ins/bin)
install(CODE "
  set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${library_folder}/stand_ins/bin\")
  foreach(tool nvcc ptxas)
    file(COPY_FILE \${folder}/afterlife_stand_in \${folder}/\${tool})
  endforeach()")
install(TARGETS selftest_program RUNTIME DESTINATION ${library_folder}/selftest)
install(FILES harness/client/selftest/selftest.py DESTINATION ${library_folder}/selftest)
install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/torch DESTINATION ${library_folder}
  PATTERN __pycache__ EXCLUDE)
install(FILES harness/driver/cuda/host_work.h harness/driver/cuda/launch_count.h DESTINATION include/afterlife)
install(FILES LICENSE DESTINATION share/doc/afterlife)
install(FILES scripts/cmake/package/afterlife-config.cmake scripts/cmake/afterlife_test.cmake
  scripts/cmake/afterlife_instrument.cmake DESTINATION lib/cmake/afterlife)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/generated/afterlife-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/generated/afterlife-config-version.cmake DESTINATION lib/cmake/afterlife)

# The one library that Debian has in no static form, as it is called by those who need it.
get_target_property(fmt_type fmt::fmt TYPE)
if(fmt_type STREQUAL "SHARED_LIBRARY")
  install(FILES $<TARGET_FILE:fmt::fmt> DESTINATION ${library_folder}/bundled RENAME $<TARGET_SONAME_FILE_NAME:fmt::fmt>)
endif()
