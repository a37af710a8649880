// SPDX-License-Identifier: Apache-2.0
// Ledger: every lifetime in a run, under an identity that is never reused.
//
// A capture of an address captures (address, birth id). A use whose birth id is not the captured
// one is a fault even when the memory is alive again as something else: the recycled case, which
// address sanitizers cannot see.
#pragma once

#include <cstdint>

#include "harness/base/label.h"
#include "harness/core/history/history.h"
#include "harness/core/intervention/intervention.h"
#include "harness/core/scheduler/scopes.h"  // IWYU pragma: export

namespace harness {

/// One lifetime: of a host object, a managed object, a device block, a CUDA handle, a slot
/// generation.
struct Life {
  Name name = 0;
  Label kind;
  Label birth_site;
  Label death_site;
  Name birth_activation = 0;
  Name death_activation = 0;
  Tick birth_tick = 0;
  Tick death_tick = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  BirthId recycled_from = BirthId::none;  ///< The object whose storage it got.
  BirthId recycled_as = BirthId::none;    ///< The object that got its storage.
  bool alive = true;
};

/// Ownership: owns the lives; borrows the scheduler. Threads: confined to the run's thread.
class Ledger {
 public:
  explicit Ledger(Scheduler& scheduler) : scheduler_(scheduler) {}
  /// Forgets the lifetimes of the previous run.
  void begin() {
    lives_.clear();
    lives_.add({.alive = false});  // BirthId::none.
  }

  /// Begins a lifetime at the current site. `recycled_from` names the object whose storage it got.
  BirthId born(Label kind, std::uint64_t address, std::uint64_t bytes,
               BirthId recycled_from = BirthId::none);

  /// Ends a lifetime at the current site. `id` must be alive: check first, and report with
  /// double_free().
  void died(BirthId id);

  /// Enters a lifetime of another process, which has reported its birth.
  BirthId adopted(const Life& life);
  /// Ends a lifetime of another process, which has reported its end.
  void ended_elsewhere(BirthId id, Label site, Name activation);

  bool alive(BirthId id) const { return lives_[raw(id)].alive; }  ///< Returns false for `none`.
  const Life& life(BirthId id) const { return lives_[raw(id)]; }  ///< Valid until the next birth.
  const Records<Life>& lives() const { return lives_; }           ///< [0] is "none".

  // ---- faults, recorded at the current site ---------------------------

  /// Records a use of `meant`. `met` is the object that is alive at the address now, or none.
  /// Returns false if there is none: the caller must not touch the memory.
  bool used(BirthId meant, BirthId met);

  /// Records that `id`, which is already dead, was ended again.
  void double_free(BirthId id);

  /// Records that an owner of `meant` ended `met`.
  void wrong_owner(BirthId meant, BirthId met);

  /// Fills in what the ledger knows of `id`, for a fault found elsewhere.
  Fault describe(FaultKind kind, BirthId id) const;

  // ---- repairs of the run ----

  /// Returns whether a repair keeps `id`, which ends now. Its storage is then not reused.
  bool keeps(BirthId id) const {
    return Intervention::current() != nullptr && is_kept(id, nullptr, nullptr);
  }
  /// The same for an object that `end` ends later.
  bool keeps(BirthId id, void* thing, Intervention::End end) const {
    return Intervention::current() != nullptr && is_kept(id, thing, end);
  }
  /// Registers with the repair how `thing`, whose lifetime `id` begins, can be released.
  void note_birth(BirthId id, void* thing, Intervention::End end) const {
    if (Intervention::current() != nullptr) note_releasable(id, thing, end);
  }
  /// Lets the repair of the run, if any, release what is alive, and end what it has kept.
  void complete_repair() {
    if (Intervention::current() != nullptr) complete(*Intervention::current());
  }
  /// Returns whether a repair has kept `id`, which has died, for a use at `use`.
  bool serves(BirthId id, Label use) const {
    return Intervention::current() != nullptr &&
           Intervention::current()->serves(id, use, scheduler_.now());
  }
  /// Returns whether a repair keeps `id`, which has died, and does so for a use at `use`.
  bool spares(BirthId id, Label use) const { return keeps(id) && serves(id, use); }

  Scheduler& scheduler() { return scheduler_; }

 private:
  bool serves_end(BirthId id) const;
  bool spares_met(BirthId meant, bool recycled) const;
  bool is_kept(BirthId id, void* thing, Intervention::End end) const;
  void note_releasable(BirthId id, void* thing, Intervention::End end) const;
  void complete(Intervention& repair);
  void report(Fault fault) { scheduler_.history().add(std::move(fault)); }

  Scheduler& scheduler_;
  Records<Life> lives_;
};

}  // namespace harness
