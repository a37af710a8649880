// SPDX-License-Identifier: Apache-2.0
// How it works. A file is examined before it is opened (O_PATH): opening a device may have effects,
// and opening a pipe may block forever. The examined file is then opened through its descriptor, so
// that it cannot be replaced in between.
#include "harness/base/files/foreign_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/base/files/fail.h"
#include "harness/base/files/plain_name.h"

namespace harness {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

/// A file descriptor, closed by the destructor.
class Number {
 public:
  explicit Number(int number) : number_(number) {}
  ~Number() {
    if (number_ >= 0) ::close(number_);
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::string_view name_of(mode_t mode) {
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  return S_ISSOCK(mode) ? "a socket" : "a device";
}

mode_t mode_of(int number, const std::string& file) {
  struct stat status{};
  if (::fstat(number, &status) != 0) fail_by_errno(file, "open");
  return status.st_mode;
}

[[noreturn]] void refuse_link(const std::string& file) {
  fail(file, "is a symbolic link, which is followed only if you name it yourself");
}

/// Examines a path below a folder. Returns a descriptor for it.
int look(int folder, const std::string& name, const std::string& file) {
  const int number = ::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (number < 0) fail_by_errno(file, "open");
  Number held(number);
  if (S_ISLNK(mode_of(number, file))) refuse_link(file);
  return held.release();
}

}  // namespace

ForeignFile ForeignFile::named_by_user(const std::string& file, std::string_view kind) {
  const int place = ::open(file.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) fail_by_errno(file, "open");
  return {place, file, kind};
}

ForeignFile ForeignFile::in_folder(const std::string& folder, const std::string& name,
                                   std::string_view kind) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  const std::string first = name.substr(0, slash);
  const std::string second = slash < name.size() ? name.substr(slash + 1) : "";
  if (!is_plain_name(first) || (slash < name.size() && !is_plain_name(second)))
    fail(folder, fmt::format("names '{}', which is not a plain name of a file in it", shown(name)));
  const Number root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) fail_by_errno(folder, "open");
  const std::string file = folder + "/" + name;
  Number place(look(root.get(), first, file));
  if (second.empty()) return {place.release(), file, kind};
  return {look(place.get(), second, file), file, kind};
}

ForeignFile::ForeignFile(int place, std::string file, std::string_view kind)
    : file_(std::move(file)), kind_(kind) {
  const Number looked_at(place);
  struct stat status{};
  if (::fstat(place, &status) != 0) fail_by_errno(file_, "open");
  if (!S_ISREG(status.st_mode))
    fail(file_, fmt::format("is {}, not a regular file: expected the file of a {}",
                            name_of(status.st_mode), kind_));
  size_ = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  number_ = ::open(fmt::format("/proc/self/fd/{}", place).c_str(), O_RDONLY | O_CLOEXEC);
  if (number_ < 0) fail_by_errno(file_, "open");
}

ForeignFile::ForeignFile(ForeignFile&& other) noexcept
    : file_(std::move(other.file_)),
      kind_(std::move(other.kind_)),
      number_(std::exchange(other.number_, -1)),
      size_(other.size_),
      block_(std::move(other.block_)),
      block_at_(other.block_at_) {}

ForeignFile::~ForeignFile() {
  if (number_ >= 0) ::close(number_);
}

void ForeignFile::fail_by_size(std::string_view what) const {
  fail(file_, fmt::format("{} over {} MiB, which no {} {}: is it the right file?", what,
                          kByteLimit >> 20, kind_, what == "is" ? "is" : "has"));
}

/// Reads ahead. Returns false at the end of the file.
bool ForeignFile::read_block() {
  block_.erase(0, std::exchange(block_at_, 0));
  const std::size_t had = block_.size();
  block_.resize(had + kBlockBytes);
  ssize_t count;
  do count = ::read(number_, block_.data() + had, kBlockBytes);
  while (count < 0 && errno == EINTR);
  block_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) fail_by_errno(file_, "read");
  return count > 0;
}

std::string ForeignFile::begin(std::size_t byte_count) {
  while (block_.size() < byte_count && read_block()) continue;
  return block_.substr(0, byte_count);
}

std::string ForeignFile::text() {
  if (size_ > kByteLimit) fail_by_size("is");
  block_.reserve(size_ + kBlockBytes);
  while (read_block())
    if (block_.size() > kByteLimit) fail_by_size("is");  // The file has grown.
  return std::move(block_);
}

bool ForeignFile::next_line(std::string& line) {
  std::size_t looked_at = block_at_;
  std::size_t end;
  while ((end = block_.find('\n', looked_at)) == block_.npos) {
    const std::size_t kept = block_.size() - block_at_;
    if (kept > kByteLimit) fail_by_size("has a line");
    if (!read_block()) break;
    looked_at = kept;
  }
  if (end == block_.npos && block_at_ == block_.size()) return false;
  line = block_.substr(block_at_, end == block_.npos ? end : end - block_at_);
  block_at_ = end == block_.npos ? block_.size() : end + 1;
  return true;
}

void require_no_link(const std::string& place) {
  struct stat status{};
  if (::lstat(place.c_str(), &status) != 0) return;
  if (S_ISLNK(status.st_mode)) refuse_link(place);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    fail(place, fmt::format("is {}, not a regular file", name_of(status.st_mode)));
}

void require_regular_file(const std::string& file) {
  require_no_link(file);
  struct stat status{};
  if (::lstat(file.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    fail(file, fmt::format("is {}, not a regular file", name_of(status.st_mode)));
}

}  // namespace harness
