// SPDX-License-Identifier: Apache-2.0
// Program: owns every ArgPack and Ndarray until it is deleted or the program goes.
//
// It ends in two steps. ti.reset() finalizes it: then the memory is freed or not, by backend. The
// objects, and the program, go with the last reference: that of get_runtime(), or of a frame that
// has the program in a local (ProgramLocal).
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/argpack/device.h"
#include "targets/argpack/layout.h"

namespace targets::argpack {

class GfxRuntime;
class Policy;
struct Core;

/// Number of holders that want an object to stay, for policies that count references.
class Holders {
 public:
  bool any() const { return count_ > 0; }
  void add() { ++count_; }
  /// Takes a holder away. Returns whether the object is to go with it.
  bool remove() { return --count_ == 0 && doomed_; }
  /// Remembers that the object's deletion was requested.
  void doom() { doomed_ = true; }

 private:
  std::uint32_t count_ = 0;
  bool doomed_ = false;  ///< The object was deleted, and stays for its holders.
};

/// A block of device memory with the scalars of a pack. Ends with its owner, whatever object has
/// its address.
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
  std::uint32_t word_count_ = kArrayWords;  ///< Its shape.
};

/// A kernel as make_launch_context() and compile_kernel() read it.
struct Kernel {
  explicit Kernel(std::uint32_t parameter_count) : parameter_count(parameter_count) {}
  std::uint32_t parameter_count;
};

/// A kernel as launch_kernel() reads it: the parameters in the order in which an unordered map was
/// walked.
struct CompiledKernel {
  explicit CompiledKernel(const Walk& walk) : walk(walk) {}
  Walk walk;
};

/// Ownership: owns its objects, keyed by their own addresses. Borrows the core. Holders of a
/// reference own it; the first is get_runtime()'s. Threads: callers hold the GIL or the core's
/// program lock.
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
  /// Ends the object at the pointer's address, unless the policy keeps it.
  void delete_argpack(const harness::Borrowed<ArgPack>& argpack, std::uint32_t generation);
  void delete_ndarray(const harness::Borrowed<Ndarray>& ndarray, std::uint32_t generation);
  /// Ends the object at this address at once.
  void erase(const harness::Borrowed<ArgPack>& argpack);
  void erase(const harness::Borrowed<Ndarray>& ndarray);

  /// ArgPack::write: through a staging buffer, and waits for the device.
  Status write(const DeviceAllocation& target, std::size_t offset, const void* bytes,
               std::size_t size);
  Status fill(const harness::Borrowed<Ndarray>& ndarray, std::int32_t value);
  /// Waits for what was launched before.
  Status read(const harness::Borrowed<Ndarray>& ndarray, std::span<std::int32_t> words);

  Status compile_kernel(const harness::Borrowed<Kernel>& kernel,
                        harness::Borrowed<CompiledKernel>& compiled);
  Status synchronize();
  /// The device is known to have finished everything that was submitted.
  void finished();
  Status flush();

  /// ti.reset(): ends the memory of what it owns, used or not; on gfx nothing. Kernels are compiled
  /// and launched as before.
  void finalize();
  bool is_finalized() const { return is_finalized_; }
  void refer() { ++references_; }
  /// Takes a reference away. Returns whether it was the last: the caller destroys the program then.
  bool unrefer() { return --references_ == 0; }
  /// Ends everything it owns.
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
  GfxRuntime* gfx_ = nullptr;  ///< Null but on gfx.
  std::pmr::vector<harness::Owned<ArgPack>> argpacks_;
  std::pmr::vector<harness::Owned<Ndarray>> ndarrays_;
  harness::Owned<Kernel> kernel_;
  harness::Owned<CompiledKernel> compiled_;
};

}  // namespace targets::argpack
