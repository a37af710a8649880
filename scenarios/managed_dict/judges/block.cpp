// SPDX-License-Identifier: Apache-2.0
#include "scenarios/managed_dict/judges/block.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"

namespace scenarios::managed_dict {

using harness::Fault;
using harness::FaultKind;
using targets::managed_dict::Crash;
using targets::managed_dict::Release;

namespace {

constexpr Address kNullPageBytes = 4096;
constexpr harness::Label kNullPage = "null page";
constexpr harness::Label kSmallInteger = "small integer";
constexpr harness::Label kUnmapped = "unmapped";

/// Names an unmapped address. A null object has no field at 1 to 7: such a value was an integer.
harness::Label name_of(Address address) {
  if (address > 0 && address < sizeof(Address)) return kSmallInteger;
  return address < kNullPageBytes ? kNullPage : kUnmapped;
}

/// Describes the argument of free(), and the byte from which it was computed.
std::string beside_in_words(const Release& release) {
  std::string text =
      fmt::format("free({:#x}), and it was got as {:#x}", release.address, release.allocated);
  if (release.is_values)
    text += fmt::format("; the byte before its values says {}", release.prefix);
  return text;
}

}  // namespace

// ---- free() -------------------------------------------------------------------------------------

void BlockJudge::report_around(harness::BirthId block, harness::Label what) const {
  Fault fault = context_.describe(FaultKind::wrong_value, block);
  fault.object_kind = what;
  context_.report(std::move(fault));
}

void BlockJudge::released(const Release& release) {
  if (!release.alive) return context_.scene.world().ledger.double_free(release.block);
  if (!release.is_allocated_pointer() || release.address % targets::managed_dict::kAlignment != 0) {
    Fault fault = context_.describe(FaultKind::wrong_owner, release.block);
    fault.detail = beside_in_words(release);
    context_.report(std::move(fault));
  }
  if (release.prefix != expected_prefix(context_.state, release))
    report_around(release.block, "prefix");
  if (!release.padding_intact) report_around(release.block, "padding");
}

// ---- malloc() -----------------------------------------------------------------------------------

// The room shrinks with each instance of a type, until one value more than the keys name is left.
void BlockJudge::made_room(std::uint32_t type, std::uint32_t named, std::uint32_t room) {
  const std::uint32_t before = std::exchange(context_.state.room[type], room);
  if (context_.state.bounded && before != 0 && room >= before && room > named + 1)
    context_.scene.expect("room", room, before - 1);
}

// ---- faults that end the process ----------------------------------------------------------------

void BlockJudge::handed_out_twice(harness::BirthId block) {
  Fault fault = context_.describe(FaultKind::recycled_use, block);
  fault.detail = "handed out while it is alive";
  fault.fatal = true;
  context_.report(std::move(fault));
}

void BlockJudge::crashed(const Crash& crash) {
  if (heap_.finds_miscount()) context_.reached.note_miscount();
  Fault fault = crash.block != harness::BirthId::none
                    ? context_.describe(FaultKind::use_after_free, crash.block)
                    : context_.fault_here(FaultKind::wild_access, name_of(crash.address), {});
  fault.detail = fmt::format("SIGSEGV at {:#x}", crash.address);
  fault.fatal = true;
  context_.report(std::move(fault));
}

}  // namespace scenarios::managed_dict
