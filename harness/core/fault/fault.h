// SPDX-License-Identifier: Apache-2.0
// Fault: what an oracle found, as a value. Nothing throws and nothing unwinds because of one.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/label.h"

namespace harness {

/// A kind of fault, a row of harness/core/fault/fault.def. harness/core/fault/kinds.h names and
/// describes them. Opaque here, so that a new row recompiles only code that names a kind.
enum class FaultKind : std::uint8_t;

/// Ownership: labels are static. Identities are names, stable across runs of the same case.
struct Fault {
  FaultKind kind{};     ///< The table's first row until it is set.
  bool fatal = false;   ///< The fault ended the task in which it happened.
  Label object_kind;    ///< "ArgPack", "device memory"; for progress faults, what was waited for.
  Label birth_site;     ///< Empty if the object never existed.
  Label death_site;     ///< Empty if it has not died.
  Label use_site;       ///< The place of detection: an API call, a kernel, an oracle.
  Name object = 0;      ///< The name of the object that was meant.
  Name recycler = 0;    ///< The name of the object that was found instead (recycled_use,
                        ///< wrong_owner).
  Name activation = 0;  ///< The activation in which it happened, such as an op or a kernel launch.
  Name captured = 0;    ///< The graph operation that captured what was used, or 0. Evidence, not
                        ///< identity.
  Label captured_at;    ///< The function that captured it, or that took a lock of a lock cycle.
                        ///< Evidence.
  Tick tick = 0;
  std::uintptr_t code = 0;  ///< Program counter of a device access; evidence, not identity.
  /// The other side: the writer of a word of another generation, or the other task of a race or of
  /// a lock cycle. Evidence, not identity. Tick 0 means unknown.
  struct Writer {
    Label site;
    Tick tick = 0;
    std::uint16_t task = 0xffff;
  } writer;
  /// Names of the code that requested a use. Evidence, not identity. 0 means unknown.
  struct Source {
    Name activation = 0;
    Name captured = 0;  ///< The graph operation that captured what is used.
    Name stream = 0;
  };
  Source use;          ///< The reported use of a data race.
  Source other;        ///< The earlier use, with which the reported use or end is not ordered.
  std::string detail;  ///< Words for the story: values, and which task waits for which. Not
                       ///< identity.

  /// Two faults show the same bug when their signatures are equal.
  std::string signature() const;
  /// Returns the signature without its sites, since the number of places where something goes wrong
  /// says little about the number of bugs.
  std::string what() const;

  /// Compares everything except the evidence. A replay must give equal faults.
  bool operator==(const Fault& right) const;
};

/// Returns a fault of `kind` that ends the run, with no other field set.
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
/// Returns the kinds that the oracle called `oracle` owns.
FaultKinds kinds_of(Label oracle);

}  // namespace harness
