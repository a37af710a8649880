// Fault: what an oracle found, as a value. Nothing throws and nothing unwinds because of one.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "harness/label.h"

namespace harness {

/// Every kind of fault: the rows of harness/fault.def, which say what each means.
enum class FaultKind : std::uint8_t {
#define FAULT_KIND(name, ...) name,
#include "harness/fault.def"
#undef FAULT_KIND
};

/// A row of harness/fault.def.
struct FaultKindInfo {
  FaultKind kind;
  Label label;            ///< Its name in signatures, reproducers and stories.
  Label oracle;           ///< Its owner, by which a scenario leaves it out.
  std::string_view verb;  ///< The story's words between the object and the site of its use.
  std::string_view summary;
};

/// One row for each kind, in the order of the enumeration.
inline constexpr FaultKindInfo kFaultKinds[] = {
#define FAULT_KIND(name, label, oracle, verb, summary) \
  {FaultKind::name, label, oracle, verb, summary},
#include "harness/fault.def"
#undef FAULT_KIND
};

/// Returns the row of `kind`.
constexpr const FaultKindInfo& to_info(FaultKind kind) { return kFaultKinds[raw(kind)]; }

/// Returns the name of `kind` in signatures, reproducers and stories.
constexpr Label to_label(FaultKind kind) { return to_info(kind).label; }

/// Ownership: labels are static. Identities are names, stable across runs of the same case.
struct Fault {
  FaultKind kind = FaultKind::use_after_death;
  bool fatal = false;   ///< The task that met it did not go on.
  Label object_kind;    ///< "ArgPack", "device memory"; for progress faults, what was waited for.
  Label birth_site;     ///< Empty where the object never lived.
  Label death_site;     ///< Empty where it has not died.
  Label use_site;       ///< Where it was found: an API call, a kernel, an oracle.
  Name object = 0;      ///< The name of the life that was meant.
  Name recycler = 0;    ///< The name of the life that was met instead (recycled_use, wrong_owner).
  Name activation = 0;  ///< Where it happened.
  Tick tick = 0;
  std::uintptr_t code = 0;  ///< Program counter of a device access; evidence, not identity.
  /// Names the writer of what a reader of another generation met; evidence, not identity. Tick 0:
  /// not known.
  struct Writer {
    Label site;
    Tick tick = 0;
    std::uint16_t task = 0xffff;
  } writer;
  std::string detail;  ///< Words for the story: values, who waits for whom. Not identity.

  /// Two faults show the same bug when their signatures are equal.
  std::string signature() const;

  /// Equal outcome on replay: everything but the evidence.
  bool operator==(const Fault& other) const;
};

/// Returns a fault that ends the run, of `kind` and no more.
inline Fault fatal_fault(FaultKind kind) {
  Fault fault;
  fault.kind = kind;
  fault.fatal = true;
  return fault;
}

/// A set of fault kinds.
using FaultKinds = std::uint32_t;
static_assert(std::size(kFaultKinds) <= 32, "a kind is a bit of FaultKinds");

/// Returns the set of `kind` alone.
constexpr FaultKinds kind_bit(FaultKind kind) { return FaultKinds{1} << raw(kind); }
/// Returns the kinds that the oracle called `oracle` owns.
FaultKinds kinds_of(Label oracle);

}  // namespace harness
