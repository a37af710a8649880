// SPDX-License-Identifier: Apache-2.0
// Program: owns every ArgPack and Ndarray until it is deleted or the program is destroyed.
//
// It ends in two steps. ti.reset() finalizes it; the backend decides whether this frees memory. The
// objects and the program are destroyed with the last reference: that of get_runtime(), or of a
// frame that has the program in a local (ProgramLocal).
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/argpack/device.h"
#include "targets/argpack/layout.h"

namespace targets::argpack {

class GfxRuntime;
class Policy;
struct Core;

/// Number of an object's holders, for policies that count references.
class Holders {
 public:
  bool any() const { return count_ > 0; }
  void add() { ++count_; }
  /// Removes a holder. Returns whether the object is to be deleted now.
  bool remove() { return --count_ == 0 && doomed_; }
  /// Remembers that the object's deletion was requested.
  void doom() { doomed_ = true; }

 private:
  std::uint32_t count_ = 0;
  bool doomed_ = false;  ///< Deletion was requested while there were holders.
};

/// A block of device memory with the scalars of a pack. Its allocation ends with the owner, even if
/// another object has the id by then.
class ArgPack {
 public:
  ArgPack(const DeviceAllocation& allocation, std::uint32_t depth)
      : allocation_(allocation), depth_(depth) {}
  ~ArgPack() { allocation_.device->deallocate(allocation_); }
  ArgPack(const ArgPack&) = delete;  // One object, one allocation.
  ArgPack& operator=(const ArgPack&) = delete;

  const DeviceAllocation& allocation() const { return allocation_; }
  void adopted_as(harness::BirthId self) { allocation_.device->adopt(allocation_, self); }
  Holders& holders() { return holders_; }
  std::uint32_t depth() const { return depth_; }

 private:
  DeviceAllocation allocation_;
  Holders holders_;
  std::uint32_t depth_;
};

/// A block of device memory with the elements of an array.
class Ndarray {
 public:
  explicit Ndarray(const DeviceAllocation& allocation) : allocation_(allocation) {}
  ~Ndarray() { allocation_.device->deallocate(allocation_); }
  Ndarray(const Ndarray&) = delete;  // One object, one allocation.
  Ndarray& operator=(const Ndarray&) = delete;

  const DeviceAllocation& allocation() const { return allocation_; }
  void adopted_as(harness::BirthId self) { allocation_.device->adopt(allocation_, self); }
  Holders& holders() { return holders_; }
  std::uint32_t word_count() const { return word_count_; }

 private:
  DeviceAllocation allocation_;
  Holders holders_;
  std::uint32_t word_count_ = kArrayWords;  ///< Shape of the array.
};

/// A kernel as read by make_launch_context() and compile_kernel().
struct Kernel {
  explicit Kernel(std::uint32_t parameter_count) : parameter_count(parameter_count) {}
  std::uint32_t parameter_count;
};

/// A kernel as read by launch_kernel(): its parameters in the iteration order of an unordered
/// map.
struct CompiledKernel {
  explicit CompiledKernel(const Walk& walk) : walk(walk) {}
  Walk walk;
};

/// Ownership: owns its objects, keyed by their own addresses. Borrows the core. Shared by its
/// references; the first is get_runtime()'s. Threads: callers hold the GIL or the core's program
/// lock.
class Program {
 public:
  Program(Core& core, std::uint32_t generation);
  Program(const Program&) = delete;  // The device points into it.
  Program& operator=(const Program&) = delete;

  std::uint32_t generation() const { return generation_; }
  harness::Borrowed<Kernel> kernel() const { return kernel_.borrow(); }

  Status create_argpack(std::uint32_t depth, const PackBlock& block,
                        harness::Borrowed<ArgPack>& created);
  Status create_ndarray(std::int32_t value, harness::Borrowed<Ndarray>& created);
  /// Deletes the object that is now at the pointer's address, unless the policy keeps it.
  void delete_argpack(const harness::Borrowed<ArgPack>& argpack, std::uint32_t generation);
  void delete_ndarray(const harness::Borrowed<Ndarray>& ndarray, std::uint32_t generation);
  /// Deletes the object at this address at once.
  void erase(const harness::Borrowed<ArgPack>& argpack);
  void erase(const harness::Borrowed<Ndarray>& ndarray);

  /// ArgPack::write: writes through a staging buffer and waits for the device.
  Status write(const DeviceAllocation& target, std::size_t offset, const void* bytes,
               std::size_t size);
  Status fill(const harness::Borrowed<Ndarray>& ndarray, std::int32_t value);
  /// Waits for all earlier launches.
  Status read(const harness::Borrowed<Ndarray>& ndarray, std::span<std::int32_t> words);

  Status compile_kernel(const harness::Borrowed<Kernel>& kernel,
                        harness::Borrowed<CompiledKernel>& compiled);
  Status synchronize();
  /// Called when the device is known to have finished all submitted work.
  void finished();
  Status flush();

  /// ti.reset(): frees the memory of all its objects, used or not; on gfx, nothing. Kernels can
  /// still be compiled and launched.
  void finalize();
  bool is_finalized() const { return is_finalized_; }
  void refer() { ++references_; }
  /// Removes a reference. Returns whether it was the last; if so, the caller destroys the program.
  bool unrefer() { return --references_ == 0; }
  /// Destroys all its objects.
  void destroy();

  Device& device() { return *device_; }
  std::size_t object_count() const { return argpacks_.size() + ndarrays_.size(); }
  GfxRuntime* gfx() { return gfx_; }

 private:
  template <class T>
  void destroy(std::pmr::vector<harness::Owned<T>>& objects);
  template <class T>
  void remove(std::pmr::vector<harness::Owned<T>>& objects, const harness::Borrowed<T>& pointer,
              std::uint32_t generation);
  template <class T>
  void end(std::pmr::vector<harness::Owned<T>>& objects, std::size_t index);

  Core& core_;
  std::uint32_t generation_;
  std::uint32_t references_ = 1;
  bool is_finalized_ = false;
  Device* device_;
  GfxRuntime* gfx_ = nullptr;  ///< Null on other backends.
  std::pmr::vector<harness::Owned<ArgPack>> argpacks_;
  std::pmr::vector<harness::Owned<Ndarray>> ndarrays_;
  harness::Owned<Kernel> kernel_;
  harness::Owned<CompiledKernel> compiled_;
};

}  // namespace targets::argpack
