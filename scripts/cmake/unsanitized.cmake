# SPDX-License-Identifier: Apache-2.0
# Tests that builds with a sanitizer leave out, unless AFTERLIFE_TESTS names them. The release build has all tests.

# All of it is skipped under a sanitizer: other programs lack its run-time.
set(skipped_tests "harness/[a-z_/]+/(cli_trust|client_(addresses|bad_ends|failures|forced|forced_runs|fork|free_threads|host_use|launchers|lending|libraries|pedantic|threads|waiting))_test")
# These check an algorithm in so many runs or draws that a sanitizer takes minutes.
set(searching_tests "harness/[a-z_/]+/(cli_gate|cli_gate_time|cli_gate_views|cli_nightly|cli_price|gate_trial|gate_canaries|nightly_changes|nightly_change_points|nightly_root|nightly_trend)_test|scenarios/[a-z_]+/tests/[a-z_]+_corpus_test|scenarios/(argpack/tests/argpack_backends|managed_dict/tests/managed_dict_explain)_test")

# leave_out_unsanitized(<variable>): removes from a list of test files those that a build with a sanitizer leaves out.
function(leave_out_unsanitized variable)
  list(FILTER ${variable} EXCLUDE REGEX "/(${skipped_tests}|${searching_tests})\\.cpp$")
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()
