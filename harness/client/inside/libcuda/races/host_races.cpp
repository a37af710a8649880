// SPDX-License-Identifier: Apache-2.0
// How it works. Each access is compared with the last accesses of the same 8 bytes. The order of
// threads follows from their locks, waits and atomic operations, which the driver sees because it
// executes them.
#include "harness/client/inside/libcuda/races/host_races.h"

#include <dlfcn.h>
#include <pthread.h>

#include <bit>

#include "harness/client/inside/libcuda/races/atomic_turns.h"

namespace harness::entries {

/// Only the first bytes of a longer range are noted: a race of whole buffers shows there.
static constexpr std::size_t kMostBytes = 64 << 10;

bool HostRaces::is_on_ = false;

HostRaces& HostRaces::only() {
  static auto& only = *new HostRaces;  // Never destroyed: threads may still run after main().
  return only;
}

/// Uses the detector for the calling thread, if it has the baton. Memory that the detector itself
/// frees has no shadow.
class HostRaces::Use {
 public:
  Use() : me_(is_on_ ? Baton::mine() : nullptr) {
    if (me_ == nullptr || me_->state != BatonThread::State::goes_on ||
        only().is_used_.test_and_set(std::memory_order_acquire))
      me_ = nullptr;
  }
  ~Use() {
    if (me_ != nullptr) only().is_used_.clear(std::memory_order_release);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const { return me_ != nullptr; }
  HostRaces* operator->() const { return &only(); }
  std::size_t thread() const { return me_->number; }

 private:
  const BatonThread* me_;
};

void HostRaces::listen() {
  void* take = dlsym(RTLD_DEFAULT, kTakeInstrumentHooks);
  if (take == nullptr) return;
  is_on_ = true;
  static const InstrumentHooks kHooks{accesses, AtomicTurns::comes, made,
                                      fence,    acquired,           releases};
  if (void* take_free = dlsym(RTLD_DEFAULT, kTakeFreeHook); take_free != nullptr)
    reinterpret_cast<TakeFreeHook>(take_free)(freed);
  reinterpret_cast<TakeInstrumentHooks>(take)(&kHooks);
}

void HostRaces::tell(Listener listener) { only().listener_ = std::move(listener); }

// ---- the order of threads ----------------------------------------------------------------------

void HostRaces::started(const BatonThread& child) {
  if (const Use use; use) use->order_.started(use.thread(), child.number);
}

void HostRaces::begins() {
  if (!is_on_) return;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) freed(low, bytes);
  pthread_attr_destroy(&attributes);
}

void HostRaces::joined(const BatonThread& ended) {
  if (const Use use; use) use->order_.joined(use.thread(), ended.number);
}

void HostRaces::acquired(const void* object) {
  if (const Use use; use)
    use->order_.acquired(use.thread(), reinterpret_cast<std::uintptr_t>(object));
}

void HostRaces::releases(const void* object) {
  if (const Use use; use)
    use->order_.releases(use.thread(), reinterpret_cast<std::uintptr_t>(object));
}

void HostRaces::fence(int order) {
  if (const Use use; use) use->order_.fence(use.thread(), order);
}

void HostRaces::freed(void* memory, std::size_t bytes) {
  const auto low = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes == 0) return;
  if (const Use use; use) {
    use->shadow_.forget(low, low + bytes);
    use->order_.forget(low, low + bytes);
  }
}

// ---- accesses ----------------------------------------------------------------------------------

HostRace::Side HostRaces::side_of(const RacingAccess& access) const {
  std::vector<std::uintptr_t> codes = calls_.codes(access.path);
  codes.insert(codes.begin(), access.code);
  return {access.thread, access.writes, access.is_atomic, std::move(codes)};
}

std::optional<HostRace> HostRaces::note_cell(std::uintptr_t address, const RacingAccess& access) {
  const std::optional<RacingAccess> other =
      shadow_.access(address, access, order_.now(access.thread));
  if (!other) return std::nullopt;
  if (!told_.insert(std::minmax(other->code, access.code)).second) return std::nullopt;
  const auto shared = static_cast<unsigned>(other->mask & access.mask);
  return HostRace{side_of(*other), side_of(access), static_cast<unsigned>(std::popcount(shared))};
}

std::optional<HostRace> HostRaces::note(std::size_t thread, const HostAccess& access) {
  constexpr std::uintptr_t kCell = Shadow::kCellBytes;
  RacingAccess part{reinterpret_cast<std::uintptr_t>(access.returns_to),
                    order_.now(thread).at(thread),
                    calls_.node_of(*access.path),
                    static_cast<std::uint16_t>(thread),
                    0,
                    access.writes,
                    access.is_atomic};
  const std::uintptr_t high = access.address + std::min(access.bytes, kMostBytes);
  std::optional<HostRace> found;
  for (std::uintptr_t low = access.address; low < high;) {
    const std::uintptr_t end = std::min(high, low / kCell * kCell + kCell);
    part.mask = static_cast<std::uint8_t>(((1U << (end - low)) - 1) << low % kCell);
    std::optional<HostRace> race = note_cell(low, part);
    if (race && !found) found = std::move(race);
    low = end;
  }
  return found;
}

void HostRaces::accesses(const HostAccess& access) {
  if (Baton::Inside::is_any()) return;
  std::optional<HostRace> race;
  if (const Use use; use)
    race = use->note(use.thread(), access);
  else
    return;
  if (race && only().listener_) {
    const Baton::Inside inside;
    only().listener_(*race);
  }
  AtomicTurns::accessed();
}

void HostRaces::made(const AtomicOperation& operation, std::uint64_t value, bool changed) {
  if (Baton::Inside::is_any()) return;
  if (const Use use; use) {
    const std::uintptr_t at = operation.access.address;
    if (!operation.access.writes)
      use->order_.loaded(use.thread(), at, operation.order);
    else if (operation.kind == AtomicKind::store)
      use->order_.stored(use.thread(), at, operation.order);
    else
      use->order_.exchanged(use.thread(), at, operation.order);
  }
  AtomicTurns::made(operation, value, changed);
}

}  // namespace harness::entries
