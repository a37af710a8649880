// SPDX-License-Identifier: Apache-2.0
// ShardsAhead: shards are read on other threads, a few ahead of code that adds them to a history:
// of a thousand no more are in memory than a machine has processors, and one.
//
// Ownership: borrows the folders' names. Lifetime: its end waits for what is being read.
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

  /// Returns the shard in the next of the folders, of which there is one more. Errors:
  /// std::runtime_error with one line, if it cannot be read; the next one can be had.
  ShardFile next();

 private:
  void begin_one();

  std::span<const std::string> folders_;  ///< Those that no one reads yet.
  std::deque<std::future<ShardFile>> reading_;
};

}  // namespace harness::nightly
