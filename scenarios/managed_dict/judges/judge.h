// Judge: all that listen to the interpreter of one run, and what they remember.
#pragma once

#include "scenarios/managed_dict/judges/block.h"
#include "scenarios/managed_dict/judges/code.h"

namespace scenarios::managed_dict {

/// Ownership: the script's. Borrows the scene; the path borrows it for the run.
class Judge {
 public:
  explicit Judge(harness::Scene& scene)
      : reached_(scene),
        sight_{.scene = scene, .reached = &reached_},
        rooms_(scene),
        ghost_(sight_),
        heap_(sight_, ghost_),
        code_(sight_, ghost_, heap_),
        blocks_(sight_, heap_, rooms_) {}
  Judge(const Judge&) = delete;  // Its parts point at each other.
  Judge& operator=(const Judge&) = delete;

  /// Returns the listeners to a path that is about to be made; it must be looked at before it
  /// starts.
  targets::managed_dict::Observers observers() { return {&ghost_, &code_, &blocks_}; }
  void look_at(const targets::managed_dict::HeapView& heap,
               targets::managed_dict::Version version) {
    sight_.heap = &heap;
    sight_.version = version;
  }

  const Reached& reached() const { return reached_; }
  Ghost& ghost() { return ghost_; }
  HeapJudge& heap() { return heap_; }
  CodeJudge& code() { return code_; }
  const CodeJudge& code() const { return code_; }
  const BlockJudge& blocks() const { return blocks_; }
  Rooms& rooms() { return rooms_; }

 private:
  Reached reached_;
  Sight sight_;
  Rooms rooms_;
  Ghost ghost_;
  HeapJudge heap_;
  CodeJudge code_;
  BlockJudge blocks_;
};

}  // namespace scenarios::managed_dict
