// SPDX-License-Identifier: Apache-2.0
// Memory: what the simulated device and its mapped host memory consist of: one address range, cut
// into granules, each of which knows the block that it was last given to. Memory of the host's that
// is registered has blocks, too, at addresses outside of the range: see registrations.h.
//
// New memory is filled with a pattern, so that reading it uninitialised is the same everywhere;
// memory that is given out again keeps its bytes, as it does on a GPU.
//
// Behind the range are views, one for each process that imports: see views.h. Behind these are the
// addresses that programs reserve: see reservations.h.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/lent/lent_memory.h"
#include "harness/devices/sim/limits.h"
#include "harness/devices/sim/memory/registrations.h"
#include "harness/devices/sim/memory/reservations.h"
#include "harness/devices/sim/memory/views.h"
#include "harness/devices/sim/regions/regions.h"
#include "harness/devices/sim/streams/clock.h"
#include "harness/ledger.h"

namespace harness::devices {

class Stream;
struct Context;
struct GraphMemory;
struct Pool;

/// The first `seq` pieces of work of a stream. Without a stream: nothing at all.
struct StreamPoint {
  Stream* stream = nullptr;
  std::uint64_t seq = 0;
};

/// The function that gave a block out, which says which one may take it back. Imported: an IPC
/// mapping. Registered: the host's own memory, at its own address, outside of the range. Physical:
/// memory that is used where it is mapped; mapped: such a place. Array: what a CUDA array holds, at
/// an address that no program is reported. Heap: what a kernel's malloc() gave, which no call
/// takes. Foreign: memory of another process of the run, which is used where an imported block
/// leads to it.
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

/// One life of one piece of memory.
struct Block {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;     ///< The size that was asked for.
  std::uint32_t granules = 0;  ///< The size that was given.
  std::uint32_t previous = 0;  ///< Index of the block that had the storage before; 0 for none.
  bool is_cut = false;         ///< Part of its storage, or all, was given out with other parts.
  bool is_of_parts = false;    ///< It has such parts, and other blocks had those before.
  bool is_shared = false;  ///< Other processes of the run may have it open, or have exported it.
  BirthId birth = BirthId::none;
  BirthId life = BirthId::none;  ///< The life in graph memory, or the last one.
  Origin origin = Origin::device;
  ProcessId process = ProcessId::first;  ///< In whose address space it is.
  unsigned host_flags = 0;               ///< Flags of cuMemHostAlloc, or of cuMemHostRegister.
  /// False until the stream has reached the allocation that recycles storage.
  bool installed = true;
  bool freed = false;          ///< The call that frees it was made.
  bool dead = false;           ///< The stream has reached the free.
  Context* context = nullptr;  ///< The context that ends it; null for pool memory.
  Pool* pool = nullptr;
  GraphMemory* graph = nullptr;  ///< Its record in graphs, which give it many lives.
  StreamPoint given_at;  ///< The allocation, where it recycles storage: no free gets ahead of it.
  StreamPoint freed_at;
  OrderPoint freed_order;
  std::uint32_t use_count = 0;     ///< Number of uses by work; counted where order is judged.
  std::uint32_t exported = 0;      ///< The block whose memory an imported or mapped one is.
  std::uint32_t open_count = 0;    ///< Number of times that an imported block is open.
  std::uint32_t import_count = 0;  ///< Number of processes that map it.
  LentId lent = LentId::none;      ///< Registered memory.
  /// Registered memory that the program has freed: the life of that. None while it is there.
  BirthId lost = BirthId::none;

  /// Returns the life that a story reports: the birth, but for graph memory.
  BirthId story() const { return life != BirthId::none ? life : birth; }
  /// The calls so far say that something lives there, or will.
  bool usable() const { return graph != nullptr ? !freed : !dead; }
  bool holds(std::uint64_t address, std::uint64_t count) const {
    return address - base <= bytes && count <= bytes - (address - base);
  }
};

/// The file that device memory is, for other processes: the byte at `low` is its first.
struct SharedFile {
  int number = -1;
  std::uint64_t low = 0;
};

/// Memory of another process: its addresses there, and where its bytes are.
struct ForeignMemory {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  int file = -1;
  std::uint64_t offset = 0;
};

class Memory;

/// The blocks that stand for memory of other processes, and their mappings.
class ForeignBlocks {
 public:
  explicit ForeignBlocks(Memory& memory) : memory_(memory) {}

  /// Makes device memory a file that other processes can map.
  SharedFile share();
  /// A block that stands for another process's memory, which lives as `birth`. Takes the file.
  std::uint32_t enter(BirthId birth, const ForeignMemory& foreign);
  /// A life for such memory at addresses of this process. 0 when there are none left.
  std::uint32_t map(std::uint32_t index);
  /// No mapping of it will begin again.
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
  /// Blocks of this many bytes begin at a page, as with drivers: programs rely on it.
  static constexpr std::uint64_t kPagedBytes = 64 << 10;
  /// More processes than this cannot import.
  static constexpr std::uint16_t kProcessLimit = 16;

  /// Throws std::runtime_error when the address range cannot be reserved.
  Memory();
  ~Memory() override;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  void begin(Ledger& ledger);
  /// Takes back everything. Cost: linear in what was used.
  void end();

  // ---- blocks; index 0 is "none" ----

  /// A new life in fresh storage, at the current site; once there is none, in that of a block that
  /// has been dead for long. 0 when there is no storage of either kind.
  std::uint32_t allocate(Origin origin, std::uint64_t bytes);
  /// A new life in free storage that begins at `base`: all of a freed block, part of one, or parts
  /// of several. It begins to be found there once it is installed.
  std::uint32_t recycle(std::uint64_t base, Origin origin, std::uint64_t bytes);
  void install(std::uint32_t index);

  /// Storage for lives that begin and end at the same place: nothing lives there yet. In fresh
  /// storage, or in that of `old`. 0 when there is none left.
  std::uint32_t set_apart(std::uint64_t bytes, std::uint32_t old);
  void begin_life(std::uint32_t index);
  /// No life will begin there again.
  void give_up(std::uint32_t index);

  /// The life ends, at the current site.
  void retire(std::uint32_t index);

  /// A life of its own for the block's memory at addresses of `importer`. 0 when an open mapping of
  /// memory that was there before still has the addresses.
  std::uint32_t map(std::uint32_t exported, ProcessId importer);
  /// A life of its own for the block's memory at an address of a reservation.
  std::uint32_t map_at(std::uint64_t address, std::uint32_t physical, std::uint64_t bytes);
  /// Returns the part that is about memory of other processes.
  ForeignBlocks foreign();
  Reservations& reservations() { return reservations_; }
  /// Parts of the blocks that suballocators have given out.
  Regions& regions() { return regions_; }
  /// A life for memory of the host's, of which no part is registered.
  std::uint32_t register_host(std::uint64_t address, std::uint64_t bytes);
  /// The living registration that has a part of [address, address + bytes); 0 for none.
  std::uint32_t registered(std::uint64_t address, std::uint64_t bytes) const {
    return registrations_.empty() ? 0 : registered_in(address, bytes);
  }

  Block& block(std::uint32_t index) { return blocks_[index]; }
  /// The last to be given the granule of `address`, dead or alive; 0 for none.
  std::uint32_t newest(std::uint64_t address) const {
    if (range_.contains(address)) [[likely]]
      return granules_[(address - range_.low) / kGranule];
    return registrations_.find(address);
  }
  /// The one that the device finds at `address` now, dead or alive; 0 for none.
  std::uint32_t installed(std::uint64_t address) const {
    std::uint32_t index = newest(address);
    while (index != 0 && !blocks_[index].installed) index = previous_at(index, address);
    return index;
  }
  /// Returns the first block in [low, high), of those that consist of parts of others, that the
  /// device finds alive there; 0 for none.
  std::uint32_t living_of_parts(std::uint64_t low, std::uint64_t high);
  /// Every block before it is dead.
  std::uint32_t first_alive() {
    while (first_alive_ < blocks_.size() && blocks_[first_alive_].dead) ++first_alive_;
    return first_alive_;
  }
  std::uint32_t block_count() const { return static_cast<std::uint32_t>(blocks_.size()); }

  std::uint64_t used_bytes() const { return used_bytes_; }

  // ---- what provenance asks ----

  BlockRef find(std::uint64_t address) const override;
  AddressRange range() const override { return range_; }

  /// While it lives, find() answers as a call does that copies a pointer: an allocation counts from
  /// the call on. Otherwise as the device does: from when its stream reached it.
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
  /// More of a block than this starts as zeros and does not keep its bytes when freed.
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

  /// A part of a block's storage that another block had before.
  struct Part {
    std::uint32_t block;
    std::uint64_t low;
    std::uint32_t previous;
  };
  const Part& part_at(std::uint32_t index, std::uint64_t address) const;

  AddressRange range_;  ///< The memory, the views of it, and what can be reserved.
  MemoryViews views_;
  Registrations registrations_;
  Reservations reservations_;
  Regions regions_;
  std::uint32_t* granules_ = nullptr;  ///< Index of a block, per granule.
  std::uint64_t cursor_ = 0;           ///< Everything below has been given out.
  std::uint64_t used_bytes_ = 0;
  std::vector<Block> blocks_;
  std::vector<Part> parts_;                         ///< By block and address.
  std::map<std::uint32_t, ForeignMemory> foreign_;  ///< By block.
  std::uint32_t first_alive_ = 0;
  std::uint32_t reclaimed_ = 0;  ///< The last block whose storage was given out for want of fresh.
  Ledger* ledger_ = nullptr;
  bool call_view_ = false;
};

}  // namespace harness::devices
