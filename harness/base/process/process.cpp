// SPDX-License-Identifier: Apache-2.0
// How it works. Two pipes receive stdout and stderr. A third reports why a program could not start,
// and is closed automatically if it starts. Ten times a second we check whether to end it.
#include "harness/base/process/running.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "harness/base/printable.h"
#include "harness/base/sanitizers/sanitizers.h"

namespace harness {
namespace {

[[noreturn]] void fail(std::string_view doing, std::string_view why) {
  throw std::runtime_error(fmt::format("cannot {}: {}", doing, why));
}

[[noreturn]] void fail(std::string_view doing, int error) { fail(doing, std::strerror(error)); }

/// Returns the reason why a file could not be executed. For a script without an interpreter, or a
/// program without a loader, the system reports that the file does not exist.
std::string refusal_of(const std::string& name, int error) {
  struct stat status{};
  if (name.find('/') == name.npos || ::stat(name.c_str(), &status) != 0)
    return std::strerror(error);
  if (S_ISDIR(status.st_mode)) return std::strerror(EISDIR);
  if (error != ENOENT) return std::strerror(error);
  std::ifstream file(name);
  std::string line;
  if (file.get() != '#' || file.get() != '!') return "its loader is not there";
  std::getline(file, line);
  return fmt::format("its first line names an interpreter that is not there: {}", shown(line));
}

/// Makes the next program of this process have fixed addresses. Returns whether that succeeded.
bool fix_addresses(unsigned long persona) {
  return ::personality(persona | ADDR_NO_RANDOMIZE) != -1;
}

unsigned long present_persona() {
  constexpr unsigned long kAsks = 0xffffffff;
  const int persona = ::personality(kAsks);
  return persona < 0 ? 0 : static_cast<unsigned long>(persona);
}

/// Executes the program, or reports why it cannot. Must not allocate, because this is a forked
/// child.
[[noreturn]] void become(char* const* words, char** environment, const Capture& capture,
                         const Pipe& refusal, pid_t parent, bool fixed_addresses) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  for (const int ignored : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::signal(ignored, SIG_DFL);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(capture.out(), 1);
  ::dup2(capture.err(), 2);
  if (fixed_addresses) fix_addresses(present_persona());
  environ = environment;
  ::execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(refusal.ends[1], &error, sizeof error);
  ::_exit(127);
}

/// Returns the texts as a null-terminated array. The vector keeps their ownership.
std::vector<char*> as_c(std::vector<std::string>& texts) {
  std::vector<char*> words;
  words.reserve(texts.size() + 1);
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  return words;
}

/// Returns our environment with changes.
std::vector<std::string> environment_with(const std::vector<std::string>& wanted) {
  std::vector<std::string> all = wanted;
  for (char** have = environ; *have != nullptr; ++have) {
    const std::string_view text = *have;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool is_replaced = std::any_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
      return one.starts_with(name);
    });
    if (!is_replaced) all.emplace_back(text);
  }
  return all;
}

/// Returns the last line that shows something; a log may end in blanks and null bytes.
std::string_view last_line(std::string_view text) {
  const auto is_blank = [](char c) { return c >= 0 && c <= ' '; };
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string ProcessEnd::complaint(double timeout_seconds) const {
  if (out.size() > kOutLimit) return "printed more than 64 MiB";
  if (!hang.empty()) return hang;
  if (timed_out) return fmt::format("did not end within {:g} s (--timeout)", timeout_seconds);
  if (code == 0) return {};
  const std::string how =
      code < 0 ? fmt::format("was ended by signal {} ({})", -code, ::strsignal(-code))
               : fmt::format("ended with exit code {}", code);
  const std::string_view said = last_line(err);
  return said.empty() ? how : fmt::format("{}: {}", how, shown(said, kShownSignatureBytes));
}

RunningProcess::RunningProcess(const Command& command, const ProcessOptions& options,
                               const std::atomic<bool>& stop)
    : capture_(options, stop) {
  Pipe refusal;
  start(command, options, refusal);
  int refused = 0;
  if (::read(refusal.ends[0], &refused, sizeof refused) <= 0) return;
  wait();
  fail(fmt::format("run '{}'", shown(command[0])), refusal_of(command[0], refused));
}

void RunningProcess::start(const Command& command, const ProcessOptions& options, Pipe& refusal) {
  Command copy = command;
  std::vector<std::string> variables = environment_with(options.environment);
  const std::vector<char*> words = as_c(copy);
  std::vector<char*> environment = as_c(variables);
  const pid_t parent = ::getpid();
  // A child that executes another program does not need the registered fork handlers, but a
  // sanitizer must see the fork.
  id_ = kAsan || kTsan ? ::fork() : ::_Fork();
  if (id_ < 0) fail("start a process", errno);
  if (id_ == 0)
    become(words.data(), environment.data(), capture_, refusal, parent, options.fixed_addresses);
  ::setpgid(id_, id_);
  capture_.hand_over(id_);
  refusal.close(1);
}

RunningProcess::~RunningProcess() {
  if (is_over_) return;
  ::kill(-id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

// The process has closed its output, but may still run.
int RunningProcess::wait() {
  int status = 0;
  bool is_ended_by_us = false;
  for (pid_t done = 0; (done = ::waitpid(id_, &status, WNOHANG)) != id_;) {
    if (done < 0 && errno != EINTR) fail("wait for a process", errno);
    if (!is_ended_by_us && capture_.must_end()) is_ended_by_us = ::kill(-id_, SIGKILL) == 0;
    ::usleep(200);
  }
  is_over_ = true;
  if (!is_ended_by_us) capture_.ended_by_itself();
  ::kill(-id_, SIGKILL);  // Kills the children that it left behind.
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool can_fix_addresses() {
  const unsigned long persona = present_persona();
  const bool is_granted = fix_addresses(persona);
  ::personality(persona);
  return is_granted;
}

ProcessEnd run_process(const Command& command, const ProcessOptions& options,
                       const std::atomic<bool>& stop) {
  RunningProcess process(command, options, stop);
  Capture& capture = process.capture();
  while (capture.is_open() && !capture.must_end()) capture.read_some();
  return capture.end(process.wait());
}

}  // namespace harness
