// SPDX-License-Identifier: Apache-2.0
// Records: the entries of a run's log, in order, in storage that is kept from run to run.
//
// Like a vector, except that a record is written directly to its place. A vector takes an element
// by reference, because it may have to grow, so the compiler writes it to the stack first. A run
// makes several hundred records, so the difference is measurable.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

namespace harness {

/// Lifetime: a reference to a record is valid until the next one is added.
template <class T>
class Records {
  static_assert(std::is_trivially_copyable_v<T>, "what was there before is overwritten");

 public:
  Records() = default;
  Records(const Records&) = delete;  // It points into its storage.
  Records& operator=(const Records&) = delete;

  /// Forgets all records and keeps the storage.
  void clear() { next_ = storage_.data(); }

  /// Adds a copy of `record` at the end.
  void add(const T& record) {
    if (next_ == limit_) [[unlikely]]
      grow();
    *next_++ = record;
  }

  /// Returns the number of records.
  std::size_t size() const { return static_cast<std::size_t>(next_ - storage_.data()); }
  /// Returns whether there are no records.
  bool empty() const { return next_ == storage_.data(); }
  T& operator[](std::size_t index) { return storage_[index]; }
  const T& operator[](std::size_t index) const { return storage_[index]; }
  /// Returns the last record; there must be one.
  const T& back() const { return next_[-1]; }
  /// Returns the address of the first record; the others follow.
  const T* data() const { return storage_.data(); }
  /// Begins an iteration in the order of adding.
  const T* begin() const { return storage_.data(); }
  /// Ends an iteration in the order of adding.
  const T* end() const { return next_; }
  /// Begins an iteration from the last record.
  auto rbegin() const { return std::reverse_iterator(end()); }
  /// Ends an iteration from the last record.
  auto rend() const { return std::reverse_iterator(begin()); }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t count = size();
    storage_.resize(count == 0 ? 64 : 2 * count);
    next_ = storage_.data() + count;
    limit_ = storage_.data() + storage_.size();
  }

  std::vector<T> storage_;  ///< Its size is the capacity; only the records before next_ are valid.
  T* next_ = nullptr;
  T* limit_ = nullptr;
};

}  // namespace harness
