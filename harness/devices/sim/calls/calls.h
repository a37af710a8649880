// SPDX-License-Identifier: Apache-2.0
// Calls: the functions of the simulated driver, one per row of cuda.def, and helpers that several
// of them share.
//
// Errors: the documented status codes. What the documentation leaves undefined is a fault.
#pragma once

#include <string>

#include "harness/cuda.h"
#include "harness/devices/sim/found.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices::calls {

/// The entry points, one for each row of cuda.def.
struct Calls {
  SimDevice& sim;

#define CUDA_ROW(name, base, since, flavour, needs, turn, failure, parameters, arguments) \
  CUresult name parameters;
#include "harness/cuda.def"
};

/// Launches a kernel whose body is a function of the program's. It is ours: cuda.def has no row of
/// it.
CUresult launch_host_work(SimDevice& sim, CUstream on, const HostWorkLaunch& given);

/// The kind of object that faults of addresses report.
inline constexpr Label kDeviceMemory = "device memory";
inline constexpr Label kArrayKind = "CUDA array";
inline constexpr Label kMipmappedArrayKind = "mipmapped CUDA array";

/// Finds the stream that `handle` names for the calling thread.
Found<Stream> find_stream(SimDevice& sim, CUstream handle);
/// Finds it for a call that gives the stream work, or waits for it: captures may forbid that.
Found<Stream> find_work_stream(SimDevice& sim, CUstream handle);
/// Finds it for a call that a stream that captures does not allow.
Found<Stream> find_uncaptured_stream(SimDevice& sim, CUstream handle);

/// Finds a context that lives; null means the current one.
CUresult context_or_current(SimDevice& sim, CUcontext handle, Context*& context);
/// Returns the value of a device attribute; 0 for what the device does not have.
int attribute_value(CUdevice_attribute attribute);
/// Returns whether texels of a format can be read: NOT_SUPPORTED for one that cuda.h has as well.
CUresult check_format(CUarray_format channel, unsigned channel_count);
/// Returns whether a context can have the flags.
bool are_context_flags(unsigned flags);
bool is_cache_config(CUfunc_cache config);

/// The block that holds [address, address + bytes) and lives; otherwise a fault, and 0.
std::uint32_t find_block(SimDevice& sim, std::uint64_t address, std::uint64_t bytes);

/// Gives out memory in fresh storage, or in that of memory of the same origin that was freed. 0
/// when there is none.
std::uint32_t give_out(SimDevice& sim, Origin origin, std::uint64_t bytes);

/// Waits for what the context has in flight, or leaves it at that: no document promises either.
void may_wait(SimDevice& sim, Context& context);

/// Frees at once, whatever is in flight. The block was checked.
void free_now(SimDevice& sim, std::uint32_t block);

/// The block that starts at `address` and that no call has freed; otherwise a fault, and 0.
std::uint32_t find_freeable(SimDevice& sim, std::uint64_t address);

/// Finds whose memory `address` is. What the driver does not know is the host's, if that may be.
CUresult find_place(SimDevice& sim, std::uint64_t address, std::uint64_t bytes, bool may_be_host,
                    Place& place);

/// Finds what a CUfunction, or a CUkernel in its place, names. It lives as long as its module.
Function* find_function(SimDevice& sim, CUfunction handle);
/// Finds the kernels that an image stands for.
ImageFound find_image(const void* image);
/// Reads an image from a file. Returns what the documentation says where that cannot be.
CUresult read_image(const char* file, std::string& image);
/// Gives the variables of a module's image memory of the device, with what they hold at first.
CUresult give_variables(SimDevice& sim, Module& module);
/// Takes it back, once what was launched is done.
void take_variables(SimDevice& sim, Module& module);
/// Finds a variable of a module by its name; for what is wanted of address and size.
CUresult find_variable(SimDevice& sim, const Module& module, const char* name, CUdeviceptr* address,
                       std::size_t* bytes);
/// The function of this name; null when the module has none.
Function* find_function(SimDevice& sim, Module& module, const char* name);
/// The function of an entry of the module's image.
Function& get_function(SimDevice& sim, Module& module, std::uint32_t entry);
/// A launch by cuLaunchKernel invalidates what the deprecated calls set up.
void invalidate_prepared(SimDevice& sim, CUfunction handle);
/// Grid, block and shared memory are within the device's limits.
bool fits(const CUlaunchConfig& config);
/// They are also within what the kernel itself says.
bool fits(const CUlaunchConfig& config, const KernelEntry& kernel);
/// Copies the values that either names. Returns false when neither does.
bool copy_parameters(Launch& launch, const KernelEntry& entry, void** parameters, void** extra);

}  // namespace harness::devices::calls
