// SPDX-License-Identifier: Apache-2.0
// Intervention: a repair that is applied to a run, to see whether the fault disappears.
//
// A *hold* keeps objects beyond their end, so that later uses succeed. It names their kind, and
// where they were created, released and used; all but the kind may be left open. A second free must
// be named to be allowed. All other uses still find a dead object, because a repair that keeps an
// object for every use would not identify the user that needs it. A *release* ends what is still
// alive when a run is quiescent, with everything that it owns.
//
// Lifetime: one run, while a Current of it exists. Most runs have none, and only compare a pointer
// with null when a lifetime begins or ends. Threads: the run's thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "harness/base/label.h"
#include "harness/core/intervention/kept_words.h"

namespace harness {

/// Describes the objects that are held or released, and the use. An empty label matches any.
struct Hold {
  Label object;
  Label got;
  Label let_go;
  Label used;
  bool is_release = false;
};

/// Ownership: borrows what it keeps, which the run's arena owns.
class Intervention {
 public:
  /// Ends an object that was kept, once its use is over.
  using End = void (*)(void* thing);

  explicit Intervention(const Hold& hold) : hold_(hold) {}
  Intervention(const Intervention&) = delete;  // A run points at it.
  Intervention& operator=(const Intervention&) = delete;

  /// Returns the intervention of the current run, or null, as in most runs.
  static Intervention* current() { return current_; }

  /// Applies an intervention to the runs of this thread while it exists.
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

  /// Returns whether an object that ends is kept. After end_all(), none is.
  bool wants(Label object, Label got, Label let_go) const {
    return !hold_.is_release && !is_over_ && fits(hold_.object, object) && fits(hold_.got, got) &&
           fits(hold_.let_go, let_go);
  }
  /// Returns whether a thing that is alive at the end is released.
  bool releases(Label object, Label got) const {
    return hold_.is_release && fits(hold_.object, object) && fits(hold_.got, got);
  }
  /// Notes an object that may have to be released, and the function that releases it.
  void note_birth(BirthId id, void* thing, End end) { kept_.push_back({id, thing, end}); }
  /// Releases an object that is still alive. Returns false if it has no `end`, so that it ends in
  /// the ledger only.
  bool release(BirthId id);
  /// Returns whether a thing was released.
  bool has_released(BirthId id) const;
  /// Keeps an object that has ended in the ledger; `end`, if any, ends it later.
  void keep(BirthId id, void* thing = nullptr, End end = nullptr);
  /// Returns whether an object is kept together with its storage, as `keep()` recorded.
  bool keeps_storage_of(BirthId id) const;
  /// Returns whether a kept object may be used at `use`, and records the use.
  bool serves(BirthId id, Label use, Tick now);
  /// Returns the same for a second end, which the hold must name: keeping an object for all uses
  /// does not allow ending it twice.
  bool serves_end(BirthId id, Label end, Tick now) {
    return !hold_.used.empty() && serves(id, end, now);
  }

  /// Keeps a word of shared memory, which is about to be written for another generation.
  void keep_word(const void* word, std::uint64_t generation, std::uint64_t value) {
    words_.keep(word, generation, value);
  }
  /// Returns the value that the word had in `generation`, if it was kept for `use`; else null.
  const std::uint64_t* word(const void* word, std::uint64_t generation, Label use);

  /// Ends all kept objects, in the order in which they were kept. Call it after the last use.
  void end_all();
  bool is_release() const { return hold_.is_release; }  ///< True: a release. False: a hold.

  /// Returns how many things were kept in this run, words included.
  std::size_t kept_count() const { return kept_.size() + words_.count(); }
  /// Returns the number of successful uses of kept objects.
  std::uint64_t served_count() const { return served_count_; }
  /// A use of a kept object.
  struct Served {
    BirthId id;
    Label use;
    Tick tick;  ///< Tick of the first such use.
  };
  /// Returns the successful uses, each object and site once, without words.
  const std::vector<Served>& served() const { return served_; }

 private:
  struct Kept {
    BirthId id;
    void* thing;
    End end;
  };

  static bool fits(Label wanted, Label found) { return wanted.empty() || wanted == found; }
  bool is_for(Label use) const { return !is_over_ && fits(hold_.used, use); }

  Hold hold_;
  bool is_over_ = false;
  std::uint64_t served_count_ = 0;
  std::vector<Kept> kept_;
  std::vector<Served> served_;
  std::vector<BirthId> released_;
  KeptWords words_;

  static inline constinit thread_local Intervention* current_ = nullptr;
};

}  // namespace harness
