// SPDX-License-Identifier: Apache-2.0
// GpuDevice: the real driver, with the ledger and the history on. A pass-through that records every
// lifetime, refuses uses of dead objects, and cleans up after the run.
//
// Departures from a bare driver, since tasks are fibers of one OS thread: each task has a context
// stack of its own; all share one per-thread default stream; a host function is called by the task
// that enqueues it, once the stream is done; a graph's host functions and the destructors of user
// objects are called by the task whose call comes next (callbacks.h); what one process exports,
// others open without the driver (ipc.h); the primary context outlasts a run (primary_context.h).
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "harness/cuda.h"
#include "harness/device.h"
#include "harness/devices/gpu/callbacks.h"
#include "harness/devices/gpu/ipc.h"
#include "harness/devices/gpu/parts.h"
#include "harness/devices/gpu/primary_context.h"
#include "harness/ledger.h"

namespace harness::devices {

/// The driver's functions: one per row of cuda.def, never null. The library is libcuda.so.1, or
/// what the environment variable AFTERLIFE_LIBCUDA names instead; each is loaded once. Throws
/// std::runtime_error, with one line that says what to do, when there is no driver.
const DriverTable& load_driver();

class GpuDevice final : public Device {
 public:
  GpuDevice();

  void begin(World& world) override;
  /// Waits for the device and frees what the run left behind.
  void end() override;
  const DriverTable& table() const override;
  bool runs_host_kernels() const override { return false; }

  /// The device of the current world. Only called through its own table.
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

  // ---- lives ----

  void born(Kind kind, const void* handle);
  /// Notes the birth of what ends with its whole: a node of a graph, a graph in a node, a level of
  /// a mipmapped array.
  void born_in(const void* whole, Kind kind, const void* part);
  /// Ends the life; a fault and an error when it has ended before.
  CUresult died(Kind kind, const void* handle);
  /// Records a fault and returns an error if `handle` names a dead object. Unknown handles pass.
  CUresult check(Kind kind, const void* handle);
  /// Returns whether `handle` names a live object that was created here.
  bool lives(const void* handle) const;

  /// Its lives begin and end in launches, which we do not see: the driver judges them.
  void reserved(std::uint64_t address) { graph_memory_.insert(address); }
  void allocated(Origin origin, std::uint64_t address, std::uint64_t bytes);
  /// Frees memory by the driver's function, if it is the run's to free: what is registered or
  /// mapped by its own function alone. If the driver refuses, as in a capture, it lives on.
  CUresult free(std::uint64_t address, Origin by, const std::function<CUresult()>& driver);
  /// Checks [address, address + bytes). What the driver never gave out passes, to be judged by it.
  CUresult check(std::uint64_t address, std::uint64_t bytes);
  /// Records a call that the documentation forbids.
  void misuse(Label kind, const char* detail, BirthId id = BirthId::none);

  // ---- contexts, by task ----

  std::vector<CUcontext>& context_stack();
  /// A context is gone, and what belonged to it: all there is, once there is no other.
  void context_ended();
  /// Makes the context of the calling task current on the OS thread.
  CUresult switch_context();

  // ---- what other processes exported ----

  struct Memory {
    Origin origin;
    BirthId birth;
    std::uint64_t bytes;
    ProcessId process;
  };
  /// Returns what was allocated at `base`, alive or not, or null.
  const Memory* memory_at(std::uint64_t base) const {
    const auto known = memory_.find(base);
    return known != memory_.end() ? &known->second : nullptr;
  }
  World& world() const { return *world_; }
  Imports& imports() { return imports_; }
  Parts& parts() { return parts_; }

  /// The virtual memory that the run has left to be taken back.
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
  std::vector<const void*> handle_order_;  ///< In the order of their births.
  Parts parts_;
  /// By address. The dead stay until the address comes back.
  std::map<std::uint64_t, Memory> memory_;
  std::set<std::uint64_t> graph_memory_;
  std::vector<std::vector<CUcontext>> stacks_;
  CUcontext thread_context_ = nullptr;  ///< The context of the OS thread.
};

}  // namespace harness::devices
