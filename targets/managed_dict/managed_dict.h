// SPDX-License-Identifier: Apache-2.0
// ManagedDict: operations of a Python program on instances of plain classes under a JIT: the
// interface of the managed-dict path. The model and the embedded interpreter implement it.
//
// An op is one Python statement, or one with block. Threads: tasks of the run; the GIL changes
// hands between bytecodes only.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/driver/runtime.h"
#include "targets/managed_dict/heap_view.h"
#include "targets/managed_dict/layout.h"
#include "targets/managed_dict/memory.h"
#include "targets/managed_dict/memory_observer.h"
#include "targets/managed_dict/observer.h"
#include "targets/managed_dict/vocabulary.h"

namespace targets::managed_dict {

/// One attribute, as seen by a reader of vars().
struct Item {
  Attribute attribute;
  std::int64_t value;  ///< An int's value; kAnInstance for an instance.
  bool operator==(const Item&) const = default;
};
inline constexpr std::int64_t kAnInstance = -1;

/// A reader's view of an instance, or of a dict.
struct View {
  Class of = Class::no_grad;
  bool has_values = false;  ///< Attributes are in values: the instance's, or a split dict's.
  bool has_dict = false;
  bool is_embedded = false;  ///< The values' own flag says that they are part of the instance.
  std::uint32_t used = 0;    ///< Result of len().
  std::uint32_t count = 0;
  std::array<Item, kAttributeLimit> items;  ///< In insertion order; the first `count` are
                                            ///< valid.
};

struct Setup {
  Version version = Version::cpython312;
  Placement placement;
  /// Number of calls after which a function is compiled automatically.
  std::uint32_t compile_threshold = 2;
  /// A compiler thread compiles, and installs the code at an eval breaker.
  bool background_compile = false;
  /// Number of instances of each class made before: shared keys shrink while a class is young.
  std::uint32_t warm_up = kSharedKeysLimit;
  /// Blocks that a wrapper around __enter__ allocates and frees, as in the report.
  std::uint32_t wrapper_blocks = 0;
  Observers observers;
};

/// The statements of a script.
class Statements {
 public:
  virtual ~Statements() = default;

  virtual Status new_instance(Variable into, Class of) = 0;
  virtual Status del_instance(Variable variable) = 0;
  virtual Status store_attr(Variable variable, Attribute attribute, ValueKind kind) = 0;
  virtual Status load_attr(Variable variable, Attribute attribute) = 0;
  virtual Status delete_attr(Variable variable, Attribute attribute) = 0;
  virtual Status access_dict(Variable variable) = 0;   ///< vars(v)
  virtual Status replace_dict(Variable variable) = 0;  ///< v.__dict__ = {}
  virtual Status delete_dict(Variable variable) = 0;   ///< del v.__dict__
  virtual Status set_class(Variable variable, Class to) = 0;
  virtual Status set_type_attr(Class of) = 0;  ///< _NoGrad._enabled = ...
  virtual Status subclass(Class of) = 0;
  virtual Status collect() = 0;                        ///< gc.collect()
  virtual Status hold_noise(std::uint32_t bytes) = 0;  ///< Allocates another object of that size.
  virtual Status drop_noise() = 0;
  /// with _NoGrad(): with _Autocast(): with _ProfileScope(): body. `depth` is 1..3.
  virtual Status with_block(std::uint32_t depth, Body body) = 0;
  /// Runs the kernel with the attributes of a live _Autocast.
  virtual Status launch(Variable variable) = 0;
  /// At the end: drops all variables, collects, synchronises. Returns false if a call failed.
  virtual bool clear_up() = 0;
};

/// Requests to the JIT from a script or the compiler thread.
class JitControl {
 public:
  virtual ~JitControl() = default;

  virtual Status force_compile(Function function) = 0;
  virtual Status deopt(Function function) = 0;
  /// Compiles the next requested function, as the compiler thread does.
  virtual Status compile_step() = 0;
};

/// Read access for other components.
class Inspection {
 public:
  virtual ~Inspection() = default;

  virtual Version layout() const = 0;
  /// Returns a view of this interpreter, valid until the run ends.
  virtual const HeapView& heap() const = 0;
  virtual View view(Variable variable) = 0;
  /// Returns a view of the last result of vars(), or an empty one.
  virtual View held_view() = 0;
  /// Returns the number of references to all classes that come from instances.
  virtual std::uint64_t class_references() = 0;
  virtual std::uint32_t class_version(Class of) = 0;
};

/// One interpreter. Ownership: owns its parts.
class ManagedDict {
 public:
  virtual ~ManagedDict() = default;

  /// Starts the interpreter; the first call of a run.
  virtual Status init() = 0;

  virtual Statements& statements() = 0;
  virtual JitControl& jit() = 0;
  virtual Inspection& inspection() = 0;
};

/// A writer, by name; `stock` has none.
struct Policy {
  harness::Label name;
  ManagedDict* (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const Policy> policies();

}  // namespace targets::managed_dict
