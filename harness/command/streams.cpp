// SPDX-License-Identifier: Apache-2.0
#include "harness/command/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include "harness/base/printable.h"

namespace harness::entries {
namespace {

constexpr std::size_t kLineBytes = 4000;

void write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Ends the process when memory is exhausted: a run can neither continue nor unwind its tasks.
[[noreturn]] void end_without_memory() {
  write_all(2, "afterlife: out of memory: raise the limit (ulimit -v, ulimit -d)\n");
  _exit(2);
}

// Runs before any other code of the program allocates memory.
[[gnu::constructor(101)]] void take_memory_errors() { std::set_new_handler(end_without_memory); }

}  // namespace

// A closed stdout becomes one that cannot be written to, which is reported at the end.
void prepare_streams() {
  for (const int fd : {0, 1, 2})
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
      const int opened = ::open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
      if (opened >= 0 && opened != fd) ::close(opened);
    }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void say_error(std::string_view what) noexcept {
  try {
    write_all(2,
              fmt::format("afterlife: {}\n", shown(what.substr(0, what.find('\n')), kLineBytes)));
  } catch (...) {
    write_all(2, "afterlife: something is wrong, and there is no memory left to report it\n");
  }
}

bool is_reader_gone() {
  pollfd out{1, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

std::string finish_output() {
  errno = 0;
  std::cout.flush();
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
  if (!failed) return {};
  return fmt::format("cannot write the output: {}", std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace harness::entries
