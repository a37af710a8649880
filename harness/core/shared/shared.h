// SPDX-License-Identifier: Apache-2.0
// Shared: words of a segment that several processes map. Each read and write is a turn. Each word
// has a shadow generation, the use that it was written for, which the program under test cannot
// see.
//
// A reader states the generation that it expects. A word of another generation is a recorded fault
// even if its value happens to be right, and the read returns the actual value, as on the real
// system. Programs fill their slots with plain volatile stores, word by word and interleaved with
// others. The harness does the same without undefined behaviour, because tasks take turns on one OS
// thread.
//
// Lifetime: until the run ends; make them in the run's arena. They do not move: the resource of a
// word is its identity. Threads: the run's thread; to TSan, every access is sequentially
// consistent.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/core/scheduler/scheduler.h"

namespace harness {

/// The use of a slot that a word belongs to. All processes that share it must derive it without
/// communication, for example from the number of the collective.
enum class Generation : std::uint64_t {
  none = 0,  ///< Never written.
  any =
      ~std::uint64_t{
          0}  ///< For a reader that accepts any generation: words with their own protocol.
};

/// Bytes of a segment, in words of eight: what Shared and SharedSlot have in common.
class SharedWords {
 public:
  struct Word {
    std::uint64_t value = 0;
    Generation generation = Generation::none;
    Fault::Writer writer;  ///< The task that wrote last.
  };

  SharedWords(Scheduler& scheduler, Label label, Word* words)
      : scheduler_(scheduler),
        label_(label),
        resource_(scheduler.name_next(label)),
        words_(words) {}
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  /// Reads the bytes, with one announced read for each word. Records at most one fault.
  void read(void* target, std::size_t offset, std::size_t bytes, Generation expected);
  /// Writes the bytes, with one announced write for each word. Other bytes of a word stay.
  void write(const void* source, std::size_t offset, std::size_t bytes, Generation generation);
  /// Reads without a turn and without checking generations, for oracles.
  void peek(void* target, std::size_t offset, std::size_t bytes) const;
  /// Writes without a turn and without a generation.
  void poke(const void* source, std::size_t offset, std::size_t bytes);

  /// Returns the generation that a word was last written for.
  Generation generation(std::size_t index) const { return words_[index].generation; }
  /// Returns the resource that accesses to a word announce.
  Resource resource(std::size_t index) const { return resource_ + index; }
  Scheduler& scheduler() const { return scheduler_; }
  /// Returns the running task as a writer.
  Fault::Writer writer() const {
    return {scheduler_.site(), scheduler_.now(), raw(scheduler_.current())};
  }

 private:
  void report_generation(std::size_t index, Generation expected);

  Scheduler& scheduler_;
  Label label_;
  Resource resource_;
  Word* words_;
};

/// One T of at most a word: a state, a flag, a counter.
template <class T>
class Shared {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  Shared(Scheduler& scheduler, Label label, T value = {}) : words_(scheduler, label, &word_) {
    words_.poke(&value, 0, sizeof value);
  }

  /// Reads in one turn. A generation other than the expected one is a fault.
  T read(Generation expected = Generation::any) {
    T value;
    words_.read(&value, 0, sizeof value, expected);
    return value;
  }
  /// Writes in one turn, for `generation`.
  void write(T value, Generation generation = Generation::none) {
    words_.write(&value, 0, sizeof value, generation);
  }
  /// Performs an atomic operation: `change(value)` in one turn. Returns the old value.
  template <class Change>
  T update(Change change, Generation generation = Generation::none) {
    words_.scheduler().turn({words_.resource(0), AccessKind::write});
    const T old = peek();
    const T value = change(old);
    words_.poke(&value, 0, sizeof value);
    word_.generation = generation;
    word_.writer = words_.writer();
    return old;
  }
  /// Reads without a turn and without checking the generation.
  T peek() const {
    T value;
    words_.peek(&value, 0, sizeof value);
    return value;
  }
  Generation generation() const { return word_.generation; }

 private:
  SharedWords::Word word_;
  SharedWords words_;
};

/// A T that is written and read like a struct in shared memory: word after word, in turns. Members
/// that different tasks write must not share a word.
template <class T>
class SharedSlot {
  static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);

 public:
  SharedSlot(Scheduler& scheduler, Label label) : words_(scheduler, label, storage_.data()) {}

  /// Reads the whole struct, word after word, like memcpy.
  T read(Generation expected) {
    T value;
    words_.read(&value, 0, sizeof value, expected);
    return value;
  }
  /// Writes the whole struct, word after word, for `generation`.
  void write(const T& value, Generation generation) {
    words_.write(&value, 0, sizeof value, generation);
  }

  /// Reads one member: `slot.read(&MemInfo::ptr, generation)`.
  template <class Member>
  Member read(Member T::* member, Generation expected) {
    Member value;
    words_.read(&value, offset(member), sizeof value, expected);
    return value;
  }
  /// Writes one member, for `generation`.
  template <class Member>
  void write(Member T::* member, const Member& value, Generation generation) {
    words_.write(&value, offset(member), sizeof value, generation);
  }

  /// Reads one element of a member that is a std::array.
  template <class Element, std::size_t kCount>
  Element read(std::array<Element, kCount> T::* member, std::size_t index, Generation expected) {
    Element value;
    words_.read(&value, offset(member) + index * sizeof value, sizeof value, expected);
    return value;
  }
  /// Writes one element of a member that is a std::array, for `generation`.
  template <class Element, std::size_t kCount>
  void write(std::array<Element, kCount> T::* member, std::size_t index, const Element& value,
             Generation generation) {
    words_.write(&value, offset(member) + index * sizeof value, sizeof value, generation);
  }

  /// Reads the whole struct without a turn and without checking generations.
  T peek() const {
    T value;
    words_.peek(&value, 0, sizeof value);
    return value;
  }
  /// Returns the generation of the word that the member begins in.
  template <class Member>
  Generation generation(Member T::* member) const {
    return words_.generation(offset(member) / 8);
  }

 private:
  template <class Member>
  static std::size_t offset(Member T::* member) {
    static const T kProbe{};
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(kProbe.*member)) -
                                    reinterpret_cast<const char*>(&kProbe));
  }

  std::array<SharedWords::Word, (sizeof(T) + 7) / 8> storage_{};
  SharedWords words_;
};

}  // namespace harness
