// Intervention: a repair that a run is given, to see whether its fault goes away with it.
//
// Things of one kind, got at one site, are kept as they are beyond their end, and one use of them
// goes well, at the sites that it consists of. All other uses still meet something dead: a repair
// that keeps things for everybody would not say who needs them.
//
// Lifetime: for one run, in which a Current of it lives. Most runs have none, and look for no more
// than a null pointer where a life ends. Threads: the run's thread.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/label.h"

namespace harness {

/// The things that are kept, by their kind and where they were got, and for which use.
struct Hold {
  Label object;
  Label got;
  std::vector<Label> used;  ///< The sites of one use: it may look at a thing more than once.
};

/// Ownership: borrows what it keeps, which the run's arena owns.
class Intervention {
 public:
  /// Ends a thing for good, when its use is over.
  using End = void (*)(void* thing);

  explicit Intervention(Hold hold) : hold_(std::move(hold)) {}
  Intervention(const Intervention&) = delete;  // A run points at it.
  Intervention& operator=(const Intervention&) = delete;

  /// Returns that of the run under way, or null, as in most runs.
  static Intervention* current() { return current_; }

  /// Gives an intervention to the runs of this thread, for as long as it lives.
  class Current {
   public:
    explicit Current(Intervention& intervention)
        : previous_(std::exchange(current_, &intervention)) {}
    ~Current() { current_ = previous_; }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    Intervention* previous_;
  };

  /// Returns whether things of this kind, got there, are kept. None is once end_all() was called.
  bool wants(Label object, Label got) const {
    return !is_over_ && object == hold_.object && got == hold_.got;
  }
  /// Keeps a thing that has ended as far as the ledger knows; `end`, if any, ends it later.
  void keep(BirthId id, void* thing = nullptr, End end = nullptr);
  /// Returns whether a kept thing may be used at `use`, and counts where it may.
  bool serves(BirthId id, Label use);

  /// Keeps a word of shared memory, which is about to be written for another generation.
  void keep_word(const void* word, std::uint64_t generation, std::uint64_t value);
  /// Returns the value that the word had in `generation`, if it was kept for `use`; else null.
  const std::uint64_t* word(const void* word, std::uint64_t generation, Label use);

  /// Ends all that is kept, in the order in which it was: no use is still to come.
  void end_all();

  /// Returns how many things were kept in this run, words included.
  std::size_t kept_count() const { return kept_.size() + words_.size(); }
  /// Returns how many uses of them went well.
  std::uint64_t served_count() const { return served_count_; }

 private:
  struct Kept {
    BirthId id;
    void* thing;
    End end;
  };

  bool is_for(Label use) const;

  Hold hold_;
  bool is_over_ = false;
  std::uint64_t served_count_ = 0;
  std::vector<Kept> kept_;
  std::map<std::pair<const void*, std::uint64_t>, std::uint64_t> words_;

  static inline constinit thread_local Intervention* current_ = nullptr;
};

}  // namespace harness
