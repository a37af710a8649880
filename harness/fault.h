// Fault: what an oracle found, as a value. Nothing throws and nothing unwinds because of one.
#pragma once

#include <cstdint>
#include <string>

#include "harness/label.h"

namespace harness {

enum class FaultKind : std::uint8_t {
  use_after_death,  ///< Something was used whose life had ended, and nothing lives there now.
  recycled_use,     ///< The same, but something else lives there now: the use met the wrong object.
  wild_access,      ///< An address that no life was ever authorised for.
  double_free,      ///< A life was ended twice.
  wrong_owner,      ///< An owner ended a life of another generation than the one it was given.
  retention,        ///< A leak: alive although nothing can reach it any more.
  wrong_value,      ///< A result differs from the reference model's.
  api_misuse,       ///< A call that the API's documentation forbids.
  deadlock,         ///< Every task waits, and nothing can change that.
  livelock,         ///< Tasks poll for what no one will write.
  step_limit,       ///< The run took more turns than its scenario allows.
  uncaught,         ///< An exception left a task.
  ghost_generation,  ///< A shared slot was read for one generation and held another's words.
  order,    ///< A data race: two uses of device memory, or a use and its end, that nothing orders.
  crash,    ///< A signal or an abort ended the target's own code.
  refusal,  ///< A call failed or left its work undone, though nothing was injected and nobody was
            ///< wrong.
};
inline constexpr std::size_t kFaultKindCount = 16;

/// Returns the name of `kind` in signatures, reproducers and stories.
Label to_label(FaultKind kind);

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
/// Returns the set of `kind` alone.
constexpr FaultKinds kind_bit(FaultKind kind) { return FaultKinds{1} << raw(kind); }
/// Returns the set of these kinds.
template <class... Kinds>
constexpr FaultKinds fault_kinds(Kinds... kinds) {
  return (FaultKinds{0} | ... | kind_bit(kinds));
}

}  // namespace harness
