# Tests that are asked without a sanitizer: in CI, by a program of their own in the release build, and no more in
# builds with one, unless AFTERLIFE_TESTS names them. Files of which a part is such are in both programs.

# All of it is skipped under a sanitizer: other programs lack its run-time.
set(skipped_tests "harness/tests/client_(addresses|bad_ends|failures|forced|forced_runs|fork|free_threads|host_use|launchers|libraries|pedantic|threads|waiting)_test")
# What is asked is if an algorithm is right, in so many runs or draws that a sanitizer takes minutes.
set(searching_tests "harness/tests/(cli_gate|cli_nightly|cli_price|gate_trial|gate_canaries|nightly_changes|nightly_change_points|nightly_root|nightly_trend)_test|scenarios/[a-z_]+/tests/[a-z_]+_corpus_test|scenarios/(argpack/tests/argpack_backends|managed_dict/tests/managed_dict_explain)_test")
set(shared_tests "harness/tests/(cli_run|client_reads|laws)_test")

# leave_out_unsanitized(<variable>): takes out of a list of test files those that a build with a sanitizer leaves out.
function(leave_out_unsanitized variable)
  list(FILTER ${variable} EXCLUDE REGEX "/(${skipped_tests}|${searching_tests})\\.cpp$")
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# add_unsanitized(<test file>...): adds unsanitized_tests, a program of those of the files that are asked without a
# sanitizer. No other target needs it: afterlife_tests of the same build has them, too.
function(add_unsanitized)
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "/(${skipped_tests}|${searching_tests}|${shared_tests}|harness/tests/corpus)\\.cpp$")
  add_executable(unsanitized_tests EXCLUDE_FROM_ALL ${files})
  target_link_libraries(unsanitized_tests PRIVATE flags cold everything nights GTest::gtest GTest::gmock GTest::gtest_main)
  precompile(unsanitized_tests WITH ${test_headers})
  add_dependencies(unsanitized_tests afterlife afterlife_toys cuda_sim)
endfunction()
