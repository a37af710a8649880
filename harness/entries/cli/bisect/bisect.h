// The command `bisect`: which commit made a fault, or removed it.
#pragma once

#include <cstdint>
#include <string>

namespace harness::entries {

struct BisectOptions {
  std::string file;
  std::string good;  ///< A revision that does not show it.
  std::string bad = "HEAD";
  std::string build = "./scripts/build.sh dev afterlife";  ///< For a shell, in the root of a tree.
  std::string program = "build/dev/afterlife";             ///< Left by it, relative to that root.
  std::uint64_t runs = 32'000;  ///< At most, to measure how long a search takes to find it.
  bool step = false;            ///< Judge the tree of the current folder, for `git bisect run`.
  bool fixed = false;           ///< The other way round: 0 where it is shown.
  bool json = false;
};
int bisect(const BisectOptions& options);

}  // namespace harness::entries
