// SPDX-License-Identifier: Apache-2.0
// Kept words: values of words in shared memory from earlier generations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace harness {

/// Lifetime: for one run. Threads: the run's thread.
class KeptWords {
 public:
  /// Keeps a word that is about to be overwritten for another generation.
  void keep(const void* word, std::uint64_t generation, std::uint64_t value) {
    words_.insert_or_assign({word, generation}, value);
  }
  /// Returns the value that the word had in `generation`, or null if it was not kept.
  const std::uint64_t* find(const void* word, std::uint64_t generation) const {
    const auto found = words_.find({word, generation});
    return found != words_.end() ? &found->second : nullptr;
  }
  std::size_t count() const { return words_.size(); }  ///< Number of kept words.

 private:
  std::map<std::pair<const void*, std::uint64_t>, std::uint64_t> words_;
};

}  // namespace harness
