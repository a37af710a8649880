// Files of reproducers: read with a bound on size.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "harness/files/whole_file.h"
#include "harness/reproducer.h"

namespace harness {
namespace {

constexpr std::size_t kBytesLimit = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& file, std::string_view what) {
  throw std::runtime_error(fmt::format("{}: {}", file, what));
}

[[noreturn]] void fail_by_errno(const std::string& file, std::string_view doing) {
  fail(file, fmt::format("cannot {}: {}", doing, std::strerror(errno)));
}

/// A file descriptor that is closed in the end.
struct Descriptor {
  int number;
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

}  // namespace

void write_reproducer(const std::string& file, const Reproducer& reproducer) {
  write_whole_file(file, to_string(reproducer));
}

std::string read_reproducer_text(const std::string& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.number < 0) fail_by_errno(file, "open");
  struct stat status{};
  if (::fstat(opened.number, &status) != 0) fail_by_errno(file, "open");
  if (S_ISDIR(status.st_mode)) fail(file, "is a folder: expected the file of a reproducer");
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    if (static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) > kBytesLimit ||
        text.size() > kBytesLimit)
      fail(file, "is over 1 MiB, which no reproducer is: is it the right file?");
    const ssize_t count = ::read(opened.number, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_by_errno(file, "read");
    if (count == 0) break;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
  return text;
}

Reproducer read_reproducer(const std::string& file, const Catalog& catalog) {
  return parse_reproducer(read_reproducer_text(file), file, catalog);
}

}  // namespace harness
