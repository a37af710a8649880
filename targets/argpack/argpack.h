// argpack: Taichi's way from a Python call with ArgPacks to a running kernel, behind one interface.
//
// What a caller sees is a Python script: global variables that hold wrappers (arg packs, ndarrays,
// external arrays, launch contexts), and one method per API call. What is beneath is Taichi's
// object model: wrappers on a managed heap, C++ objects owned by a Program, device memory behind
// handles. Variants differ in one thing: what a launch context keeps alive, and how.
//
// Contract: a launch reads the packs and arrays that were bound to it, as they were when bound or
// as they are now, and nothing else; whatever the script drops, replaces, deletes or resets
// meanwhile. A thing that nobody can use any more is gone once the next synchronize(), or call that
// waits for its value, has passed; or the next launch that finds the device idle; or kHoldLimit
// launches.
// Threads: any task may call any method at any time. Each takes the GIL, and offers it in between.
// Errors: a Status, as Python would raise; nothing throws. A launch that ends in driver_error may
// have been submitted: its context is spent then. After any other error nothing has happened.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/runtime.h"

namespace targets::argpack {

enum class Backend : std::uint8_t {
  cpu,         ///< Every allocation its own, unmapped at once; kernels run before launch returns.
  cuda_pool,   ///< Stream-ordered pool on the null stream.
  cuda_cache,  ///< A caching allocator: a freed block is reused at once, best fit.
  amdgpu,      ///< Synchronous allocation and free.
  gfx,         ///< A command list, in-use sets, counted buffers; allocation ids are reused.
};
inline constexpr std::array<harness::Label, 5> kBackendLabels{"cpu", "cuda_pool", "cuda_cache",
                                                              "amdgpu", "gfx"};

/// What each method returns: what Python would raise.
enum class Status : std::uint8_t {
  ok,
  name_error,       ///< The variable is empty.
  type_error,       ///< It holds something else, or the pack has no such member.
  no_program,       ///< ti.init() has not run.
  stale_object,     ///< The wrapper is from before the last reset(). It can only be dropped.
  argument_limit,   ///< Too many arguments: raised after they were set, before the launch.
  unbound,          ///< The context lacks its pack, or was not compiled.
  driver_error,     ///< A CUDA call failed.
  buffer_error,     ///< Like BufferError: the storage is exported and cannot be resized.
  context_spent,    ///< The context was launched before; it is single use.
  context_invalid,  ///< The program that the context was made by has been reset.
};
harness::Label to_label(Status status);

/// A global variable of the script, by number. Shared by all tasks, as a module's globals are.
using Variable = std::uint32_t;
inline constexpr std::uint32_t kVariableCount = 12;
inline constexpr Variable kNothing = 0xffffffff;  ///< Where an argument is left out.

enum class Kind : std::uint8_t { nothing, pack, ndarray, external, context };

inline constexpr std::uint32_t kDepthLimit = 3;   ///< Packs within packs: p, p.c, p.c.c.
inline constexpr std::uint32_t kArrayWords = 64;  ///< Elements of each array; one per CUDA thread.

/// How many launches may come before what an earlier one held is gone.
inline constexpr std::uint32_t kHoldLimit = 8;

/// Where an external array's memory is.
enum class Storage : std::uint8_t {
  host,    ///< numpy: copied to the device before the kernel, and back after it.
  device,  ///< torch on a stream of its own: used in place, freed on that stream.
};

/// What a call of the kernel binds. Those left out are kNothing.
struct Arguments {
  Variable pack = kNothing;      ///< Required.
  Variable array = kNothing;     ///< An ndarray: read, and its gradient written where it has one.
  Variable external = kNothing;  ///< Half of its words are read, the others written.
  bool returns = true;           ///< The kernel returns a value: the call waits for it.
  bool too_many = false;         ///< One argument too many: raises between setting and launching.
};

/// What a planted finalizer does when the collector gets to it.
enum class Mischief : std::uint8_t {
  replace_nested,  ///< victim.c = a new pack
  drop,            ///< del victim
  drop_gradient,   ///< victim.grad = None
  resize,          ///< victim.resize(...): an external array
  collect,         ///< gc.collect()
  reset,           ///< ti.reset(); ti.init()
};
inline constexpr std::uint32_t kMischiefCount = 6;

/// The places where the race can happen.
enum class Window : std::uint8_t {
  w0_top_level,        ///< The variable that holds the top-level pack is dropped during a call.
  w1_nested_replaced,  ///< A nested pack loses its last reference between setting and launching.
  w2_parent_freed,     ///< So does the top-level pack, or one with a nested pack.
  w3_array_deleted,    ///< So does an ndarray, or a gradient.
  w4_external_gone,    ///< External memory goes or moves between setting and copy-back.
  w5_in_flight,        ///< The last reference goes after launch, before the kernel has finished.
  w6_stale_wrapper,    ///< A wrapper from before reset() dies; its address is someone else's now.
  w7_reentrant,        ///< A finalizer or a reset takes what is bound, before the launch.
  w11_context_reused,  ///< A context is launched again.
};
inline constexpr std::size_t kWindowCount = 9;
inline constexpr std::array<harness::Label, kWindowCount> kWindowLabels{
    "W0", "W1", "W2", "W3", "W4", "W5", "W6", "W7", "W11"};

/// Kinds of which a Program owns one each until reset(): bounded growth, and not retention.
inline constexpr std::array<harness::Label, 2> kProgramOwnedKinds{"Kernel", "CompiledKernel"};

/// What facts call a wrapper or a launch context. Never used again within a run; 0 is none.
enum class ThingId : std::uint32_t { none };

/// Where a context binds a thing.
enum class Place : std::uint8_t { pack, nested, nested_twice, array, gradient, external };
inline constexpr std::size_t kPlaceCount = 6;

/// What a wrapper is when it is made.
struct Making {
  ThingId thing;
  Kind kind;
  std::uint32_t depth;       ///< Of a pack.
  std::int64_t value;        ///< What its elements, or its scalar, begin with.
  std::uint32_t generation;  ///< Of a context: the program's. 0 elsewhere; see built().
};

/// Hears what happens, whatever the variant. Called in the middle of things: it may record, and may
/// not call back or offer a turn.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void reached(Window window) = 0;

  // ---- programs ----
  virtual void program_began(std::uint32_t generation) = 0;
  virtual void program_ended() = 0;

  // ---- wrappers and contexts ----
  virtual void made(const Making& making) = 0;
  /// What is beneath the wrapper exists: the C++ object, or storage on the host (none where it is
  /// on the device). Made by the program of this generation.
  virtual void built(ThingId thing, harness::BirthId object, std::uint32_t generation) = 0;
  /// A variable, a member, a frame or a cycle refers to it, or no longer.
  virtual void referred(ThingId thing) = 0;
  virtual void dropped(ThingId thing) = 0;
  /// It dies: nobody has a reference any more, not even those that the policy keeps.
  virtual void ended(ThingId thing) = 0;
  /// A member refers to `member` now: 0 is the nested pack, 1 the array or the gradient.
  virtual void attached(ThingId thing, std::size_t member, ThingId value) = 0;
  /// A variable refers to the thing now, or to none.
  virtual void stored(Variable variable, ThingId thing) = 0;

  // ---- values ----
  /// The script has assigned a value. Device memory holds it: written().
  virtual void assigned(ThingId thing, std::int64_t value) = 0;
  virtual void written(ThingId thing, std::int64_t value) = 0;
  /// Its storage was resized: what is beneath is another, and as it was made.
  virtual void moved(ThingId thing) = 0;

  // ---- contexts ----
  virtual void bound(ThingId context, Place place, ThingId thing) = 0;
  virtual void scalar_set(ThingId context, std::int64_t value) = 0;
  virtual void compiled(ThingId context) = 0;
  /// A kernel was submitted, or recorded, with everything bound.
  virtual void submitted(ThingId context) = 0;
  /// The device has finished everything submitted so far.
  virtual void finished() = 0;
  /// What the kernel reported, and the host has now: for each thread, the words of the pack, the
  /// array, the external array's input, and its output.
  virtual void read(ThingId context, std::span<const std::int32_t> words) = 0;
  /// What to_numpy() found: the elements, as words.
  virtual void contents(ThingId array, std::span<const std::int32_t> words) = 0;
};

/// What fixes a world before it starts.
struct Setup {
  Backend backend = Backend::cuda_pool;
  bool gil = true;  ///< As the heap is configured.
  /// How the unordered map of parameters happens to be walked: parents before children, or after.
  /// The driver's answer to a Site::order question.
  bool parents_first = false;
  Observer* observer = nullptr;  ///< Must outlive the path.
};

/// Ownership: made in the run's arena, after the heap is configured and before any managed object:
/// it makes the interpreter. Borrows the runtime and the observer.
class Argpack {
 public:
  virtual ~Argpack() = default;

  // ---- the program ----
  /// ti.init(). Nothing else works before it. Once per run; then reset().
  virtual Status init() = 0;
  /// ti.reset(); ti.init(): ends the program and everything that it owns. Wrappers survive.
  virtual Status reset() = 0;
  virtual Status synchronize() = 0;
  /// Submits what the command list holds. Does nothing but on gfx.
  virtual Status flush() = 0;

  // ---- arg packs ----
  /// into = T(a=value, c=T(a=value+1, ...), x=array), nested `depth` deep (1..kDepthLimit). `array`
  /// (an ndarray, or kNothing) becomes the member x of the outermost pack.
  virtual Status new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                             Variable array) = 0;
  /// pack.a = value, at nesting level `level`: 0 is the pack, 1 is pack.c, 2 is pack.c.c.
  virtual Status set_scalar(Variable pack, std::uint32_t level, std::int32_t value) = 0;
  /// pack.c = T(a=value, ...) where `level` is 1; pack.c.c = ... where it is 2. The depth stays.
  virtual Status replace_nested(Variable pack, std::uint32_t level, std::int32_t value) = 0;
  /// pack.c = child, the same object: both share it from now on. Depths must fit.
  virtual Status set_nested(Variable pack, std::uint32_t level, Variable child) = 0;
  /// into = pack.c (level 1) or pack.c.c (level 2): another reference to the nested pack.
  virtual Status get_nested(Variable into, Variable pack, std::uint32_t level) = 0;

  // ---- arrays ----
  virtual Status new_ndarray(Variable into, std::int32_t value, bool with_gradient) = 0;
  /// array.fill(value).
  virtual Status fill(Variable array, std::int32_t value) = 0;
  /// array.grad = a new ndarray.
  virtual Status set_gradient(Variable array) = 0;
  /// array.grad = None.
  virtual Status drop_gradient(Variable array) = 0;
  virtual Status new_external(Variable into, Storage storage, std::int32_t value) = 0;
  /// The storage moves: the old memory is freed. buffer_error where it is exported.
  virtual Status resize_external(Variable external) = 0;

  /// array.to_numpy(), and that of its gradient: told to the observer. Of an external array: its
  /// storage as it is.
  virtual Status to_numpy(Variable array) = 0;

  // ---- variables ----
  /// into = from.
  virtual Status alias(Variable into, Variable from) = 0;
  /// del variable. Its object dies at once if this was the last reference.
  virtual Status drop(Variable variable) = 0;
  /// An object that holds what `variable` holds and itself: only the collector frees it, once the
  /// variable is dropped too.
  virtual Status make_cycle(Variable variable) = 0;
  /// Unreachable garbage whose finalizer does `mischief` to `victim` when the collector gets to it.
  virtual Status plant(Mischief mischief, Variable victim, std::int32_t value) = 0;
  /// gc.collect(generation).
  virtual Status collect(std::uint32_t generation) = 0;
  /// What a variable holds now. Offers no turn.
  virtual Kind kind(Variable variable) const = 0;
  /// How deep the pack in `variable` nests, 0 where it holds none. Offers no turn.
  virtual std::uint32_t depth(Variable variable) const = 0;

  // ---- launching ----
  /// kernel(pack, array, external): @ti.kernel's path, all steps.
  virtual Status call(const Arguments& arguments) = 0;
  /// into = kernel.make_launch_context(): the path of those who call the C++ side directly. Each
  /// set_* captures; nothing is kept for the caller.
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

  // ---- the end of a script ----
  /// Drops every variable. What is then still alive after collect(2) and synchronize(), which from
  /// now on waits for the user's stream too, was retained.
  virtual Status drop_all() = 0;
  /// For tasks that touch the heap themselves: attach first.
  virtual harness::Interpreter& interpreter() = 0;
};

/// One way to manage lifetimes, by name. `make` puts the path into the run's arena.
struct NamedPolicy {
  harness::Label name;
  Argpack* (*make)(harness::Runtime& runtime, const Setup& setup);
};
std::span<const NamedPolicy> policies();

}  // namespace targets::argpack
