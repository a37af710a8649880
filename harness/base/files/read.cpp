// SPDX-License-Identifier: Apache-2.0
#include "harness/base/files/read.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "harness/base/files/fail.h"

namespace harness {
namespace {

/// A file that is open for reading, closed by the destructor. A pipe without a writer is empty.
class OpenFile {
 public:
  explicit OpenFile(const std::string& file)
      : number_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  /// Appends up to `limit` further bytes to `text`. Returns false if reading failed, with errno.
  bool read(std::string& text, std::size_t limit) const {
    std::array<char, 1 << 16> block;
    while (limit > 0) {
      const ssize_t count = ::read(number_, block.data(), std::min(limit, block.size()));
      if (count < 0 && (errno == EINTR || wait_if_slow())) continue;
      if (count <= 0) return count == 0;
      text.append(block.data(), static_cast<std::size_t>(count));
      limit -= static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  /// Waits for the writer of a pipe, if that is why nothing was read.
  bool wait_if_slow() const {
    pollfd readable{number_, POLLIN, 0};
    return errno == EAGAIN && ::poll(&readable, 1, -1) > 0;
  }

  int number_;
};

[[noreturn]] void fail_by_size(const std::string& file, FileKind kind) {
  fail(file, fmt::format("is over {} MiB, which no {} is: is it the right file?",
                         kind.byte_limit >> 20, kind.name));
}

}  // namespace

std::string read_whole_file(const std::string& file, FileKind kind) {
  const OpenFile opened(file);
  struct stat status{};
  if (!opened.is_open() || ::fstat(opened.number(), &status) != 0) fail_by_errno(file, "open");
  if (S_ISDIR(status.st_mode))
    fail(file, fmt::format("is a folder: expected the file of a {}", kind.name));
  if (static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) > kind.byte_limit)
    fail_by_size(file, kind);
  std::string text;
  // One byte more than the limit shows whether a device or a growing file is too long.
  const std::size_t wanted = std::max(kind.byte_limit, kind.byte_limit + 1);
  if (!opened.read(text, wanted)) fail_by_errno(file, "read");
  if (text.size() > kind.byte_limit) fail_by_size(file, kind);
  return text;
}

std::string read_begin(const std::string& file, std::size_t byte_count) {
  const OpenFile opened(file);
  std::string text;
  if (!opened.is_open() || !opened.read(text, byte_count)) text.clear();
  return text;
}

}  // namespace harness
