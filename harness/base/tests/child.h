// SPDX-License-Identifier: Apache-2.0
// Child: a child process that has ended, with its output.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/base/tests/folder.h"

namespace harness {

struct Ended {
  int code;  ///< Exit code, or minus the signal.
  std::string out;
  std::string err;
};

/// A program of this build that is running. Its output goes to files of a separate folder.
class Child {
 public:
  /// `prepare` is what the child does last before it becomes the program.
  Child(const std::string& program, std::vector<std::string> arguments,
        const std::function<void()>& prepare = nullptr) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    arguments.insert(arguments.begin(), (self / program).string());
    std::vector<char*> pointers;
    pointers.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    const std::string out = folder_ / "out";
    const std::string err = folder_ / "err";
    pid_ = fork();
    if (pid_ != 0) return;
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    if (prepare) prepare();
    execv(pointers[0], pointers.data());
    _exit(127);
  }

  /// Returns all that it has written to stderr so far.
  std::string err() const { return read_file(folder_ / "err"); }

  void signal(int number) const { kill(pid_, number); }
  /// Returns the processes that it has started, and that have not reach their end.
  std::vector<pid_t> children() const {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(entry.path() / "stat");
      std::string text;
      std::getline(file, text, '\0');
      std::istringstream rest(text.substr(text.rfind(')') + 1));  // Its name may hold anything.
      char state = 'Z';
      pid_t parent = 0;
      if (rest >> state >> parent && parent == pid_ && state != 'Z')
        found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
  }
  /// Whether it has reached its end, which is still to be waited for.
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }

  /// Sends the signal as soon as the program has a handler for it.
  void signal_when_taken(int number) const {
    while (((caught() >> (number - 1)) & 1) == 0) std::this_thread::yield();
    signal(number);
  }

  /// Ended by force when it takes longer than `limit`.
  Ended wait(std::chrono::seconds limit = std::chrono::seconds(120)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int status = 0;
    while (waitpid(pid_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > deadline) kill(pid_, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_file(folder_ / "out"),
            read_file(folder_ / "err")};
  }

 private:
  /// Signals that have a handler, a bit each; all of them once the program has ended.
  std::uint64_t caught() const {
    std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
    for (std::string line; std::getline(status, line) && !line.starts_with("State:\tZ");)
      if (line.starts_with("SigCgt:")) return std::stoull(line.substr(7), nullptr, 16);
    return ~std::uint64_t{0};
  }

  Folder folder_;
  pid_t pid_ = -1;
};

inline Ended run_child(const std::string& program, std::vector<std::string> arguments,
                       const std::function<void()>& prepare = nullptr) {
  return Child(program, std::move(arguments), prepare).wait();
}

}  // namespace harness
