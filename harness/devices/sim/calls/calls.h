// SPDX-License-Identifier: Apache-2.0
// Calls: the functions of the simulated driver, one per row of cuda.def, and helpers that several
// of them share.
// Errors: the documented status codes. Behaviour that the documentation leaves undefined is a
// fault.
#pragma once

#include <string>

#include "harness/devices/sim/found.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/driver/cuda/cuda.h"

namespace harness::devices::calls {

/// The entry points, one for each row of cuda.def.
struct Calls {
  SimDevice& sim;

#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult name parameters;
#include "harness/driver/cuda/cuda.def"
};

/// Launches a kernel whose body is a function of the program. An extension; cuda.def has no row for
/// it.
CUresult launch_host_work(SimDevice& sim, CUstream on, const HostWorkLaunch& given);

/// Object kind in faults about addresses.
inline constexpr Label kDeviceMemory = "device memory";
inline constexpr Label kArrayKind = "CUDA array";
inline constexpr Label kMipmappedArrayKind = "mipmapped CUDA array";

/// Finds the stream that `handle` refers to for the calling thread.
Found<Stream> find_stream(SimDevice& sim, CUstream handle);
/// Finds the stream for a call that submits work or waits. A capture may forbid that.
Found<Stream> find_work_stream(SimDevice& sim, CUstream handle);
/// Finds the stream for a call that is forbidden while it captures.
Found<Stream> find_uncaptured_stream(SimDevice& sim, CUstream handle);

/// Finds a live context; null means the current one.
CUresult context_or_current(SimDevice& sim, CUcontext handle, Context*& context);
/// Returns the value of a device attribute; 0 if the device does not have it.
int attribute_value(CUdevice_attribute attribute);
/// Returns whether texels of a format can be read: NOT_SUPPORTED for other formats of cuda.h.
CUresult check_format(CUarray_format channel, unsigned channel_count);
/// Returns whether the flags are valid for a context.
bool are_context_flags(unsigned flags);
bool is_cache_config(CUfunc_cache config);

/// Returns the live block that contains [address, address + bytes). Otherwise records a fault and
/// returns 0.
std::uint32_t find_block(SimDevice& sim, std::uint64_t address, std::uint64_t bytes);

/// Allocates memory in fresh storage, or in that of freed memory of the same origin. Returns 0 if
/// there is none.
std::uint32_t give_out(SimDevice& sim, Origin origin, std::uint64_t bytes);

/// Waits for the context's queued work, or does not: the documentation guarantees neither.
void may_wait(SimDevice& sim, Context& context);

/// Frees a block immediately, even if work is queued. The block was checked.
void free_now(SimDevice& sim, std::uint32_t block);

/// Returns the block that begins at `address` and has not been freed. Otherwise records a fault and
/// returns 0.
std::uint32_t find_freeable(SimDevice& sim, std::uint64_t address);

/// Finds the memory of `address`. An address unknown to the driver is host memory, if that is
/// allowed.
CUresult find_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes, bool may_be_host,
                    Place& place);

/// Finds the function of a CUfunction, or of a CUkernel in its place. It exists as long as its
/// module.
Function* find_function(SimDevice& sim, CUfunction handle);
/// Finds the kernels of an image.
ImageFound find_image(const void* image);
/// Reads an image from a file. Returns the documented error if that fails.
CUresult read_image(const char* file, std::string& image);
/// Allocates device memory for the variables of a module's image, and initializes it.
CUresult give_variables(SimDevice& sim, Module& module);
/// Frees that memory, after launched work is done.
void take_variables(SimDevice& sim, Module& module);
/// Finds a variable of a module by its name. Address and size are only set if requested.
CUresult find_variable(SimDevice& sim, const Module& module, const char* name, CUdeviceptr* address,
                       std::size_t* bytes);
/// Returns the function of this name; null if the module has none.
Function* find_function(SimDevice& sim, Module& module, const char* name);
/// Returns the function of an entry of the module's image.
Function& get_function(SimDevice& sim, Module& module, std::uint32_t entry);
/// Invalidates the state of the deprecated launch calls, as a launch by cuLaunchKernel does.
void invalidate_prepared(SimDevice& sim, CUfunction handle);
/// Returns whether grid, block and shared memory are within the device's limits.
bool fits(const CUlaunchConfig& config);
/// Returns whether they are also within the limits of the kernel.
bool fits(const CUlaunchConfig& config, const KernelEntry& kernel);
/// Copies the parameter values from `parameters` or `extra`. Returns false if both are missing.
bool copy_parameters(Launch& launch, const KernelEntry& entry, void** parameters, void** extra);

}  // namespace harness::devices::calls
