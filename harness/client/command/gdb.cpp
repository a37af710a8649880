// SPDX-License-Identifier: Apache-2.0
// How it works. A reproducer runs in `afterlife replay` itself. A finding of `run` has a separate
// program. gdb starts it with the environment of a replay, while gdb itself keeps ours. Source: the
// gdb manual, "Specifying Source Directories" and "Starting your Program".
#include "harness/client/command/gdb.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "harness/client/border/hang_watch.h"
#include "harness/client/command/replay_finding.h"
#include "harness/client/command/run_client.h"
#include "harness/client/command/trust.h"
#include "harness/client/outside/run_folder.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/search/search.h"
#include "harness/command/exit_code.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;

/// Functions that report a fault, an unexpected error, and a hang.
constexpr const char* kFault = "harness::History::add(harness::Fault)";
constexpr const char* kError = "harness::entries::Guided::take_error";
constexpr const char* kHang = "harness::entries::Guided::hangs";

class Gdb {
 public:
  Gdb() {
    command_ = {"gdb", "-q"};
    const fs::path build = fs::read_symlink("/proc/self/exe").parent_path();
    const fs::path root = build.parent_path().parent_path();
    tell("set breakpoint pending on");
    tell("set startup-with-shell off");
    if (fs::exists(root / "harness"))
      tell(
          fmt::format("set substitute-path build/{} {}", build.filename().string(), root.string()));
  }

  void tell(const std::string& what) {
    command_.emplace_back("-ex");
    command_.push_back(what);
  }

  /// Enables the watch for hangs, which asks the program for its place as in any run.
  void watch() { watches_ = true; }

  /// Returns gdb's exit code.
  int run(const Command& program) {
    const bool is_batch = ::isatty(0) == 0;
    if (is_batch) command_.insert(command_.begin() + 1, "-batch");
    tell("run");
    if (is_batch) tell(watches_ ? "thread apply all backtrace" : "backtrace");
    command_.emplace_back("--args");
    command_.insert(command_.end(), program.begin(), program.end());
    return wait_for(start());
  }

 private:
  pid_t start() {
    std::vector<char*> words;
    for (std::string& word : command_) words.push_back(word.data());
    words.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("cannot start a process for gdb");
    if (child != 0) return child;
    ::execvp(words[0], words.data());
    ::_exit(127);
  }

  /// Waits for gdb to end. Ctrl-C is left to gdb.
  int wait_for(pid_t child) const {
    constexpr useconds_t kBetweenLooks = 100'000;
    const auto before = ::signal(SIGINT, SIG_IGN);
    client::HangWatch watch;
    double seconds = 0;
    int status = 0;
    while (::waitpid(child, &status, watches_ ? WNOHANG : 0) != child) {
      ::usleep(kBetweenLooks);
      seconds += kBetweenLooks / 1e6;
      if (watches_) look(watch, program_of(child), seconds);
    }
    ::signal(SIGINT, before);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      throw std::runtime_error("gdb is not installed: install it (on Debian: apt install gdb)");
    return WIFEXITED(status) ? WEXITSTATUS(status) : kWorld;
  }

  /// Returns the id of the program that gdb started, or 0.
  static pid_t program_of(pid_t gdb) {
    pid_t program = 0;
    std::ifstream(fmt::format("/proc/{0}/task/{0}/children", gdb)) >> program;
    return program;
  }

  static void look(client::HangWatch& watch, pid_t program, double seconds) {
    constexpr double kTooLong = 10;
    if (program <= 0) return;
    watch.passes(program, seconds);
    if (seconds > kTooLong) watch.delays_end(program);
  }

  Command command_;
  bool watches_ = false;
};

int replay_reproducer(const std::string& file) {
  Gdb gdb;
  gdb.tell(fmt::format("break {}", kFault));
  return gdb.run({fs::read_symlink("/proc/self/exe"), "replay", file});
}

/// Watched memory raises signals that are not faults of the program.
void pass_signals_of_watching(Gdb& gdb, const client::Finding& finding) {
  if (std::ranges::any_of(finding.decisions, &client::ToldDecision::is_watch))
    gdb.tell("handle SIGSEGV SIGTRAP nostop noprint pass");
}

int replay_finding_in_gdb(const ReplayOptions& options) {
  const std::string& file = options.files.front();
  const auto [recorded, text] = read_finding(file);
  require_trust(file, text, recorded.command, options.trust);
  const client::RunFolder folder;
  const client::Orders orders = client::orders_of(recorded.finding);
  client::write_orders(folder.name(), orders);
  const client::Client client{recorded.command, client::library_folder()};
  Gdb gdb;
  for (const std::string& variable :
       client::process_options(client, folder.name(), orders).environment)
    gdb.tell(fmt::format("set environment {}", variable));
  pass_signals_of_watching(gdb, recorded.finding);
  if (!client::is_failure(recorded.finding.fault)) {
    gdb.tell(fmt::format("break {}", kFault));
  } else {
    gdb.tell(fmt::format("break {}", kError));
    gdb.tell(fmt::format("break {}", kHang));
    gdb.tell(fmt::format("handle SIG{} nostop noprint pass", client::asking_signal()));
    gdb.watch();
  }
  // Through `env`, because gdb cannot start a script, and python3 may be one.
  Command program{"/usr/bin/env", "--"};
  program.insert(program.end(), recorded.command.begin(), recorded.command.end());
  return gdb.run(program);
}

}  // namespace

int replay_in_gdb(const ReplayOptions& options) {
  const std::string& file = options.files.front();
  return is_finding_file(file) ? replay_finding_in_gdb(options) : replay_reproducer(file);
}

}  // namespace harness::entries
