// Files: read with a bound on size, written whole or not at all.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

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

void write_all(int number, std::string_view content, const std::string& file) {
  while (!content.empty()) {
    const ssize_t written = ::write(number, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_by_errno(file, "write");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_and_rename(const std::string& draft, const std::string& file, std::string_view content) {
  const Descriptor opened(::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (opened.number < 0) fail_by_errno(file, "create");
  write_all(opened.number, content, file);
  if (::fsync(opened.number) != 0) fail_by_errno(file, "write");
  if (::rename(draft.c_str(), file.c_str()) != 0) fail_by_errno(file, "create");
}

}  // namespace

void write_whole_file(const std::string& file, std::string_view content) {
  const std::string draft = fmt::format("{}.{}.draft", file, ::getpid());
  try {
    write_and_rename(draft, file, content);
  } catch (...) {
    ::unlink(draft.c_str());
    throw;
  }
}

void write_reproducer(const std::string& file, const Reproducer& reproducer) {
  write_whole_file(file, to_string(reproducer));
}

Reproducer read_reproducer(const std::string& file, const Catalog& catalog) {
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
  return parse_reproducer(text, file, catalog);
}

}  // namespace harness
