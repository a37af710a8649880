// SPDX-License-Identifier: Apache-2.0
// Objects: the records behind the handles of contexts, modules, functions, libraries, kernels and
// events.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/device_code/kernel_image.h"
#include "harness/devices/sim/graphs/graph.h"
#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/handles_freed.h"
#include "harness/devices/sim/memory/pools.h"
#include "harness/devices/sim/peers/peers.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/textures/objects.h"

namespace harness::devices {

struct Capture;
struct Kernel;

struct Context : Object {
  bool primary = false;
  unsigned reference_count = 0;  ///< Number of references to the primary context.
  unsigned usage_count = 0;      ///< Number of expected cuCtxDetach calls.
  unsigned flags = 0;
  CUfunc_cache cache_config = CU_FUNC_CACHE_PREFER_NONE;
  std::array<std::size_t, 7> limits{};  ///< By CUlimit, for the supported ones.
  std::size_t heap_bytes = 0;           ///< Bytes allocated by malloc() in kernels.
  bool heap_used = false;               ///< The heap was used, so that its size is fixed.
  Stream* legacy = nullptr;
  std::vector<Stream*> streams;  ///< All except the legacy one.

  void reset() {
    primary = false;
    reference_count = usage_count = flags = 0;
    cache_config = CU_FUNC_CACHE_PREFER_NONE;
    // Stack, printf() and malloc() of a thread: the programming guide's defaults. Depth and number
    // of nested launches: its defaults for CUDA dynamic parallelism. Then the L2 cache.
    limits = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    heap_bytes = 0;
    heap_used = false;
    legacy = nullptr;
    streams.clear();
  }
};

/// The launch prepared by the deprecated calls: cuFuncSetBlockShape, cuParamSetv and similar.
struct PreparedLaunch {
  enum class State : std::uint8_t { none, set, invalidated };

  State state = State::none;
  std::array<unsigned, 3> block{};
  unsigned shared_bytes = 0;
  unsigned parameter_bytes = 0;
  std::vector<std::byte> parameters;  ///< All parameters of the kernel, after one was set.
};

struct Function : Object {
  Module* module = nullptr;
  const KernelEntry* entry = nullptr;
  Label label;  ///< The kernel's name.
  PreparedLaunch prepared;
  void reset() { prepared = {}; }
};

struct Module : Object {
  Context* context = nullptr;
  const KernelImage* image = nullptr;
  std::vector<Function*> functions;      ///< Per entry of the image; null until requested.
  std::vector<std::uint32_t> variables;  ///< The block of each variable.
  /// Its number among unloaded modules; 0 if it was not unloaded, or ended with its context.
  std::uint32_t unload = 0;
  void reset() {
    functions.clear();
    variables.clear();
    unload = 0;
  }
};

/// Kernels without a context. `module` is its loaded form, in any context.
struct Library : Object {
  Module* module = nullptr;
  std::vector<Kernel*> kernels;  ///< Per entry of the image; null until requested.
  LentId code = LentId::none;    ///< The image, if the program promised to preserve it.
  void reset() {
    kernels.clear();
    code = LentId::none;
  }
};

struct Kernel : Object {
  Library* library = nullptr;
  Function* function = nullptr;
  void reset() {}
};

struct Event : Object {
  Context* context = nullptr;
  Event* exported = nullptr;    ///< The event of another process that this one has opened; see
                                ///< ipc.h.
  PeerObject peer;              ///< Its name for other processes of the run, if it is exported.
  Stream* elsewhere = nullptr;  ///< Represents the work of other processes in which it was
                                ///< recorded.
  unsigned flags = 0;
  StreamPoint point;                ///< The work of the last record.
  std::uint64_t record_count = 0;   ///< Number of records so far.
  std::uint32_t noted = 0;          ///< The last record, as an index into the history.
  std::uint64_t time = 0;           ///< The time at which the last record was reached, in
                                    ///< nanoseconds.
  Clock clock;                      ///< The last record and everything before it.
  Capture* capture = nullptr;       ///< The capture that it was last recorded in, if any.
  std::vector<GraphEdge> captured;  ///< The nodes that it represents in that capture.
  void reset() {
    exported = nullptr;
    peer = {};
    elsewhere = nullptr;
    point = {};
    record_count = 0;
    time = 0;
    clock.clear();
    capture = nullptr;
    captured.clear();
  }
};

/// Memory of cuMemCreate. Its handle is alive while it has references; the memory, a block, also
/// while it is mapped.
struct Allocation : Object {
  CUmemAllocationProp properties{};
  std::uint32_t block = 0;  ///< The memory; 0 once it has ended.
  std::uint32_t reference_count = 0;
  std::uint32_t mapping_count = 0;
  void reset() { block = reference_count = mapping_count = 0; }
};

/// The tables of handles that are not reused within a run, except for those of streams and events.
/// Those of graphs are in graphs/.
/// Ownership: owns the objects, and keeps their storage from run to run.
struct Handles {
  HandleTable<Context, HandleKind::context> contexts;
  HandleTable<Module, HandleKind::module> modules;
  HandleTable<Function, HandleKind::function> functions;
  HandleTable<Stream, HandleKind::stream> streams;
  HandleTable<Event, HandleKind::event> events;
  HandleTable<Pool, HandleKind::pool> pools;
  HandleTable<Library, HandleKind::library> libraries;
  HandleTable<Kernel, HandleKind::kernel> kernels;
  HandleTable<Allocation, HandleKind::allocation> allocations;
  HandleTable<Array, HandleKind::array> arrays;
  HandleTable<MipmappedArray, HandleKind::mipmapped_array> mipmapped_arrays;
  HandleTable<Texture, HandleKind::texture> textures;
  HandleTable<Surface, HandleKind::surface> surfaces;
  FreedHandles<Stream> freed_streams;
  FreedHandles<Event> freed_events;
  std::uint32_t unload_count = 0;  ///< Number of modules that were unloaded.

  void begin() {
    unload_count = 0;
    contexts.begin();
    modules.begin();
    functions.begin();
    streams.begin();
    events.begin();
    pools.begin();
    libraries.begin();
    kernels.begin();
    allocations.begin();
    arrays.begin();
    mipmapped_arrays.begin();
    textures.begin();
    surfaces.begin();
    freed_streams.begin();
    freed_events.begin();
  }
};

/// The kernels of an image, or the reason why there are none.
struct ImageFound {
  const KernelImage* image = nullptr;
  CUresult error = CUDA_SUCCESS;
  std::string why{};  ///< A line for the program's JIT log; may be empty.
};

/// Finds the kernels of an image that is not a KernelImage. Null by default. libcuda.so.1 sets it
/// to a function that recognizes fatbins and translates PTX.
using ImageLookup = ImageFound (*)(const void* image);
void set_image_lookup(ImageLookup lookup);

}  // namespace harness::devices
