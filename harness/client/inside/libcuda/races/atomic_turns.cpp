// SPDX-License-Identifier: Apache-2.0
// How it works. A thread spins if several operations in a row changed nothing and saw the values
// that it had seen before. It then yields at each further one, until it sees or makes a change.
#include "harness/client/inside/libcuda/races/atomic_turns.h"

#include <array>

#include "harness/client/inside/libcuda/turns/doing.h"

namespace harness::entries {
namespace {

/// Number of operations without news after which a thread spins.
constexpr unsigned kSpins = 8;
/// Number of other accesses that are a step.
constexpr unsigned kAccessesInStep = 1 << 14;

/// The last values that a thread saw, at some addresses.
class Seen {
 public:
  bool spins() const { return stale_count_ >= kSpins; }
  void change() { stale_count_ = 0; }
  void see(std::uintptr_t address, std::uint64_t value) {
    Value& last = values_[address / alignof(std::uint64_t) % values_.size()];
    const bool is_known = last.address == address && last.value == value;
    if (last.address == address && !is_known)
      stale_count_ = 0;
    else if (is_known)
      ++stale_count_;
    last = {address, value};
  }

 private:
  struct Value {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
  };
  std::array<Value, 16> values_;
  unsigned stale_count_ = 0;
};

thread_local Seen seen;
thread_local unsigned access_count = 0;

Label name_of(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::load:
      return "atomic load";
    case AtomicKind::store:
      return "atomic store";
    case AtomicKind::exchange:
      return "atomic exchange";
    case AtomicKind::compare:
      break;
  }
  return "atomic compare-exchange";
}

}  // namespace

void AtomicTurns::comes(const AtomicOperation& operation) {
  const Doing doing(name_of(operation.kind));
  if (!doing) return;
  access_count = 0;
  if (seen.spins())
    Doing::baton().yield(*doing);
  else
    doing.offer();
}

void AtomicTurns::made(const AtomicOperation& operation, std::uint64_t value, bool changed) {
  if (changed)
    seen.change();
  else
    seen.see(operation.access.address, value);
}

void AtomicTurns::accessed() {
  if (++access_count % kAccessesInStep != 0) return;
  const Doing doing("a long computation");
  if (doing) Doing::baton().yield(*doing);
}

}  // namespace harness::entries
