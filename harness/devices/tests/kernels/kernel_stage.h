// SPDX-License-Identifier: Apache-2.0
// KernelStage: device memory and a runner of kernels, without a driver.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "harness/base/sanitizers/sanitizers.h"
#include "harness/core/tests/run_tasks.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/kernels/runner.h"

namespace harness::testing {

using devices::BlockEnding;

/// Device memory: blocks one after another, or in the storage of a dead one.
class ToyMemory final : public devices::DeviceMemoryMap {
 public:
  static constexpr std::uint64_t kBytes = std::uint64_t{64} << 20;

  explicit ToyMemory(Ledger& ledger) : ledger_(ledger) {
    void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HARNESS_CHECK(memory != MAP_FAILED, "memory for a test");
    base_ = reinterpret_cast<std::uint64_t>(memory);
    cursor_ = base_ + 4096;
  }
  ~ToyMemory() override {
    unpoison(reinterpret_cast<void*>(base_), kBytes);
    munmap(reinterpret_cast<void*>(base_), kBytes);
  }

  /// A block in fresh storage, at the site "allocate".
  template <class T = std::uint32_t>
  T* allocate(std::size_t count) {
    cursor_ = (cursor_ + sizeof(T) * count + 511) / 256 * 256;
    return static_cast<T*>(
        born(cursor_ - (sizeof(T) * count + 255) / 256 * 256, sizeof(T) * count));
  }
  /// A block where `dead` was.
  void* allocate_at(const void* dead, std::size_t bytes) { return born(address_of(dead), bytes); }

  void free(const void* pointer) {
    devices::BlockRef& block = blocks_[index_of(address_of(pointer))];
    const SiteScope site(ledger_.scheduler(), "free");
    ledger_.died(block.id);
    block.alive = false;
    poison(pointer, block.bytes);
  }

  BirthId id(const void* pointer) const { return find(address_of(pointer)).id; }

  devices::BlockRef find(std::uint64_t address) const override {
    const std::size_t index = index_of(address);
    return index < blocks_.size() ? blocks_[index] : devices::BlockRef{};
  }
  devices::AddressRange range() const override { return {base_, base_ + kBytes}; }

 private:
  static std::uint64_t address_of(const void* pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
  }
  std::size_t index_of(std::uint64_t address) const {
    if (last_ < blocks_.size() && address - blocks_[last_].base < blocks_[last_].bytes &&
        newest_[last_])
      return last_;
    for (std::size_t i = blocks_.size(); i-- > 0;)
      if (address - blocks_[i].base < blocks_[i].bytes) return last_ = i;
    return blocks_.size();
  }
  void* born(std::uint64_t base, std::size_t bytes) {
    const SiteScope site(ledger_.scheduler(), "allocate");
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      newest_[i] = newest_[i] && base - blocks_[i].base >= blocks_[i].bytes;
    auto* memory = reinterpret_cast<void*>(base);
    unpoison(memory, bytes);
    blocks_.push_back({ledger_.born("block", base, bytes), base, bytes, true});
    newest_.push_back(true);
    return memory;
  }

  Ledger& ledger_;
  std::uint64_t base_;
  std::uint64_t cursor_;
  std::vector<devices::BlockRef> blocks_;
  std::vector<bool> newest_;  ///< Nothing was born where this block begins since.
  mutable std::size_t last_ = 0;
};

/// Everything that a launch needs.
struct KernelStage {
  KernelStage() {
    stage.begin(plain);
    provenance.begin();
  }

  static const KernelEntry& entry(const KernelImage& image, std::string_view name) {
    for (std::uint32_t i = 0; i < image.entry_count; ++i)
      if (image.entries[i].name == name) return image.entries[i];
    HARNESS_CHECK(false, "a kernel of that name");
    std::abort();
  }

  /// Copies the parameters and captures what they point at, as a launch call does.
  template <class... Parameters>
  void submit(const KernelImage& image, std::string_view name, devices::Dim3 grid,
              devices::Dim3 block, Parameters... parameters) {
    void* const pointers[] = {&parameters..., nullptr};
    launch.prepare(entry(image, name), pointers);
    launch.grid = grid;
    launch.block = block;
    launch.shared_bytes = 0;
    launch.activation = 42;
    provenance.authorise(launch);
  }

  /// Runs all blocks. Returns how the last one ended.
  BlockEnding run() {
    BlockEnding ending = BlockEnding::finished;
    for (std::uint64_t i = 0; i < launch.block_count(); ++i) ending = runner.run_block(launch, i);
    return ending;
  }

  template <class... Parameters>
  BlockEnding run(const KernelImage& image, std::string_view name, devices::Dim3 grid,
                  devices::Dim3 block, Parameters... parameters) {
    submit(image, name, grid, block, parameters...);
    return run();
  }

  const std::vector<Fault>& faults() const { return stage.history.faults(); }

  Plain plain;
  Stage stage;
  ToyMemory memory{stage.ledger};
  devices::Provenance provenance{stage.ledger, memory};
  devices::KernelRunner runner{provenance};
  devices::Launch launch;
};

}  // namespace harness::testing

extern "C" const harness::KernelImage afterlife_kernels_stale;
extern "C" const harness::KernelImage afterlife_kernels_pointers;
extern "C" const harness::KernelImage afterlife_kernels_blocks;
