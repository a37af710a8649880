// Own memory: what a process has written to, which a fork shares with it until one of them writes
// again.
#pragma once

#include <cstddef>
#include <vector>

namespace harness::entries {

class OwnMemory {
 public:
  /// Looks for it. There is nothing to copy where one processor would do that and the runs, too.
  OwnMemory();
  /// Copies it, in a fork: what is then written to need not be. Memory that the system does not
  /// copy is left shared.
  void copy() const;

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t bytes = 0;
  };
  std::vector<Range> ranges_;
};

}  // namespace harness::entries
