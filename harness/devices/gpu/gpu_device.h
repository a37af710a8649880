// SPDX-License-Identifier: Apache-2.0
// GpuDevice: the real driver, combined with the ledger and the history. A pass-through that records
// every lifetime, refuses uses of dead objects, and cleans up after the run.
//
// Departures from a bare driver, because tasks are fibers of one OS thread. Each task has its own
// context stack, but all share one per-thread default stream. A host function is called by the task
// that enqueues it, once the stream is done. A graph's host functions and the destructors of user
// objects are called by the task that makes the next call (callbacks.h). Exports of one process are
// opened by others without the driver (ipc.h). The primary context outlasts a run
// (primary_context.h).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/gpu/callbacks.h"
#include "harness/devices/gpu/ipc.h"
#include "harness/devices/gpu/parts.h"
#include "harness/devices/gpu/primary_context.h"
#include "harness/driver/cuda/cuda.h"
#include "harness/driver/device.h"

namespace harness::devices {

/// Returns the driver's functions: one per row of cuda.def, never null. The library is
/// libcuda.so.1, or the one that the environment variable AFTERLIFE_LIBCUDA names; each is loaded
/// once. Throws std::runtime_error, with one line that says what to do, if there is no driver.
const DriverTable& load_driver();

class GpuDevice final : public Device {
 public:
  GpuDevice();

  void begin(World& world) override;
  /// Waits for the device and frees everything that the run left behind.
  void end() override;
  const DriverTable& table() const override;
  bool runs_host_kernels() const override { return false; }

  /// Returns the device of the current world. Only called through its own table.
  static GpuDevice& current() { return static_cast<GpuDevice&>(*World::current()->device); }

  enum class Kind : std::uint8_t {
    context,
    module,
    stream,
    event,
    array,
    mipmapped_array,
    texture,
    surface,
    pool,
    library,
    graph,
    graph_node,
    graph_exec,
    allocation,
  };
  enum class Origin : std::uint8_t { device, host, pool, registered, mapped };

  // ---- lifetimes ----

  void born(Kind kind, const void* handle);
  /// Records the birth of a part that ends with its whole: a node of a graph, a graph in a node, a
  /// level of a mipmapped array.
  void born_in(const void* whole, Kind kind, const void* part);
  /// Ends the lifetime. If it has ended before, records a fault and returns an error.
  CUresult died(Kind kind, const void* handle);
  /// Records a fault and returns an error if `handle` names a dead object. Unknown handles pass.
  CUresult check(Kind kind, const void* handle);
  /// Returns whether `handle` names a live object that was created here.
  bool lives(const void* handle) const;

  /// Notes an address of graph memory. Its lifetimes begin and end in launches, which the harness
  /// does not see, so the driver checks them.
  void reserved(std::uint64_t address) { graph_memory_.insert(address); }
  void allocated(Origin origin, std::uint64_t address, std::uint64_t bytes);
  /// Frees memory by the driver's function `driver`, if `by` is suitable: registered or mapped
  /// memory only by its own function. If the driver refuses, as in a capture, it stays alive.
  CUresult free(std::uint64_t address, Origin by, const std::function<CUresult()>& driver);
  /// Checks [address, address + bytes). Addresses that the driver never returned pass, and the
  /// driver checks them.
  CUresult check(std::uint64_t address, std::uint64_t bytes);
  /// Records a call that the documentation forbids.
  void misuse(Label kind, const char* detail, BirthId id = BirthId::none);

  // ---- contexts, by task ----

  std::vector<CUcontext>& context_stack();
  /// Notes that a context has ended with its objects: with all objects, if no other context is
  /// left.
  void context_ended();
  /// Makes the context of the calling task current on the OS thread.
  CUresult switch_context();

  // ---- exports of other processes ----

  struct Memory {
    Origin origin;
    BirthId birth;
    std::uint64_t bytes;
    ProcessId process;
  };
  /// Returns the allocation at `base`, alive or not, or null.
  const Memory* memory_at(std::uint64_t base) const {
    const auto known = memory_.find(base);
    return known != memory_.end() ? &known->second : nullptr;
  }
  World& world() const { return *world_; }
  Imports& imports() { return imports_; }
  Parts& parts() { return parts_; }

  /// Virtual memory that must be released at the end of the run.
  struct VirtualMemory {
    std::map<CUmemGenericAllocationHandle, unsigned> references;
    std::map<CUdeviceptr, std::size_t> mappings;
    std::map<CUdeviceptr, std::size_t> reservations;
  };
  VirtualMemory& virtual_memory() { return virtual_memory_; }

  // ---- the driver ----

  const DriverTable& driver() const { return driver_; }
  PrimaryContext& primary() { return primary_; }

 private:
  struct Handle {
    Kind kind;
    BirthId birth;
  };
  CUresult check_import(std::uint64_t address, std::uint64_t bytes);
  void end_parts(const void* whole);
  void free_memory();
  void free_virtual_memory();
  void free_handles();

  const DriverTable& driver_;
  World* world_ = nullptr;
  Imports imports_;
  VirtualMemory virtual_memory_;
  PrimaryContext primary_{driver_};
  std::unordered_map<const void*, Handle> handles_;
  std::vector<const void*> handle_order_;  ///< Handles in the order of their births.
  Parts parts_;
  /// By address. Dead memory stays until the address is reused.
  std::map<std::uint64_t, Memory> memory_;
  std::set<std::uint64_t> graph_memory_;
  std::vector<std::vector<CUcontext>> stacks_;
  CUcontext thread_context_ = nullptr;  ///< The context of the OS thread.
};

}  // namespace harness::devices
