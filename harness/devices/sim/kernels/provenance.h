// SPDX-License-Identifier: Apache-2.0
// Provenance: may this launch touch this memory? Authority follows the pointer: what a launch may
// touch is what the pointers it was given, and those it has loaded since, meant when they were
// copied.
//
// An access to anything else, or to the same address in a later life, is a fault at the kernel's
// own source line. Kernels are compiled so that each of their accesses calls __prov_*
// (provenance.cpp). Threads: confined to the run's thread. A block dies between two run_block()
// calls, or is freed by the kernel itself, which then calls AccessState::forget().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "harness/crash.h"
#include "harness/devices/sim/kernels/footprint.h"
#include "harness/devices/sim/kernels/launch.h"
#include "harness/devices/sim/kernels/pointer_shadow.h"
#include "harness/ledger.h"

namespace harness::devices {

/// A block of device memory. `alive` is false for one that was freed and whose storage nothing got
/// since.
struct BlockRef {
  BirthId id = BirthId::none;  ///< None where no block is, or was since its storage was last given.
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  bool alive = false;
  ProcessId process = ProcessId::first;  ///< In whose address space it is.
  /// The memory that an open IPC mapping was opened for, or that is registered, once it was freed.
  BirthId lost = BirthId::none;
  BirthId met = BirthId::none;  ///< The life that such a mapping leads to now.
  /// The life that a story reports, if that is another: one of several of the same allocation.
  BirthId life = BirthId::none;
};

/// Reserved addresses as provenance needs to know them: a pointer into a reservation means all that
/// is mapped there.
class ReservationMap {
 public:
  virtual ~ReservationMap() = default;
  /// Returns the first address that can be reserved. All device memory from there on is mapped.
  virtual std::uint64_t low() const = 0;
  /// Returns the reservation that holds `address`, or none.
  virtual BirthId at(std::uint64_t address) const = 0;
  /// Appends the reservation that holds `address`, and what the device has access to there.
  virtual void lives_beside(std::uint64_t address, std::vector<BirthId>& lives) const = 0;
};

/// Device memory as provenance needs to know it. The simulated memory implements it.
class DeviceMemoryMap {
 public:
  virtual ~DeviceMemoryMap() = default;
  /// The block that contains `address`: the living one, else the one that died there last.
  virtual BlockRef find(std::uint64_t address) const = 0;
  /// Every block is in this range, always (mapped host memory too). Fixed within a run.
  virtual AddressRange range() const = 0;
  /// Returns whether the host can write to the block that lives at `address`.
  virtual bool is_hosts(std::uint64_t) const { return false; }
  /// Addresses that are a multiple of this apart are the same memory.
  virtual std::uint64_t period() const { return range().high - range().low; }
  /// Returns what the program calls a life; may be empty.
  virtual std::string_view name_of(BirthId) const { return {}; }
  /// Returns what is known of reserved addresses, or null.
  virtual const ReservationMap* reserved() const { return nullptr; }
};

/// A word of copied bytes that holds a pointer, and whose it was when it was copied.
struct CapturedWord {
  std::uint32_t offset;  ///< In the copied bytes.
  BirthId id;
};
using CapturedWords = std::vector<CapturedWord>;

/// One block that a launch may touch, as long as it lives.
struct Authority {
  std::uint64_t low;
  std::uint64_t high;
  BirthId id;
};

/// An object that a launch has a handle of, a texture or a surface.
struct UsedObject {
  Label kind;
  BirthId id = BirthId::none;  ///< None where the handle names nothing.
  bool alive = false;
  ProcessId process = ProcessId::first;  ///< Its owner.
  BirthId memory = BirthId::none;        ///< The life that it leads to.
};

/// The kinds of object of accesses by pointers that identity by birth does not know, and that lead
/// to living memory nevertheless: one that a kernel clears of a tag, and one that the host has
/// stored since the launch. They are at fault, and continue.
inline constexpr Label kTaggedPointer = "memory by a tagged pointer";
inline constexpr Label kHostsPointer = "memory by a pointer of the host's";

/// The kind of what kernels allocate by themselves.
inline constexpr Label kHeapMemory = "memory of a kernel's malloc()";

class Provenance {
 public:
  Provenance(Ledger& ledger, const DeviceMemoryMap& memory);

  static constexpr std::size_t kPackedBytes = 4096;

  /// A run begins: no launch, no shadow.
  void begin();

  // ---- a call copies values: at the call, not when the work is done ----

  /// Appends to `words` which of the bytes are pointers, and whose. Pointers in packed records,
  /// which begin anywhere, are looked for in the first kPackedBytes.
  void capture(const void* bytes, std::size_t count, CapturedWords& words) const;

  /// Bytes with these words were written to device memory at `target`.
  void wrote(std::uint64_t target, std::span<const CapturedWord> words);

  /// capture() and wrote() in one, for a copy that is done at once.
  void wrote_now(std::uint64_t target, const void* bytes, std::size_t count);

  /// Returns what is known of words, to be told which memory there is besides the device's own.
  PointerShadow& shadow() { return shadow_; }

  /// A copy within device memory. (A memset need not be reported: what it leaves is not a pointer.)
  void copied(std::uint64_t target, std::uint64_t source, std::size_t count) {
    shadow_.carry(target, source, count);
  }

  // ---- a launch ----

  /// Gives `launch` what its own copied parameters point at now.
  void authorise(Launch& launch);

  /// Gives `launch` what its parameters pointed at when they were captured (graph nodes).
  void authorise(Launch& launch, std::span<const CapturedWord> words);

  std::span<const Authority> authorities(AuthorityIndex index) const { return *sets_[raw(index)]; }

  /// For tests of the sanitizers: with `off`, accesses are only handed to the sanitizer of this
  /// build.
  void set_oracle(bool on) { oracle_ = on; }
  bool oracle() const { return oracle_; }

  // ---- what the order of uses asks, of the block that ran last ----

  /// With `bytes`, blocks from now on also leave a footprint.
  void watch(bool bytes) { watching_ = true, watching_bytes_ = bytes; }
  /// An address in each piece of device memory that it used rightly.
  std::span<const std::uint64_t> touched() const { return touched_; }
  Footprint& footprint() { return footprint_; }
  /// Returns the footprint in which accesses are noted, or null when nothing watches.
  Footprint* watched() { return watching_bytes_ ? &footprint_ : nullptr; }
  /// Returns whether the launch may touch this life.
  bool authorised(BirthId id) const {
    return raw(id) < member_of_.size() && member_of_[raw(id)] == current_;
  }

  // ---- what the runner and the callbacks ask ----

  /// A block of `launch` begins; what was said of the block before it is forgotten.
  void begin_block(const Launch& launch);

  /// Judges an access. Records a fault, unless the same one was recorded in this block. Returns the
  /// addresses of which the same can be said without asking again, or nothing if the access is
  /// fatal.
  AddressRange judge(std::uint64_t address, std::uint64_t bytes, std::uintptr_t code);

  /// The launch loads, from a word at `address`, a `value` that is in device memory.
  void loaded_pointer(std::uint64_t address, std::uint64_t value);
  /// The launch stores words: they hold what it had.
  void stored(std::uint64_t address) { shadow_.set_stored(address, launch_->authority); }
  /// The launch copies words, from device memory or from a separate place.
  void stored_copy(std::uint64_t target, std::uint64_t source, std::uint64_t bytes);
  /// Judges the use of an object by its handle, which leads the launch to memory. Returns false,
  /// and has recorded a fault, if the launch must end.
  bool judge_object(const UsedObject& object, std::uintptr_t code);
  /// The launch has begun a life itself, which it may touch.
  void has_begun(BirthId id) { add_authority(id); }
  /// The block fails as a whole: all of its threads wait, or one was ended by a signal, or had no
  /// end, or would end the life `id`, or none, and may not.
  void failed(FaultKind kind, const Crash& how, BirthId id = BirthId::none);

 private:
  /// The lives that a launch may touch. Kept until the run ends, for the words that it stored.
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
  /// The set that a life was last entered in: by birth id, true of the current set.
  std::vector<AuthorityIndex> member_of_;

  const ReservationMap* reserved_ = nullptr;
  std::uint64_t reserved_low_ = ~std::uint64_t{0};  ///< The first address that can be reserved.
  std::vector<BirthId> beside_;                     ///< Scratch.

  CapturedWords scratch_;
  const Launch* launch_ = nullptr;
  std::vector<Reported> reported_;  ///< In this block.

  bool watching_ = false;
  bool watching_bytes_ = false;
  Footprint footprint_;
  std::vector<std::uint64_t> touched_;
  std::uint32_t block_stamp_ = 0;          ///< The stamp of the block that runs.
  std::vector<std::uint32_t> touched_in_;  ///< The last block to touch a life, by birth id.
};

}  // namespace harness::devices
