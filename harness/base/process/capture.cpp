// SPDX-License-Identifier: Apache-2.0
#include "harness/base/process/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace harness {

Pipe::Pipe() {
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
}

Pipe::~Pipe() {
  close(0);
  close(1);
}

void Pipe::close(std::size_t end) {
  if (ends[end] >= 0) ::close(ends[end]);
  ends[end] = -1;
}

/// Reads available output. Closes the pipe at its end.
static void drain(Pipe& pipe, std::string& into) {
  std::array<char, 1 << 16> block;
  const ssize_t count = ::read(pipe.ends[0], block.data(), block.size());
  if (count > 0)
    into.append(block.data(), static_cast<std::size_t>(count));
  else if (count == 0 || errno != EINTR)
    pipe.close(0);
}

Capture::Capture(const ProcessOptions& options, const std::atomic<bool>& stop)
    : timeout_seconds_(options.timeout_seconds),
      err_kept_(options.err_kept),
      watch_(options.watch),
      stop_(stop) {
  struct stat status{};
  for (std::size_t i = 0; i < inodes_.size(); ++i)
    if (::fstat((i == 0 ? out_ : err_).ends[0], &status) == 0) inodes_[i] = status.st_ino;
}

void Capture::hand_over(pid_t process) {
  process_ = process;
  out_.close(1);
  err_.close(1);
}

bool Capture::read_some(int other) {
  std::array<pollfd, 3> wait{
      {{out_.ends[0], POLLIN, 0}, {err_.ends[0], POLLIN, 0}, {other, POLLIN, 0}}};
  constexpr int kMilliseconds = 100;
  if (::poll(wait.data(), wait.size(), kMilliseconds) <= 0) return false;
  if (wait[0].revents != 0) drain(out_, ended_.out);
  if (wait[1].revents != 0) drain(err_, ended_.err);
  if (ended_.err.size() > 2 * err_kept_) ended_.err.erase(0, ended_.err.size() - err_kept_);
  return wait[2].revents != 0;
}

double Capture::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

bool Capture::must_end() {
  const double passed = seconds();
  bool is_late = passed > timeout_seconds_;
  ended_.stopped = ended_.stopped || stop_.load(std::memory_order_relaxed);
  if (watch_ != nullptr && process_ > 0 && !ended_.stopped) {
    watch_->passes(process_, passed);
    is_late = is_late && !watch_->delays_end(process_);
  }
  ended_.timed_out = ended_.timed_out || is_late;
  return ended_.stopped || ended_.timed_out || ended_.out.size() > kOutLimit;
}

void Capture::ended_by_itself() { ended_.outlived = std::exchange(ended_.timed_out, false); }

void Capture::begin_with(const ProcessEnd& before) {
  ended_.out = before.out;
  ended_.err = before.err;
}

ProcessEnd Capture::end(int code) {
  ended_.code = code;
  ended_.seconds = seconds();
  return std::move(ended_);
}

}  // namespace harness
