// SPDX-License-Identifier: Apache-2.0
// Runs statements of the managed-dict path on a real CPython, with its instruments on.
//
// The statements are meant to be able to crash it, so a caller that must survive runs it as a child
// process.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>

#include "scenarios/managed_dict/tests/embedded/program.h"
#include "scenarios/managed_dict/tests/embedded/recorder.h"

namespace {

constexpr const char* kHelp =
    "Usage: embedded_<path>_<python> [--no-watch] [--write-limit=N] FILE\n\n"
    "Runs the statements of FILE, one a line, on the CPython that this program was built with, "
    "and\n"
    "prints what the instruments saw. scenarios/managed_dict/README.md says what statements there "
    "are.\nOf writes to words N are kept between two statements (65536); more are counted as "
    "lost.\n\n"
    "Example:\n  printf 'new_instance 0 0\\nstore_attr 0 0 0\\n' > /tmp/two && "
    "./build/release/embedded_managed_dict_cpython311 /tmp/two\n\n"
    "Exit: 0 the statements ran, 2 one could not, 3 usage; killed by a signal when CPython was.\n";

int run(const char* file, const scenarios::managed_dict::embedded::Instruments& instruments) {
  using namespace scenarios::managed_dict::embedded;
  std::ifstream statements(file);
  if (!statements) throw std::runtime_error(std::string(file) + ": cannot be read");
  Py_InitializeEx(0);
  define_program();
  start_recording(instruments);
  record_program();
  run_program(statements);
  stop_recording();
  return 0;
}

}  // namespace

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// CPython frees little at exit. This is not a leak of ours.
extern "C" __attribute__((visibility("default"))) const char* __asan_default_options() {
  return "detect_leaks=0:handle_segv=0:handle_abort=0:handle_sigbus=0";
}
#endif
#endif

int main(int argc, char** argv) {
  scenarios::managed_dict::embedded::Instruments instruments;
  const char* file = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--help") == 0) return std::fputs(kHelp, stdout) < 0;
    if (std::strcmp(argv[i], "--no-watch") == 0)
      instruments.hardware_watch = false;
    else if (std::strncmp(argv[i], "--write-limit=", 14) == 0 && std::atol(argv[i] + 14) > 0)
      instruments.write_limit = static_cast<std::size_t>(std::atol(argv[i] + 14));
    else
      file = file == nullptr ? argv[i] : "";
  }
  if (file == nullptr || *file == '\0' || *file == '-') {
    std::fputs("embedded: one FILE of statements is wanted; see --help\n", stderr);
    return 3;
  }
  try {
    return run(file, instruments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embedded: %s\n", error.what());
    return 2;
  }
}
