# SPDX-License-Identifier: Apache-2.0
# use_profile(<target>): what links the target is optimized by AFTERLIFE_PROFILE, a file that scripts/profile.sh writes:
# which code runs how often. Functions that have changed since are compiled as if there were none. Where the variable
# AFTERLIFE_UNPROFILED is in the environment it is left out: a profile is of one revision, and the gate compares two.
set(AFTERLIFE_PROFILE "" CACHE STRING "Which code runs how often, from the top folder on; empty for none")

function(use_profile target)
  if(NOT AFTERLIFE_PROFILE OR DEFINED ENV{AFTERLIFE_UNPROFILED})
    return()
  endif()
  # By a name of its content: another one makes all objects again, and clones that have the same share theirs.
  file(SHA256 ${PROJECT_SOURCE_DIR}/${AFTERLIFE_PROFILE} hash)
  set(profile generated/${hash}.profdata)
  configure_file(${PROJECT_SOURCE_DIR}/${AFTERLIFE_PROFILE} ${PROJECT_BINARY_DIR}/${profile} COPYONLY)
  target_compile_options(${target} INTERFACE -fprofile-use=${profile}
    -Wno-profile-instr-unprofiled -Wno-profile-instr-out-of-date -Wno-backend-plugin)
endfunction()
