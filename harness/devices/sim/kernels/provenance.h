// SPDX-License-Identifier: Apache-2.0
// Provenance: decides whether a launch may access memory. Authority follows the pointer: a launch
// may access the objects that its pointer parameters, and pointers that it has loaded since,
// referred to when they were copied.
//
// Any other access, or one to the same address in a later lifetime, is a fault at the source line
// of the kernel. Kernels are compiled so that each access calls __prov_* (provenance.cpp). Threads:
// confined to the run's thread. A block ends between two run_block() calls, or is freed by the
// kernel itself, which then calls AccessState::forget().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/crash/crash.h"
#include "harness/core/ledger/ledger.h"
#include "harness/devices/sim/kernels/footprint.h"
#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/pointer_shadow.h"

namespace harness::devices {

/// A block of device memory. `alive` is false for a freed block whose storage was not reused.
struct BlockRef {
  BirthId id = BirthId::none;  ///< None if there is no block, and none since the storage was last
                               ///< allocated.
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  bool alive = false;
  ProcessId process = ProcessId::first;  ///< The process in whose address space it is.
  /// Set if the target of an open IPC mapping or a registration was freed: that memory.
  BirthId lost = BirthId::none;
  BirthId met = BirthId::none;  ///< The lifetime to which such a mapping leads now.
  /// The lifetime that a story reports, if it differs: one of several of the same allocation.
  BirthId life = BirthId::none;
};

/// Reserved addresses, as provenance needs them: a pointer into a reservation refers to everything
/// that is mapped there.
class ReservationMap {
 public:
  virtual ~ReservationMap() = default;
  /// Returns the first reservable address. All device memory from there on is mapped.
  virtual std::uint64_t low() const = 0;
  /// Returns the reservation that contains `address`, or none.
  virtual BirthId at(std::uint64_t address) const = 0;
  /// Appends the reservation that contains `address`, and all accessible mappings in it.
  virtual void lives_beside(std::uint64_t address, std::vector<BirthId>& lives) const = 0;
};

/// Device memory, as provenance needs it. The simulated memory implements this.
class DeviceMemoryMap {
 public:
  virtual ~DeviceMemoryMap() = default;
  /// Returns the block that contains `address`: the live one, else the last that died there.
  virtual BlockRef find(std::uint64_t address) const = 0;
  /// Returns a range that always contains every block (including mapped host memory). Fixed within
  /// a run.
  virtual AddressRange range() const = 0;
  /// Returns whether the host can write to the live block at `address`.
  virtual bool is_hosts(std::uint64_t) const { return false; }
  /// Returns the period: addresses that differ by a multiple of it are the same memory.
  virtual std::uint64_t period() const { return range().high - range().low; }
  /// Returns the program's name for a lifetime; may be empty.
  virtual std::string_view name_of(BirthId) const { return {}; }
  /// Returns the reserved addresses, or null.
  virtual const ReservationMap* reserved() const { return nullptr; }
};

/// A word of copied bytes that contains a pointer, and the object it referred to at the copy.
struct CapturedWord {
  std::uint32_t offset;  ///< Offset in the copied bytes.
  BirthId id;
};
using CapturedWords = std::vector<CapturedWord>;

/// A block that a launch may access while it is alive.
struct Authority {
  std::uint64_t low;
  std::uint64_t high;
  BirthId id;
};

/// A texture or surface whose handle a launch has.
struct UsedObject {
  Label kind;
  BirthId id = BirthId::none;  ///< None if there is no such object.
  bool alive = false;
  ProcessId process = ProcessId::first;  ///< Its owner.
  BirthId memory = BirthId::none;        ///< The lifetime of its memory.
};

/// Kinds of objects for illegal accesses by pointers to live memory that the shadow does not know:
/// a pointer from which the kernel has removed a tag, and one that the host has stored since the
/// launch. They are faults, but the kernel continues.
inline constexpr Label kTaggedPointer = "memory by a tagged pointer";
inline constexpr Label kHostsPointer = "memory by a pointer of the host's";

/// The kind of memory that kernels allocate themselves.
inline constexpr Label kHeapMemory = "memory of a kernel's malloc()";

class Provenance {
 public:
  Provenance(Ledger& ledger, const DeviceMemoryMap& memory);

  static constexpr std::size_t kPackedBytes = 4096;

  /// Begins a run, without launches and with an empty shadow.
  void begin();

  // ---- a call copies values: effective at the call, not when the work is done ----

  /// Appends to `words` the positions and objects of pointers in the bytes. Pointers in packed
  /// records, which may be unaligned, are only searched in the first kPackedBytes.
  void capture(const void* bytes, std::size_t count, CapturedWords& words) const;

  /// Notes that bytes with these words were written to device memory at `target`.
  void wrote(std::uint64_t target, std::span<const CapturedWord> words);

  /// Combines capture() and wrote(), for a copy that is done immediately.
  void wrote_now(std::uint64_t target, const void* bytes, std::size_t count);

  /// Returns the shadow, to which other memory of the device can be added.
  PointerShadow& shadow() { return shadow_; }

  /// Notes a copy within device memory. (A memset need not be reported, because it leaves no
  /// pointers.)
  void copied(std::uint64_t target, std::uint64_t source, std::size_t count) {
    shadow_.carry(target, source, count);
  }

  // ---- a launch ----

  /// Authorises `launch` for the present objects of the pointers among its parameters.
  void authorise(Launch& launch);

  /// Authorises `launch` for the objects of its pointers when they were captured (graph nodes).
  void authorise(Launch& launch, std::span<const CapturedWord> words);

  std::span<const Authority> authorities(AuthorityIndex index) const { return *sets_[raw(index)]; }

  /// With `on` false, accesses are only passed to the sanitizer of this build. For tests of the
  /// sanitizers.
  void set_oracle(bool on) { oracle_ = on; }
  bool oracle() const { return oracle_; }

  // ---- data for the race detector, about the block that ran last ----

  /// Makes later blocks record the memory that they touch and, with `bytes`, their footprint.
  void watch(bool bytes) { watching_ = true, watching_bytes_ = bytes; }
  /// Returns an address in each piece of device memory that it used legally.
  std::span<const std::uint64_t> touched() const { return touched_; }
  Footprint& footprint() { return footprint_; }
  /// Returns the footprint in which accesses are recorded, or null if none is.
  Footprint* watched() { return watching_bytes_ ? &footprint_ : nullptr; }
  /// Returns whether the launch may access this lifetime.
  bool authorised(BirthId id) const {
    return raw(id) < member_of_.size() && member_of_[raw(id)] == current_;
  }

  // ---- for the runner and the callbacks ----

  /// Begins a block of `launch`, and discards the records of the previous one.
  void begin_block(const Launch& launch);

  /// Checks an access. Records a fault, unless the same one was recorded in this block. Returns a
  /// range of addresses with the same result, so that they need not be checked again; empty if the
  /// access is fatal.
  AddressRange judge(std::uint64_t address, std::uint64_t bytes, std::uintptr_t code);

  /// Notes that the launch loads a `value` in device memory from a word at `address`.
  void loaded_pointer(std::uint64_t address, std::uint64_t value);
  /// Notes that the launch stores a word, which may contain any of its pointers.
  void stored(std::uint64_t address) { shadow_.set_stored(address, launch_->authority); }
  /// Notes that the launch copies words, from device memory or elsewhere.
  void stored_copy(std::uint64_t target, std::uint64_t source, std::uint64_t bytes);
  /// Checks the use of an object by its handle, which gives the launch access to memory. Returns
  /// false, after recording a fault, if the launch must end.
  bool judge_object(const UsedObject& object, std::uintptr_t code);
  /// Notes that the launch itself has begun a lifetime, which it may access.
  void has_begun(BirthId id) { add_authority(id); }
  /// Records the failure of a whole block: all its threads wait, or one was ended by a signal, does
  /// not end, or illegally frees `id` (or nothing).
  void failed(FaultKind kind, const Crash& how, BirthId id = BirthId::none);

 private:
  /// The lifetimes that a launch may access. Kept until the run ends, for the words that it stored.
  using AuthoritySet = std::vector<Authority>;

  struct Reported {
    FaultKind kind;
    BirthId id;
  };

  AuthoritySet& set_of(AuthorityIndex index) { return *sets_[raw(index)]; }
  BirthId pointer_to(std::uint64_t value) const;
  void capture_packed(const std::byte* from, std::size_t count, std::size_t word,
                      CapturedWords& words) const;
  void fresh_set(Launch& launch);
  void make_current(AuthorityIndex index);
  void touch(const BlockRef& block);
  void stamp(BirthId id);
  void add_authority(BirthId id);
  BirthId whose(PointerShadow::Entry entry, std::uint64_t value) const;
  Label use() const;
  const Authority* died_at(std::uint64_t address) const;
  void add_lives_beside(std::uint64_t address);
  bool authorised_by_reservation(std::uint64_t address) const;
  AddressRange judge_lost(const BlockRef& mapping, std::uint64_t address, std::uint64_t bytes,
                          std::uintptr_t code);
  bool is_tagged(const BlockRef& block) const;
  bool is_known_to_host(const BlockRef& block) const;
  void tell_launch(Fault& fault, std::uintptr_t code) const;
  void report(FaultKind kind, BirthId id, BirthId met, std::uint64_t address, std::uint64_t bytes,
              std::uintptr_t code, Label object = {});

  Ledger& ledger_;
  const DeviceMemoryMap& memory_;
  PointerShadow shadow_;
  bool oracle_ = true;

  std::vector<std::unique_ptr<AuthoritySet>> sets_;  ///< [0] is "none". Kept from run to run.
  std::uint32_t set_count_ = 1;
  AuthorityIndex current_ = AuthorityIndex::none;
  /// By birth id, the last set that contains the lifetime. Complete for the current set.
  std::vector<AuthorityIndex> member_of_;

  const ReservationMap* reserved_ = nullptr;
  std::uint64_t reserved_low_ = ~std::uint64_t{0};  ///< The first reservable address.
  std::vector<BirthId> beside_;                     ///< Scratch.

  CapturedWords scratch_;
  const Launch* launch_ = nullptr;
  std::vector<Reported> reported_;  ///< Faults reported in this block.

  bool watching_ = false;
  bool watching_bytes_ = false;
  Footprint footprint_;
  std::vector<std::uint64_t> touched_;
  std::uint32_t block_stamp_ = 0;          ///< The stamp of the running block.
  std::vector<std::uint32_t> touched_in_;  ///< By birth id, the stamp of the last block that
                                           ///< touched the lifetime.
};

}  // namespace harness::devices
