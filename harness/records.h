// Records: what a run notes down, in order, in storage that is kept from run to run.
//
// A vector but for one thing: a vector takes what it adds by reference, since it may have to grow,
// so the compiler writes the record to the stack before it copies it to its place. Here it goes
// straight there. A run notes some hundred things, so this shows.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

namespace harness {

/// Lifetime: a reference to a record is good until the next one is added.
template <class T>
class Records {
  static_assert(std::is_trivially_copyable_v<T>, "what was there before is overwritten");

 public:
  void clear() { count_ = 0; }

  void add(const T& record) {
    if (count_ == storage_.size()) [[unlikely]]
      grow();
    storage_[count_++] = record;
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  T& operator[](std::size_t index) { return storage_[index]; }
  const T& operator[](std::size_t index) const { return storage_[index]; }
  const T& front() const { return storage_.front(); }
  const T& back() const { return storage_[count_ - 1]; }
  const T* data() const { return storage_.data(); }
  const T* begin() const { return storage_.data(); }
  const T* end() const { return storage_.data() + count_; }
  auto rbegin() const { return std::reverse_iterator(end()); }
  auto rend() const { return std::reverse_iterator(begin()); }

 private:
  [[gnu::noinline]] void grow() { storage_.resize(storage_.empty() ? 64 : 2 * storage_.size()); }

  std::vector<T> storage_;  ///< All of it alive; the first count_ mean something.
  std::size_t count_ = 0;
};

}  // namespace harness
