// How it works. Pipes take stdout and stderr, and a third, which closes by itself when the program
// begins, tells why it does not. Ten times a second we look whether to end it.
#include "harness/process/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "harness/printable.h"

namespace harness {
namespace {

constexpr std::size_t kOutLimit = std::size_t{64} << 20;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

[[noreturn]] void fail(std::string_view doing, int error) {
  throw std::runtime_error(fmt::format("cannot {}: {}", doing, std::strerror(error)));
}

/// Both ends of a pipe, closed in the end.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("make a pipe", errno);
  }
  ~Pipe() {
    close(0);
    close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void close(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

struct Pipes {
  Pipe out, err, refusal;
};

/// Becomes the program, or tells why not. Nothing here may allocate: we are a fork.
[[noreturn]] void become(char* const* words, char** environment, Pipes& pipes, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  for (const int ignored : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::signal(ignored, SIG_DFL);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, 0);
  ::dup2(pipes.out.ends[1], 1);
  ::dup2(pipes.err.ends[1], 2);
  environ = environment;
  ::execvp(words[0], words);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(pipes.refusal.ends[1], &error, sizeof error);
  ::_exit(127);
}

/// The texts as C has them, with a null at the end. They stay the vector's.
std::vector<char*> as_c(std::vector<std::string>& texts) {
  std::vector<char*> words;
  words.reserve(texts.size() + 1);
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  return words;
}

/// Our environment, with what is wanted in it.
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

pid_t start(const Command& command, const ProcessOptions& options, Pipes& pipes) {
  Command copy = command;
  std::vector<std::string> variables = environment_with(options.environment);
  const std::vector<char*> words = as_c(copy);
  std::vector<char*> environment = as_c(variables);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail("start a process", errno);
  if (child == 0) become(words.data(), environment.data(), pipes, parent);
  ::setpgid(child, child);
  for (Pipe* pipe : {&pipes.out, &pipes.err, &pipes.refusal}) pipe->close(1);
  return child;
}

/// Reads what is there; closes the pipe where there will be no more.
void drain(Pipe& pipe, std::string& into) {
  std::array<char, 1 << 16> block;
  const ssize_t count = ::read(pipe.ends[0], block.data(), block.size());
  if (count > 0)
    into.append(block.data(), static_cast<std::size_t>(count));
  else if (count == 0 || errno != EINTR)
    pipe.close(0);
}

void read_some(Pipes& pipes, ProcessEnd& ended, std::size_t err_kept) {
  std::array<pollfd, 2> wait{{{pipes.out.ends[0], POLLIN, 0}, {pipes.err.ends[0], POLLIN, 0}}};
  constexpr int kMilliseconds = 100;
  if (::poll(wait.data(), wait.size(), kMilliseconds) <= 0) return;
  if (wait[0].revents != 0) drain(pipes.out, ended.out);
  if (wait[1].revents != 0) drain(pipes.err, ended.err);
  if (ended.err.size() > 2 * err_kept) ended.err.erase(0, ended.err.size() - err_kept);
}

/// Waits for the process, which has closed its output and may run on all the same.
int wait_for(pid_t child, const auto& must_end) {
  int status = 0;
  for (pid_t done = 0; (done = ::waitpid(child, &status, WNOHANG)) != child;) {
    if (done < 0 && errno != EINTR) fail("wait for a process", errno);
    if (must_end()) ::kill(-child, SIGKILL);
    ::usleep(200);
  }
  ::kill(-child, SIGKILL);  // Whatever it started and left behind.
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string_view last_line(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

std::string ProcessEnd::complaint(double timeout_seconds) const {
  if (out.size() > kOutLimit) return "printed more than 64 MiB";
  if (timed_out) return fmt::format("did not end within {:g} s (--timeout)", timeout_seconds);
  if (code == 0) return {};
  const std::string how =
      code < 0 ? fmt::format("was ended by signal {} ({})", -code, ::strsignal(-code))
               : fmt::format("ended with exit code {}", code);
  const std::string_view said = last_line(err);
  return said.empty() ? how : fmt::format("{}: {}", how, shown(said, kShownSignatureBytes));
}

ProcessEnd run_process(const Command& command, const ProcessOptions& options,
                       const std::atomic<bool>& stop) {
  Pipes pipes;
  ProcessEnd ended;
  const Clock::time_point begin = Clock::now();
  const pid_t child = start(command, options, pipes);
  const auto must_end = [&] {
    ended.stopped = ended.stopped || stop.load(std::memory_order_relaxed);
    ended.timed_out = ended.timed_out || seconds_since(begin) > options.timeout_seconds;
    return ended.stopped || ended.timed_out || ended.out.size() > kOutLimit;
  };
  int refused = 0;
  const bool is_refused = ::read(pipes.refusal.ends[0], &refused, sizeof refused) > 0;
  while ((pipes.out.ends[0] >= 0 || pipes.err.ends[0] >= 0) && !must_end())
    read_some(pipes, ended, options.err_kept);
  ended.code = wait_for(child, must_end);
  if (is_refused) fail(fmt::format("run '{}'", shown(command[0])), refused);
  return ended;
}

}  // namespace harness
