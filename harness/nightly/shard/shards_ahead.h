// SPDX-License-Identifier: Apache-2.0
// ShardsAhead: reads shards on other threads, a few ahead of the thread that adds them to a
// history. At most as many are in memory as there are processors, plus one.
//
// Ownership: borrows the folders' names. Lifetime: the destructor waits for reads in progress.
// Threads: confined to one thread.
#pragma once

#include <deque>
#include <future>
#include <span>
#include <string>

#include "harness/nightly/record.h"

namespace harness::nightly {

class ShardsAhead {
 public:
  explicit ShardsAhead(std::span<const std::string> folders);

  /// Returns the shard in the next folder, which must exist. Errors: std::runtime_error with one
  /// line if it cannot be read; the next call returns the following one.
  ShardFile next();

 private:
  void begin_one();

  std::span<const std::string> folders_;  ///< Folders that are not being read yet.
  std::deque<std::future<ShardFile>> reading_;
};

}  // namespace harness::nightly
