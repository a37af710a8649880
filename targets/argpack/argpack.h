// SPDX-License-Identifier: Apache-2.0
// argpack: models Taichi from a Python call with ArgPacks to a running kernel, behind a few
// interfaces.
//
// A caller sees a Python script: global variables that hold wrappers (arg packs, ndarrays,
// external arrays, launch contexts), and one method for each API call. Beneath is Taichi's
// object model: wrappers on a managed heap, C++ objects owned by a Program, device memory behind
// handles. Variants differ in what a launch context keeps alive, and how.
//
// Contract: a launch reads the packs and arrays that were bound to it, as they were when bound
// or as they are now, and nothing else, whatever the script drops, replaces, deletes or resets
// until then. An unreachable object is gone after the next synchronize() or call that waits for
// its value, after the next launch that finds the device idle, or after kHoldLimit launches.
// Threads: any task may call any method at any time. Each takes the GIL, and offers it at every
// step. Errors: a Status, as Python would raise; nothing throws. A launch that returns
// driver_error may have been submitted, and its context is then spent. After any other error
// nothing has changed.
#pragma once

#include <span>

#include "targets/argpack/sites.h"
#include "targets/argpack/walk.h"

namespace targets::argpack {

/// Variables that a call of the kernel binds; kNothing for an omitted argument.
struct Arguments {
  Variable pack = kNothing;      ///< Required.
  Variable array = kNothing;     ///< An ndarray. It is read; its gradient, if any, is
                                 ///< written.
  Variable external = kNothing;  ///< Half of its words are read, the others are written.
  bool returns = true;           ///< The kernel returns a value, and the call waits for it.
  bool too_many = false;         ///< One argument too many: raises after setting, before launching.
};

/// Kinds of objects that a Program owns, one each, until reset(). They are not leaks.
inline constexpr std::array<harness::Label, 2> kProgramOwnedKinds{"Kernel", "CompiledKernel"};

/// Configuration of a run, fixed before it starts.
struct Setup {
  Backend backend = Backend::cuda_pool;
  bool gil = true;               ///< The same as in the heap's configuration.
  Walk walk = kPlainWalk;        ///< Parameter order, as chosen by the driver at Site::order.
  Observer* observer = nullptr;  ///< Must outlive the path.
};

/// Programs: the calls of ti.* that act on the current program.
class Programs {
 public:
  virtual ~Programs() = default;

  /// ti.init(). Must be called first, once per run; later use reset().
  virtual Status init() = 0;
  /// ti.reset(); ti.init(): ends the program, and with it (or with the last call that holds it)
  /// everything that it owns. Wrappers survive.
  virtual Status reset() = 0;
  virtual Status synchronize() = 0;
  /// Submits the command list. Has no effect on backends other than gfx.
  virtual Status flush() = 0;
};

/// Packs: creates arg packs and assigns to their members.
class Packs {
 public:
  virtual ~Packs() = default;

  /// into = T(a=value, c=T(a=value+1, ...), x=array), nested `depth` deep (1..kDepthLimit). `array`
  /// (an ndarray, or kNothing) becomes the member x of the outermost pack.
  virtual Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                             Variable array) = 0;
  /// pack.a = value, at nesting level `level`: 0 is the pack, 1 is pack.c, 2 is pack.c.c.
  virtual Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) = 0;
  /// pack.c = T(a=value, ...) for `level` 1; pack.c.c = ... for 2. The depth does not change.
  virtual Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) = 0;
  /// pack.c = child, the same object: both share it from now on. Depths must fit.
  virtual Status set_nested(Variable pack, std::uint32_t level, Variable child) = 0;
  /// into = pack.c (level 1) or pack.c.c (level 2): another reference to the nested pack.
  virtual Status get_nested(Variable into, Variable pack, std::uint32_t level) = 0;
};

/// Arrays: creates ndarrays with gradients and external arrays, and reads both.
class Arrays {
 public:
  virtual ~Arrays() = default;

  virtual Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) = 0;
  /// array.fill(value).
  virtual Status fill(Variable array, std::int32_t value) = 0;
  /// array.grad = a new ndarray.
  virtual Status set_gradient(Variable array) = 0;
  /// array.grad = None.
  virtual Status drop_gradient(Variable array) = 0;
  virtual Status new_external(Variable into, Storage storage, std::int32_t value) = 0;
  /// Moves the storage and frees the old memory. Returns buffer_error if it is exported.
  virtual Status resize_external(Variable external) = 0;
  /// array.to_numpy(): reports the elements of the array and its gradient to the observer. For an
  /// external array, reports its storage.
  virtual Status to_numpy(Variable array) = 0;
};

/// Globals: the script's variables, of any type.
class Globals {
 public:
  virtual ~Globals() = default;

  /// into = from.
  virtual Status alias(Variable into, Variable from) = 0;
  /// del variable. If this was the last reference, its object dies at once.
  virtual Status drop(Variable variable) = 0;
  /// Ends the script: drops every variable. From now on synchronize() waits for the user's stream,
  /// too. An object that is alive after collect(2) and synchronize() is a leak.
  virtual Status drop_all() = 0;
  /// Returns the kind of object that a variable holds. Has no preemption point.
  virtual Kind kind(Variable variable) const = 0;
  /// Returns the nesting depth of the pack in `variable`, or 0. Has no preemption point.
  virtual std::uint32_t depth(Variable variable) const = 0;
};

/// Garbage: makes objects that only the collector frees, and runs the collector.
class Garbage {
 public:
  virtual ~Garbage() = default;

  /// Makes an object that refers to itself and to the value of `variable`: once the variable is
  /// dropped, too, only the collector frees it.
  virtual Status make_cycle(Variable variable) = 0;
  /// Makes garbage whose finalizer applies `action` to `victim` when the collector finds it.
  virtual Status plant(FinalizerAction action, Variable victim, std::int32_t value) = 0;
  /// gc.collect(generation).
  virtual Status collect(std::uint32_t generation) = 0;
};

/// Calls: all steps of a call to a function with @ti.kernel.
class Calls {
 public:
  virtual ~Calls() = default;

  /// kernel(pack, array, external).
  virtual Status call(const Arguments& arguments) = 0;
};

/// Contexts: for scripts that call the C++ side directly.
class Contexts {
 public:
  virtual ~Contexts() = default;

  /// into = kernel.make_launch_context(). Each set_* binds; the context holds no Python reference.
  virtual Status make_context(Variable into) = 0;
  /// Binds the pack and its nested packs, children first.
  virtual Status set_arg_argpack(Variable context, Variable pack) = 0;
  virtual Status set_arg_ndarray(Variable context, Variable array) = 0;
  virtual Status set_arg_ndarray_with_grad(Variable context, Variable array) = 0;
  virtual Status set_arg_external(Variable context, Variable external) = 0;
  virtual Status set_arg_scalar(Variable context, std::int32_t value) = 0;
  virtual Status compile(Variable context) = 0;
  /// prog.launch_kernel(compiled, context). With `returns`, waits for the result and reads it.
  virtual Status launch(Variable context, bool returns) = 0;
};

/// All operations of a script, with one interface per family of calls.
/// Ownership: borrows its parts, which are made in the run's arena, after the heap is configured
/// and before any managed object. They borrow the runtime and the observer.
struct Argpack {
  Programs& programs;
  Packs& packs;
  Arrays& arrays;
  Globals& globals;
  Garbage& garbage;
  Calls& calls;
  Contexts& contexts;
};

/// A lifetime policy, by name. `make` creates the path in the run's arena.
struct NamedPolicy {
  harness::Label name;
  Argpack (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::argpack
