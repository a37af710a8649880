#include "harness/files/held_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "harness/files/fail.h"

namespace harness {

HeldFolder::HeldFolder(const std::string& folder)
    : number_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (number_ < 0) fail_by_errno(folder, "open");
  if (::flock(number_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(number_);
  fail(folder, "is being written by another program");
}

HeldFolder::~HeldFolder() { ::close(number_); }

}  // namespace harness
