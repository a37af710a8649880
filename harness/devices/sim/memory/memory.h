// SPDX-License-Identifier: Apache-2.0
// Memory: the simulated device memory and mapped host memory: one address range, divided into
// granules, each of which has the index of the block that it was last given to. Registered host
// memory has blocks, too, at addresses outside of the range; see registrations.h.
//
// New memory is filled with a pattern, so that uninitialised reads give the same value everywhere.
// Reused memory keeps its bytes, as on a GPU.
//
// After the range are views, one for each process that imports (views.h). After these are the
// addresses that programs reserve (reservations.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/lent/lent_memory.h"
#include "harness/devices/sim/limits.h"
#include "harness/devices/sim/memory/registrations.h"
#include "harness/devices/sim/memory/reservations.h"
#include "harness/devices/sim/memory/views.h"
#include "harness/devices/sim/regions/regions.h"
#include "harness/devices/sim/streams/clock.h"

namespace harness::devices {

class Stream;
struct Context;
struct GraphMemory;
struct Pool;

/// The first `seq` pieces of work of a stream. Empty without a stream.
struct StreamPoint {
  Stream* stream = nullptr;
  std::uint64_t seq = 0;
};

/// The function that allocated a block, which determines the one that may free it. Imported: an IPC
/// mapping. Registered: host memory at its own address, outside of the range. Physical: memory that
/// is used through mappings; mapped: such a mapping. Array: the memory of a CUDA array, at an
/// address that programs do not see. Heap: memory from malloc() in a kernel, which no call frees.
/// Foreign: memory of another process of the run, which is used through imported blocks.
enum class Origin : std::uint8_t {
  device,
  managed,
  pinned,
  pool,
  imported,
  graph,
  registered,
  physical,
  mapped,
  array,
  heap,
  foreign
};

/// One lifetime of a piece of memory.
struct Block {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;     ///< The requested size.
  std::uint32_t granules = 0;  ///< The allocated size.
  std::uint32_t previous = 0;  ///< Index of the previous block in the storage; 0 for none.
  bool is_cut = false;         ///< Its storage, or a part of it, was reused together with other
                               ///< parts.
  bool is_of_parts = false;    ///< It consists of such parts, which belonged to other blocks
                               ///< before.
  bool is_shared = false;      ///< Other processes of the run may have opened or exported it.
  BirthId birth = BirthId::none;
  BirthId life = BirthId::none;  ///< The current lifetime in graph memory, or the last one.
  Origin origin = Origin::device;
  ProcessId process = ProcessId::first;  ///< The process in whose address space it is.
  unsigned host_flags = 0;               ///< Flags of cuMemHostAlloc, or of cuMemHostRegister.
  /// False until the stream has reached the allocation that reuses storage.
  bool installed = true;
  bool freed = false;          ///< The freeing call was made.
  bool dead = false;           ///< The stream has reached the free.
  Context* context = nullptr;  ///< The context with which it ends; null for pool memory.
  Pool* pool = nullptr;
  GraphMemory* graph = nullptr;  ///< Its graph memory, which has many lifetimes.
  StreamPoint given_at;          ///< The allocation, if it reuses storage. It precedes every free.
  StreamPoint freed_at;
  OrderPoint freed_order;
  std::uint32_t use_count = 0;     ///< Number of uses by work; counted while races are detected.
  std::uint32_t exported = 0;      ///< The block whose memory an imported or mapped one shows.
  std::uint32_t open_count = 0;    ///< How many times an imported block is open.
  std::uint32_t import_count = 0;  ///< Number of processes that map it.
  LentId lent = LentId::none;      ///< The loan of registered memory.
  /// The lifetime of registered memory that the program has freed; none while it exists.
  BirthId lost = BirthId::none;

  /// Returns the lifetime that a story reports: the birth, except for graph memory.
  BirthId story() const { return life != BirthId::none ? life : birth; }
  /// Returns whether, after the calls so far, an object is or will be alive there.
  bool usable() const { return graph != nullptr ? !freed : !dead; }
  bool holds(std::uint64_t address, std::uint64_t count) const {
    return address - base <= bytes && count <= bytes - (address - base);
  }
};

/// The file that contains device memory, for other processes. Its first byte is at `low`.
struct SharedFile {
  int number = -1;
  std::uint64_t low = 0;
};

/// Memory of another process: its addresses there, and the file with its bytes.
struct ForeignMemory {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  int file = -1;
  std::uint64_t offset = 0;
};

class Memory;

/// The blocks that represent memory of other processes, and their mappings.
class ForeignBlocks {
 public:
  explicit ForeignBlocks(Memory& memory) : memory_(memory) {}

  /// Moves device memory into a file that other processes can map.
  SharedFile share();
  /// Adds a block for another process's memory, whose lifetime is `birth`. Takes the file.
  std::uint32_t enter(BirthId birth, const ForeignMemory& foreign);
  /// Begins a lifetime for such memory at addresses of this process. Returns 0 if none are left.
  std::uint32_t map(std::uint32_t index);
  /// Notes that it will not be mapped again.
  void forget(std::uint32_t index);

 private:
  std::uint32_t place_for(std::uint32_t granules);

  Memory& memory_;
};

/// Ownership: owns the address range, and keeps it from run to run. Threads: the run's thread.
/// Lifetime: indices of blocks are valid for a run; references until the next allocation.
class Memory final : public DeviceMemoryMap {
 public:
  static constexpr std::uint64_t kBytes = kMemoryBytes;
  static constexpr std::uint64_t kGranule = 512;
  static constexpr std::uint64_t kPage = 4096;
  /// Blocks of at least this size begin at a page, as with drivers; programs rely on it.
  static constexpr std::uint64_t kPagedBytes = 64 << 10;
  /// Maximum number of processes that can import.
  static constexpr std::uint16_t kProcessLimit = 16;

  /// Throws std::runtime_error if the address range cannot be reserved.
  Memory();
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void begin(Ledger& ledger);
  /// Releases everything. Cost: linear in the memory that was used.
  void end();

  // ---- blocks; index 0 is "none" ----

  /// Begins a lifetime at the current site in fresh storage or, if none is left, in that of a block
  /// that has been dead for long. Returns 0 if there is neither.
  std::uint32_t allocate(Origin origin, std::uint64_t bytes);
  /// Begins a lifetime in free storage at `base`: all or part of a freed block, or parts of
  /// several. It is found there after install().
  std::uint32_t recycle(std::uint64_t base, Origin origin, std::uint64_t bytes);
  void install(std::uint32_t index);

  /// Allocates storage for repeated lifetimes at the same place; none is alive yet. Uses fresh
  /// storage, or that of `old`. Returns 0 if none is left.
  std::uint32_t set_apart(std::uint64_t bytes, std::uint32_t old);
  void begin_life(std::uint32_t index);
  /// Notes that no further lifetime will begin there.
  void give_up(std::uint32_t index);

  /// Ends the lifetime at the current site.
  void retire(std::uint32_t index);

  /// Begins a separate lifetime for the block's memory at addresses of `importer`. Returns 0 if an
  /// open mapping of earlier memory still has the addresses.
  std::uint32_t map(std::uint32_t exported, ProcessId importer);
  /// Begins a separate lifetime for the block's memory at an address in a reservation.
  std::uint32_t map_at(std::uint64_t address, std::uint32_t physical, std::uint64_t bytes);
  /// Returns the functions for memory of other processes.
  ForeignBlocks foreign();
  Reservations& reservations() { return reservations_; }
  /// Parts of blocks that suballocators have allocated.
  Regions& regions() { return regions_; }
  /// Begins a lifetime for host memory, no part of which may be registered.
  std::uint32_t register_host(std::uint64_t address, std::uint64_t bytes);
  /// Returns the live registration that overlaps [address, address + bytes); 0 for none.
  std::uint32_t registered(std::uint64_t address, std::uint64_t bytes) const {
    return registrations_.empty() ? 0 : registered_in(address, bytes);
  }

  Block& block(std::uint32_t index) { return blocks_[index]; }
  /// Returns the last block that was given the granule of `address`, dead or alive; 0 for none.
  std::uint32_t newest(std::uint64_t address) const {
    if (range_.contains(address)) [[likely]]
      return granules_[(address - range_.low) / kGranule];
    return registrations_.find(address);
  }
  /// Returns the block that the device finds at `address` now, dead or alive; 0 for none.
  std::uint32_t installed(std::uint64_t address) const {
    std::uint32_t index = newest(address);
    while (index != 0 && !blocks_[index].installed) index = previous_at(index, address);
    return index;
  }
  /// Returns the first block in [low, high) that consists of parts of others and is alive for the
  /// device; 0 for none.
  std::uint32_t living_of_parts(std::uint64_t low, std::uint64_t high);
  /// Returns an index before which every block is dead.
  std::uint32_t first_alive() {
    while (first_alive_ < blocks_.size() && blocks_[first_alive_].dead) ++first_alive_;
    return first_alive_;
  }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }

  std::uint64_t used_bytes() const { return used_bytes_; }

  // ---- for provenance ----

  BlockRef find(std::uint64_t address) const override;
  AddressRange range() const override { return range_; }

  /// While it exists, find() uses the view of a call that copies a pointer: an allocation counts
  /// from its call on. Otherwise it uses the view of the device: from when its stream has reached
  /// it.
  class CallView {
   public:
    explicit CallView(Memory& memory) : memory_(memory) { memory_.call_view_ = true; }
    ~CallView() { memory_.call_view_ = false; }
    CallView(const CallView&) = delete;
    CallView& operator=(const CallView&) = delete;

   private:
    Memory& memory_;
  };

 private:
  bool is_hosts(std::uint64_t address) const override;
  std::uint64_t period() const override { return kBytes; }
  const ReservationMap* reserved() const override { return &reservations_; }
  std::string_view name_of(BirthId birth) const override {
    return regions_.empty() ? std::string_view() : regions_.name_of(birth);
  }
  void narrow_to_region(std::uint64_t address, BlockRef& here) const;
  void end_regions(const Block& block);
  /// A larger block starts with zeros after this size, and does not keep those bytes when freed.
  static constexpr std::uint64_t kFilledBytes = std::uint64_t{1} << 20;

  std::uint32_t give(Origin origin, std::uint64_t base, std::uint32_t granules, std::uint64_t bytes,
                     std::uint32_t previous);
  std::uint32_t reclaim(std::uint32_t granules, std::uint64_t alignment);
  std::uint32_t recycle_parts(std::uint64_t base, Origin origin, std::uint64_t bytes);
  std::uint32_t previous_at(std::uint32_t index, std::uint64_t address) const {
    return blocks_[index].is_of_parts ? part_at(index, address).previous : blocks_[index].previous;
  }
  std::uint32_t registered_in(std::uint64_t address, std::uint64_t bytes) const;
  void forget_pages(const Block& block);
  void forget_mapping(const Block& mapping);
  static bool is_alias(const Block& block) {
    return block.origin == Origin::imported || block.origin == Origin::mapped;
  }
  void end_foreign_mapping(const Block& mapping);
  friend class ForeignBlocks;
  void look_through(const Block& mapping, BlockRef& here) const;

  /// A part of a block's storage that belonged to another block before.
  struct Part {
    std::uint32_t block;
    std::uint64_t low;
    std::uint32_t previous;
  };
  const Part& part_at(std::uint32_t index, std::uint64_t address) const;

  AddressRange range_;  ///< The memory, its views, and the reservable addresses.
  MemoryViews views_;
  Registrations registrations_;
  Reservations reservations_;
  Regions regions_;
  std::uint32_t* granules_ = nullptr;  ///< Index of a block, per granule.
  std::uint64_t cursor_ = 0;           ///< Everything below has been allocated.
  std::uint64_t used_bytes_ = 0;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;                         ///< By block and address.
  std::map<std::uint32_t, ForeignMemory> foreign_;  ///< By block.
  std::uint32_t first_alive_ = 0;
  std::uint32_t reclaimed_ = 0;  ///< The last block whose storage was reused because no fresh
                                 ///< storage was left.
  Ledger* ledger_ = nullptr;
  bool call_view_ = false;
};

}  // namespace harness::devices
