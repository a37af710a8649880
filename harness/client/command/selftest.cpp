// SPDX-License-Identifier: Apache-2.0
// selftest: checks that this installation works. It runs its own commands on small programs with
// known results, each in a separate process, as a user would.
#include "harness/client/command/selftest.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/files/scratch_folder.h"
#include "harness/base/printable.h"
#include "harness/base/process/clang.h"
#include "harness/base/process/process.h"
#include "harness/base/process/tool.h"
#include "harness/client/outside/client.h"
#include "harness/command/arguments.h"
#include "harness/command/exit_code.h"
#include "harness/command/interrupt.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 120;  ///< Time limit of one check, for a busy machine.
constexpr const char* kSound = "argpack/own";
constexpr const char* kUnsound = "argpack/borrow";
constexpr const char* kRuns = "1000";

class SelfTest {
 public:
  explicit SelfTest(const std::atomic<bool>& stop) : stop_(stop) {}

  bool is_passed() const { return failed_ == 0; }
  bool is_stopped() const { return stop_; }

  void check_models() {
    check("nothing is reported for a sound model",
          {"fuzz", kSound, "--runs", kRuns, "--out", in("sound")}, 0);
    expect_files("sound", false);
    check("a planted bug is found",
          {"fuzz", kUnsound, "--first", "--runs", kRuns, "--out", in("unsound")}, 0);
    expect_files("unsound", true);
    check("the finding is replayed", {"replay", in("unsound")}, 0);
  }

  /// Checks a sound program, and the same program with a bug, which must be found and replayed.
  void check_programs(const std::string& what, const Command& command, const std::string& folder) {
    const auto run = [&](const std::string& how, const std::string& runs) {
      Command made{"run", "--runs", runs, "--seed", "1", "--out", in(folder + how), "--"};
      made.insert(made.end(), command.begin(), command.end());
      made.push_back(how);
      return made;
    };
    check(fmt::format("nothing is reported for a sound {}", what), run("sound", "10"), 0);
    expect_files(folder + "sound", false);
    check(fmt::format("a bug planted in the {} is found", what), run("stale", "20"), 1);
    expect_files(folder + "stale", true);
    check("the finding is replayed", {"replay", in(folder + "stale")}, 0);
  }

  void check_kernel(const std::string& program) {
    check("a kernel is compiled and runs",
          {"run", "--runs", "1", "--out", in("kernel"), "--", program, "kernel"}, 0);
  }

  /// Prints why a check was left out.
  void leave_out(const char* what, const std::string& why) {
    fmt::print("{:<44} left out: {}\n", what, why);
  }

 private:
  std::string in(const std::string& name) const { return (fs::path(folder_.name()) / name); }

  /// Runs one of our commands, which must end with this code.
  void check(const std::string& what, Command command, int code) {
    if (stop_) return;
    command.insert(command.begin(), fs::read_symlink("/proc/self/exe").string());
    // A temporary key for its findings.
    ProcessOptions options{.timeout_seconds = kSeconds,
                           .environment = {"XDG_STATE_HOME=" + in("state")}};
    const ProcessEnd end = run_process(command, options, stop_);
    if (stop_) return;
    const bool is_right = end.code == code && !end.timed_out;
    fmt::print("{:<44} {} ({:.1f} s)\n", what, is_right ? "ok" : "FAILED", end.seconds);
    if (!is_right)
      complain(fmt::format("exit code {} instead of {}\n{}{}", end.code, code, end.out, end.err));
  }

  /// Checks whether the folder has findings.
  void expect_files(const std::string& name, bool wanted) {
    if (stop_) return;
    std::error_code none;
    const bool has = fs::directory_iterator(in(name), none) != fs::directory_iterator();
    if (has != wanted) complain(has ? "findings were written" : "no finding was written");
  }

  void complain(const std::string& why) {
    fmt::print("  {}\n", why);
    ++failed_;
  }

  ScratchFolder folder_{"afterlife-selftest"};
  const std::atomic<bool>& stop_;
  int failed_ = 0;
};

}  // namespace

CLI::App* add_selftest(CLI::App& app, SelfTestOptions& /*options*/) {
  CLI::App* command = app.add_subcommand(
      "selftest",
      "Check that this Afterlife works here: programs without a bug, the same with one, replays");
  command->footer(help_footer("  afterlife selftest",
                              "Exit: 0 everything works, 1 something does not, 2 a file or the "
                              "disk, 3 usage, 4 stopped."));
  return command;
}

int selftest(const SelfTestOptions& /*options*/) {
  const fs::path library = client::library_folder();
  const fs::path folder = library / "selftest";
  const std::string program = folder / "selftest_program";
  SelfTest test(take_interrupts());
  fmt::print("libraries: {}\n", printable(library.string()));
  test.check_models();
  test.check_programs("program", {program}, "program-");
  if (const std::string python = find_tool("python3"); !python.empty())
    test.check_programs("Python script", {python, folder / "selftest.py"}, "script-");
  else
    test.leave_out("a Python script", "there is no python3 in PATH");
  if (const std::string clang = find_clang(); !clang.empty())
    test.check_kernel(program);
  else
    test.leave_out("kernels", fmt::format("they need {}", kClangAdvice));
  if (test.is_stopped()) return kStopped;
  fmt::print("{}\n", test.is_passed() ? "everything works" : "something does not work");
  return test.is_passed() ? kAsClaimed : kNotAsClaimed;
}

}  // namespace harness::entries
