// SPDX-License-Identifier: Apache-2.0
#include "harness/core/ledger/ledger.h"

#include "harness/core/fault/kinds.h"
#include "harness/core/history/trail.h"

namespace harness {

/// Adds the beginning or end of a lifetime to a trail.
[[gnu::cold]] static void follow(Scheduler& scheduler, EventKind what, const Life& life) {
  Trail& trail = *Trail::current();
  trail.add({.kind = Trail::Kind::event,
             .event = what,
             .what = life.kind,
             .site = scheduler.site(),
             .activation = scheduler.picker().current().name});
  trail.add(1, life.name);
}

BirthId Ledger::born(Label kind, std::uint64_t address, std::uint64_t bytes,
                     BirthId recycled_from) {
  const auto id = static_cast<BirthId>(lives_.size());
  const Name name = scheduler_.name_next(kind);
  lives_.add({.name = name,
              .kind = kind,
              .birth_site = scheduler_.site(),
              .birth_activation = scheduler_.picker().current().name,
              .birth_tick = scheduler_.now(),
              .address = address,
              .bytes = bytes,
              .recycled_from = recycled_from});
  if (recycled_from != BirthId::none) lives_[raw(recycled_from)].recycled_as = id;
  scheduler_.note(EventKind::birth, kind, name);
  if (Trail::current() != nullptr) [[unlikely]]
    follow(scheduler_, EventKind::birth, lives_[raw(id)]);
  return id;
}

void Ledger::died(BirthId id) {
  Life& life = lives_[raw(id)];
  if (!life.alive) [[unlikely]] {  // A use of a kept object may end it again.
    HARNESS_CHECK(Intervention::current() != nullptr,
                  "a life ends once; report the second end with double_free()");
    return;
  }
  life.alive = false;
  life.death_site = scheduler_.site();
  life.death_activation = scheduler_.picker().current().name;
  life.death_tick = scheduler_.now();
  scheduler_.note(EventKind::death, life.kind, life.name);
  if (Trail::current() != nullptr) [[unlikely]]
    follow(scheduler_, EventKind::death, life);
}

BirthId Ledger::adopted(const Life& life) {
  const auto id = static_cast<BirthId>(lives_.size());
  lives_.add(life);
  return id;
}

void Ledger::ended_elsewhere(BirthId id, Label site, Name activation) {
  Life& life = lives_[raw(id)];
  life.alive = false;
  life.death_site = site;
  life.death_activation = activation;
  life.death_tick = scheduler_.now();
}

Fault Ledger::describe(FaultKind kind, BirthId id) const {
  const Life& life = lives_[raw(id)];
  Fault fault;
  fault.kind = kind;
  fault.object_kind = life.kind;
  fault.birth_site = life.birth_site;
  fault.death_site = life.death_site;
  fault.use_site = scheduler_.site();
  fault.object = life.name;
  fault.activation = scheduler_.picker().current().name;
  fault.tick = scheduler_.now();
  return fault;
}

bool Ledger::used(BirthId meant, BirthId met) {
  if (meant == met && alive(meant)) [[likely]]
    return true;
  const bool recycled = alive(met);
  if (spares_met(meant, recycled)) [[unlikely]]
    return true;
  Fault fault = describe(recycled ? FaultKind::recycled_use : FaultKind::use_after_free, meant);
  fault.fatal = !recycled;
  if (recycled) fault.recycler = life(met).name;
  report(std::move(fault));
  return recycled;
}

// Another object may be met if a table reuses numbers. If the repair keeps the storage, too, the
// dead object is still there under its number.
bool Ledger::spares_met(BirthId meant, bool recycled) const {
  const Intervention* repair = Intervention::current();
  if (repair == nullptr || (recycled && !repair->keeps_storage_of(meant))) return false;
  return spares(meant, scheduler_.site());
}

bool Ledger::is_kept(BirthId id, void* thing, Intervention::End end) const {
  Intervention& repair = *Intervention::current();
  const Life& one = life(id);
  if (repair.is_release()) return !one.alive && repair.has_released(id);
  const Label let_go = one.alive ? scheduler_.site() : one.death_site;
  if (!repair.wants(one.kind, one.birth_site, let_go)) return false;
  repair.keep(id, thing, end);
  return true;
}

void Ledger::note_releasable(BirthId id, void* thing, Intervention::End end) const {
  Intervention& repair = *Intervention::current();
  if (repair.releases(life(id).kind, life(id).birth_site)) repair.note_birth(id, thing, end);
}

// Releasing an object may end others, which are not alive any more when their turn comes.
void Ledger::complete(Intervention& repair) {
  const std::size_t count = lives_.size();
  for (std::size_t i = 0; i < count && repair.is_release(); ++i) {
    const Life one = lives_[i];
    const auto id = static_cast<BirthId>(i);
    if (!one.alive || !repair.releases(one.kind, one.birth_site)) continue;
    if (!repair.release(id) && alive(id)) died(id);
  }
  if (!repair.is_release()) repair.end_all();
}

bool Ledger::serves_end(BirthId id) const {
  return Intervention::current()->serves_end(id, scheduler_.site(), scheduler_.now());
}

void Ledger::double_free(BirthId id) {
  if (keeps(id) && serves_end(id)) return;
  report(describe(FaultKind::double_free, id));
}

void Ledger::wrong_owner(BirthId meant, BirthId met) {
  if (!alive(meant) && keeps(meant) && serves_end(meant)) return;
  Fault fault = describe(FaultKind::wrong_owner, meant);
  fault.recycler = life(met).name;
  report(std::move(fault));
}

}  // namespace harness
