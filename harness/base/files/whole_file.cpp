// SPDX-License-Identifier: Apache-2.0
// How it works. The content goes into a draft next to the file, which replaces it when complete.
#include "harness/base/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "harness/base/files/fail.h"

namespace harness {
namespace {

void write_all(int number, std::string_view content, const std::string& file) {
  while (!content.empty()) {
    const ssize_t written = ::write(number, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_by_errno(file, "write");
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The object at a path; links are not followed.
struct There {
  bool exists = false;
  mode_t mode = 0;
};

There look(const std::string& file) {
  struct stat status{};
  if (::lstat(file.c_str(), &status) == 0) return {true, status.st_mode};
  if (errno != ENOENT) fail_by_errno(file, "create");
  return {};
}

// The superuser may write to read-only files. They are refused, because the mode shows the
// intention.
void require_replaceable(const std::string& file, const There& there) {
  if (!there.exists) return;
  if (!S_ISREG(there.mode)) {
    const std::string_view what = S_ISLNK(there.mode)    ? "a symbolic link"
                                  : S_ISDIR(there.mode)  ? "a folder"
                                  : S_ISFIFO(there.mode) ? "a pipe"
                                                         : "no regular file";
    fail(file, fmt::format("is {}, which is not replaced: name another file", what));
  }
  constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
  if ((there.mode & kAnyWrite) == 0 || ::access(file.c_str(), W_OK) != 0)
    fail(file, "is read-only, and so is not replaced: name another file");
}

/// A new file next to the target. Removed by the destructor, unless it has replaced the target.
class Draft {
 public:
  explicit Draft(const std::string& file) {
    constexpr int kAttempts = 100;
    const std::size_t slash = file.rfind('/');
    const std::size_t name_begin = slash == file.npos ? 0 : slash + 1;
    const std::string stem =
        file.substr(0, name_begin + std::min<std::size_t>(file.size() - name_begin, 200));
    for (int i = 0; i < kAttempts && number_ < 0; ++i) {
      name_ = fmt::format("{}.{}-{}.draft", stem, ::getpid(), i);
      number_ = ::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (number_ < 0 && errno != EEXIST) break;
    }
    if (number_ < 0) fail_by_errno(file, "create");
  }
  ~Draft() {
    ::close(number_);
    if (!placed_) ::unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int number() const { return number_; }

  /// Moves the draft to `file`. Without `replace`, fails if a file has appeared there.
  void place(const std::string& file, bool replace) {
    const char* const from = name_.c_str();
    int failed = replace ? ::rename(from, file.c_str())
                         : ::renameat2(AT_FDCWD, from, AT_FDCWD, file.c_str(), RENAME_NOREPLACE);
    const bool unknown = errno == EINVAL || errno == ENOSYS;  // Not supported by this file system.
    if (failed != 0 && !replace && unknown) failed = ::rename(from, file.c_str());
    if (failed != 0) fail_by_errno(file, "create");
    placed_ = true;
  }

 private:
  std::string name_;
  int number_ = -1;
  bool placed_ = false;
};

}  // namespace

void require_replaceable(const std::string& file) {
  require_replaceable(file, look(file));
  const Draft draft(file);  // Whether a file can be created in the folder is best tested by
                            // creating one.
}

void write_whole_file(const std::string& file, std::string_view content, OnDisk on_disk) {
  const There there = look(file);
  require_replaceable(file, there);
  Draft draft(file);
  write_all(draft.number(), content, file);
  if (there.exists && ::fchmod(draft.number(), there.mode & 07777) != 0)
    fail_by_errno(file, "write");
  if (on_disk == OnDisk::now && ::fsync(draft.number()) != 0) fail_by_errno(file, "write");
  draft.place(file, there.exists);
}

}  // namespace harness
