// SPDX-License-Identifier: Apache-2.0
// argpack: Taichi's way from a Python call with ArgPacks to a running kernel, behind a few
// interfaces.
//
// A caller sees a Python script: global variables that hold wrappers (arg packs, ndarrays, external
// arrays, launch contexts), and one method for each API call. Beneath is Taichi's object model:
// wrappers on a managed heap, C++ objects owned by a Program, device memory behind handles.
// Variants differ in what a launch context keeps alive, and how.
//
// Contract: a launch reads the packs and arrays that were bound to it, as they were when bound or
// as they are now, and nothing else, whatever the script drops, replaces, deletes or resets
// meanwhile. An object that cannot be used any more is gone after the next synchronize(), or call
// that waits for its value; or after the next launch that finds the device idle; or after
// kHoldLimit launches. Threads: any task may call any method at any time. Each takes the GIL, and
// offers it in between. Errors: a Status, as Python would raise; nothing throws. A launch that ends
// in driver_error may have been submitted, and its context is then spent. After any other error
// nothing has happened.
#pragma once

#include <span>

#include "targets/argpack/sites.h"
#include "targets/argpack/walk.h"

namespace targets::argpack {

/// Variables that a call of the kernel binds. Those left out are kNothing.
struct Arguments {
  Variable pack = kNothing;      ///< Required.
  Variable array = kNothing;     ///< An ndarray: it is read, and its gradient is written if it has
                                 ///< one.
  Variable external = kNothing;  ///< Half of its words are read, the others written.
  bool returns = true;           ///< The kernel returns a value: the call waits for it.
  bool too_many = false;         ///< One argument too many: raises between setting and launching.
};

/// Kinds of which a Program owns one each until reset(): bounded growth, and not retention.
inline constexpr std::array<harness::Label, 2> kProgramOwnedKinds{"Kernel", "CompiledKernel"};

/// All that fixes a world before it starts.
struct Setup {
  Backend backend = Backend::cuda_pool;
  bool gil = true;               ///< The same as in the heap's configuration.
  Walk walk = kPlainWalk;        ///< The driver's result of Site::order choices.
  Observer* observer = nullptr;  ///< Must outlive the path.
};

/// Programs: what ti.* does with the program of now.
class Programs {
 public:
  virtual ~Programs() = default;

  /// ti.init(). Nothing else works before it. Once per run; then reset().
  virtual Status init() = 0;
  /// ti.reset(); ti.init(): ends the program, and with it, or with the last call that has it,
  /// everything that it owns. Wrappers survive.
  virtual Status reset() = 0;
  virtual Status synchronize() = 0;
  /// Submits what the command list holds. Does nothing but on gfx.
  virtual Status flush() = 0;
};

/// Packs: making arg packs and assigning to their members.
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

/// Arrays: ndarrays with their gradients, external arrays, and looking at either.
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
  /// The storage moves: the old memory is freed. Returns buffer_error if it is exported.
  virtual Status resize_external(Variable external) = 0;
  /// array.to_numpy(), and that of its gradient, reported to the observer. Of an external array:
  /// its storage.
  virtual Status to_numpy(Variable array) = 0;
};

/// Globals: the script's variables, whatever they hold.
class Globals {
 public:
  virtual ~Globals() = default;

  /// into = from.
  virtual Status alias(Variable into, Variable from) = 0;
  /// del variable. Its object dies at once if this was the last reference.
  virtual Status drop(Variable variable) = 0;
  /// The end of a script: drops every variable. What is then still alive after collect(2) and
  /// synchronize(), which from now on waits for the user's stream too, was retained.
  virtual Status drop_all() = 0;
  /// Returns the kind of thing that a variable holds now. Offers no turn.
  virtual Kind kind(Variable variable) const = 0;
  /// Returns how deep the pack in `variable` nests, or 0 if it holds none. Offers no turn.
  virtual std::uint32_t depth(Variable variable) const = 0;
};

/// Garbage: making what only the collector frees, and collecting it.
class Garbage {
 public:
  virtual ~Garbage() = default;

  /// An object that holds what `variable` holds and itself: only the collector frees it, once the
  /// variable is dropped too.
  virtual Status make_cycle(Variable variable) = 0;
  /// Unreachable garbage whose finalizer does `action` to `victim` when the collector gets to it.
  virtual Status plant(FinalizerAction action, Variable victim, std::int32_t value) = 0;
  /// gc.collect(generation).
  virtual Status collect(std::uint32_t generation) = 0;
};

/// Calls: @ti.kernel's path, all steps.
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

  /// into = kernel.make_launch_context(). Each set_* captures; nothing is kept for the caller.
  virtual Status make_context(Variable into) = 0;
  /// Binds the pack and those nested in it, children first.
  virtual Status set_arg_argpack(Variable context, Variable pack) = 0;
  virtual Status set_arg_ndarray(Variable context, Variable array) = 0;
  virtual Status set_arg_ndarray_with_grad(Variable context, Variable array) = 0;
  virtual Status set_arg_external(Variable context, Variable external) = 0;
  virtual Status set_arg_scalar(Variable context, std::int32_t value) = 0;
  virtual Status compile(Variable context) = 0;
  /// prog.launch_kernel(compiled, context). With `returns` it waits for the result and reads it.
  virtual Status launch(Variable context, bool returns) = 0;
};

/// All that a script can do, an interface for each family of calls.
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

/// One way to manage lifetimes, by name. `make` puts the path into the run's arena.
struct NamedPolicy {
  harness::Label name;
  Argpack (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::argpack
