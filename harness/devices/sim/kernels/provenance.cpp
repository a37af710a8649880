// SPDX-License-Identifier: Apache-2.0
// How it works. A launch has a set of authorities: the birth ids of the allocations that its
// pointers refer to. An access is allowed if the allocation at the address is in the set. It is
// stale if the address belonged to a freed allocation in the set, and wild if not.
//
// Membership in the current launch's set is a stamp per birth id, so that following thousands of
// pointers takes linear time. Sets outlive their launch, since a stored pointer is resolved only
// when it is loaded.
#include "harness/devices/sim/kernels/provenance.h"

#include "harness/core/fault/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace harness::devices {

Provenance::Provenance(Ledger& ledger, const DeviceMemoryMap& memory)
    : ledger_(ledger), memory_(memory) {
  sets_.push_back(std::make_unique<AuthoritySet>());
}

void Provenance::begin() {
  reserved_ = memory_.reserved();
  reserved_low_ = reserved_ != nullptr ? reserved_->low() : ~std::uint64_t{0};
  shadow_.begin(memory_.range(), memory_.period(), std::min(reserved_low_, memory_.range().high));
  set_count_ = 1;
  current_ = AuthorityIndex::none;
  member_of_.clear();
  launch_ = nullptr;
  reported_.clear();
  watching_ = watching_bytes_ = false;
  touched_.clear();
  touched_in_.clear();
  block_stamp_ = 0;
}

// ---- a call copies values ----------------------------------------------------------------------

static std::uint64_t word_at(const std::byte* bytes) {
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

namespace {

/// Excludes most words quickly when copied bytes are searched for pointers. If all addresses of
/// interest have the same sixth byte, no pointer begins in a word without such a byte.
class PointerFilter {
 public:
  explicit PointerFilter(AddressRange hull)
      : is_of_use_(hull.low >> kSixth == (hull.high - 1) >> kSixth),
        sixth_((hull.low >> kSixth & 0xff) * kOnes) {}

  /// Returns whether a pointer may begin in the word at `word`. It may end in the next word.
  bool may_begin_in(const std::byte* word) const {
    const std::uint64_t alike = alike_in(word_at(word)) | alike_in(word_at(word + 8));
    return !is_of_use_ || (alike & 0x80 * kOnes) != 0;
  }

 private:
  static constexpr unsigned kSixth = 40;  ///< The lowest bit of the sixth byte.
  static constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101;

  /// Returns a word with the highest bit of some byte set, if a byte of `word` equals the sixth
  /// byte.
  std::uint64_t alike_in(std::uint64_t word) const {
    const std::uint64_t differs = word ^ sixth_;
    return (differs - kOnes) & ~differs;
  }

  bool is_of_use_;
  std::uint64_t sixth_;  ///< The sixth byte, eight times.
};

}  // namespace

/// Returns the allocation that `value` points to, if it is in the hull.
BirthId Provenance::pointer_to(std::uint64_t value) const {
  const BlockRef block = memory_.find(value);
  // The pointer does not refer to an earlier mapping at that address, but to the reservation.
  if (!block.alive && value >= reserved_low_) [[unlikely]]
    if (const BirthId reservation = reserved_->at(value); reservation != BirthId::none)
      return reservation;
  return block.id;
}

void Provenance::capture(const void* bytes, std::size_t count, CapturedWords& words) const {
  const auto* from = static_cast<const std::byte*>(bytes);
  const AddressRange hull = shadow_.hull();
  const PointerFilter filter(hull);
  for (std::size_t offset = 0; offset < count; offset += 8) {
    if (offset + 16 <= count && !filter.may_begin_in(from + offset)) [[likely]]
      continue;
    const std::uint64_t value = offset + 8 <= count ? word_at(from + offset) : 0;
    const BirthId id = hull.contains(value) ? pointer_to(value) : BirthId::none;
    if (id != BirthId::none)
      words.push_back({static_cast<std::uint32_t>(offset), id});
    else if (offset < kPackedBytes)
      capture_packed(from, count, offset, words);
  }
}

/// Looks for a pointer that begins inside the word at `word`, which is not itself a pointer.
void Provenance::capture_packed(const std::byte* from, std::size_t count, std::size_t word,
                                CapturedWords& words) const {
  if (word + 9 > count) return;  // Too few bytes are left for a pointer.
  const std::size_t end = std::min(word + 8, count - 7);
  for (std::size_t offset = word + 1; offset < end; ++offset) {
    const std::uint64_t value = word_at(from + offset);
    if (!shadow_.hull().contains(value)) [[likely]]
      continue;
    const BirthId id = pointer_to(value);
    if (id == BirthId::none) continue;
    words.push_back({static_cast<std::uint32_t>(offset), id});
    return;  // At most one pointer begins in a word.
  }
}

void Provenance::wrote(std::uint64_t target, std::span<const CapturedWord> words) {
  for (const CapturedWord& word : words) shadow_.set_captured(target + word.offset, word.id);
}

void Provenance::wrote_now(std::uint64_t target, const void* bytes, std::size_t count) {
  scratch_.clear();
  capture(bytes, count, scratch_);
  wrote(target, scratch_);
}

// ---- authority ---------------------------------------------------------------------------------

void Provenance::fresh_set(Launch& launch) {
  if (set_count_ == sets_.size()) sets_.push_back(std::make_unique<AuthoritySet>());
  launch.authority = static_cast<AuthorityIndex>(set_count_++);
  set_of(launch.authority).clear();
  launch.process = ledger_.scheduler().process();
  current_ = launch.authority;
}

void Provenance::authorise(Launch& launch) {
  scratch_.clear();
  capture(launch.values.data(), launch.values.size(), scratch_);
  authorise(launch, scratch_);
}

void Provenance::authorise(Launch& launch, std::span<const CapturedWord> words) {
  fresh_set(launch);
  for (const CapturedWord& word : words) add_authority(word.id);
}

void Provenance::make_current(AuthorityIndex index) {
  if (index == current_) return;
  current_ = index;
  for (const Authority& authority : set_of(index)) stamp(authority.id);
}

void Provenance::stamp(BirthId id) {
  if (raw(id) >= member_of_.size()) member_of_.resize(raw(id) + 1);
  member_of_[raw(id)] = current_;
}

void Provenance::add_authority(BirthId id) {
  if (authorised(id)) return;
  stamp(id);
  const Life& life = ledger_.life(id);
  set_of(current_).push_back({life.address, life.address + life.bytes, id});
  if (life.address >= reserved_low_ && life.alive) [[unlikely]]
    add_lives_beside(life.address);
}

/// Adds the present mappings in the reservation that holds `address`.
void Provenance::add_lives_beside(std::uint64_t address) {
  beside_.clear();
  reserved_->lives_beside(address, beside_);
  for (const BirthId id : beside_) {
    if (authorised(id)) continue;
    stamp(id);
    const Life& life = ledger_.life(id);
    set_of(current_).push_back({life.address, life.address + life.bytes, id});
  }
}

/// Returns whether the launch may use memory that was mapped at `address` after its authorisation.
bool Provenance::authorised_by_reservation(std::uint64_t address) const {
  return address >= reserved_low_ && authorised(reserved_->at(address));
}

BirthId Provenance::whose(PointerShadow::Entry entry, std::uint64_t value) const {
  if (entry.captured != BirthId::none) {
    const Life& life = ledger_.life(entry.captured);
    return value - life.address < life.bytes ? entry.captured : BirthId::none;
  }
  BirthId dead = BirthId::none;
  for (const Authority& authority : *sets_[raw(entry.stored_by)]) {
    if (value - authority.low >= authority.high - authority.low) continue;
    if (ledger_.alive(authority.id)) return authority.id;
    dead = authority.id;
  }
  return dead;
}

void Provenance::loaded_pointer(std::uint64_t address, std::uint64_t value) {
  const PointerShadow::Entry entry = shadow_.get(address);
  if (entry.captured != BirthId::none ? authorised(entry.captured) : entry.stored_by == current_)
    return;
  const BirthId id = whose(entry, value);
  if (id != BirthId::none) add_authority(id);
}

void Provenance::stored_copy(std::uint64_t target, std::uint64_t source, std::uint64_t bytes) {
  if (!shadow_.covers(target)) return;
  if (shadow_.covers(source)) return shadow_.carry(target, source, bytes);
  for (std::uint64_t word = (target + 7) / 8 * 8; word + 8 <= target + bytes; word += 8)
    stored(word);
}

// ---- checks ------------------------------------------------------------------------------------

void Provenance::begin_block(const Launch& launch) {
  HARNESS_CHECK(launch.authority != AuthorityIndex::none, "a launch is authorised before it runs");
  launch_ = &launch;
  make_current(launch.authority);
  reported_.clear();
  if (!watching_) return;
  touched_.clear();
  ++block_stamp_;
  footprint_.begin();
}

/// Returns the site of the launch's use: where it was captured, if in a graph, or the kernel's
/// name.
Label Provenance::use() const {
  const Label captured = launch_->captured.site;
  return captured.empty() ? Label::of(launch_->entry->name) : captured;
}

/// Returns the member that had `address` and was freed. If there are several, it is the last one
/// that was added.
const Authority* Provenance::died_at(std::uint64_t address) const {
  const AuthoritySet& set = *sets_[raw(current_)];
  for (auto it = set.rbegin(); it != set.rend(); ++it)
    if (address - it->low < it->high - it->low && !ledger_.alive(it->id)) return &*it;
  return nullptr;
}

void Provenance::touch(const BlockRef& block) {
  if (raw(block.id) >= touched_in_.size()) touched_in_.resize(raw(block.id) + 1);
  if (std::exchange(touched_in_[raw(block.id)], block_stamp_) != block_stamp_)
    touched_.push_back(block.base);
}

AddressRange Provenance::judge(std::uint64_t address, std::uint64_t bytes, std::uintptr_t code) {
  const BlockRef here = memory_.find(address);
  const bool inside = here.alive && bytes <= here.bytes - (address - here.base);
  if (here.alive && here.process != launch_->process) [[unlikely]] {  // A peer's address of its own
                                                                      // memory.
    report(FaultKind::wild_access, here.id, BirthId::none, address, bytes, code);
    return {};
  }
  if (here.alive && authorised(here.id)) [[likely]] {
    if (here.lost != BirthId::none) [[unlikely]]
      return judge_lost(here, address, bytes, code);
    if (inside) [[likely]] {
      if (watching_) touch(here);
      return {here.base, here.base + here.bytes};
    }
    report(FaultKind::wild_access, here.id, BirthId::none, address, bytes, code);
    return {};
  }
  if (const Authority* meant = died_at(address)) {
    if (ledger_.serves(meant->id, use())) return {meant->low, meant->high};
    const FaultKind kind = inside ? FaultKind::recycled_use : FaultKind::use_after_free;
    report(kind, meant->id, inside ? here.id : BirthId::none, address, bytes, code);
    if (!inside) return {};
    // Beyond the end of the intended allocation, the same pointer is wild.
    return {std::max(here.base, meant->low),
            std::max(std::min(here.base + here.bytes, meant->high), address + bytes)};
  }
  if (inside && authorised_by_reservation(address)) return {here.base, here.base + here.bytes};
  const Label disguise = !inside                  ? Label()
                         : is_tagged(here)        ? kTaggedPointer
                         : is_known_to_host(here) ? kHostsPointer
                                                  : Label();
  if (!disguise.empty()) {
    report(FaultKind::wild_access, here.id, BirthId::none, address, bytes, code, disguise);
    return {here.base, here.base + here.bytes};
  }
  const bool dead = here.id != BirthId::none && !here.alive;
  report(dead ? FaultKind::use_after_free : FaultKind::wild_access,
         here.life != BirthId::none ? here.life : here.id, BirthId::none, address, bytes, code);
  return {};
}

/// Returns whether a parameter would point to the block without its top bits, which no address has.
bool Provenance::is_tagged(const BlockRef& block) const {
  constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;
  const std::vector<std::byte>& values = launch_->values;
  for (std::size_t offset = 0; offset + 8 <= values.size(); offset += 8) {
    const std::uint64_t value = word_at(values.data() + offset);
    if (value > kAddress && (value & kAddress) - block.base < block.bytes) return true;
  }
  return false;
}

/// Returns whether memory that the launch may use, and the host can write, holds a pointer to the
/// block.
bool Provenance::is_known_to_host(const BlockRef& block) const {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  for (const Authority& authority : *sets_[raw(current_)]) {
    const BlockRef there = memory_.find(authority.low);
    if (!there.alive || there.bytes > kMostBytes || !memory_.is_hosts(there.base)) continue;
    const auto* words = reinterpret_cast<const std::byte*>(there.base);
    for (std::uint64_t offset = 0; offset + 8 <= there.bytes; offset += 8)
      if (word_at(words + offset) - block.base < block.bytes) return true;
  }
  return false;
}

/// Reports an access through an open mapping to memory that its exporter has freed.
AddressRange Provenance::judge_lost(const BlockRef& mapping, std::uint64_t address,
                                    std::uint64_t bytes, std::uintptr_t code) {
  if (ledger_.serves(mapping.lost, use())) return {mapping.base, mapping.base + mapping.bytes};
  const bool inside =
      address - mapping.base < mapping.bytes && bytes <= mapping.bytes - (address - mapping.base);
  const bool recycled = inside && mapping.met != BirthId::none;
  report(recycled ? FaultKind::recycled_use : FaultKind::use_after_free, mapping.lost,
         recycled ? mapping.met : BirthId::none, address, bytes, code);
  if (!recycled) return {};
  return {mapping.base, mapping.base + mapping.bytes};
}

/// Fills in the launch that a result belongs to, and where its parameters were copied.
void Provenance::tell_launch(Fault& fault, std::uintptr_t code) const {
  fault.use_site = Label::of(launch_->entry->name);
  fault.activation = launch_->activation;
  fault.code = code;
  fault.captured = launch_->captured.activation;
  fault.captured_at = launch_->captured.site;
  if (!launch_->captured.site.empty())
    fault.detail += fmt::format("{}parameters copied in {}", fault.detail.empty() ? "" : "; ",
                                launch_->captured.site.view());
}

/// Returns the kind that is reported. All device memory is the same for a kernel, except for graph
/// memory (which has addresses without an allocation), arrays (which have no address), and memory
/// that a kernel allocated.
static Label reported_kind(Label kind) {
  constexpr Label kOfItself[] = {"graph memory", "CUDA array", kHeapMemory};
  if (kind.view().starts_with("memory region")) return kind;  // A suballocator's region.
  return std::ranges::find(kOfItself, kind) != std::end(kOfItself) ? kind : Label("device memory");
}

bool Provenance::judge_object(const UsedObject& object, std::uintptr_t code) {
  const bool is_known = object.id != BirthId::none && object.process == launch_->process;
  if (is_known && (object.alive || ledger_.serves(object.id, use()))) {
    add_authority(object.memory);
    return true;
  }
  Fault fault = ledger_.describe(is_known ? FaultKind::use_after_free : FaultKind::wild_access,
                                 is_known ? object.id : BirthId::none);
  fault.fatal = true;
  fault.object_kind = object.kind;
  if (!is_known) fault.detail = "not a handle that the driver gave out";
  tell_launch(fault, code);
  ledger_.scheduler().history().add(std::move(fault));
  return false;
}

void Provenance::report(FaultKind kind, BirthId id, BirthId met, std::uint64_t address,
                        std::uint64_t bytes, std::uintptr_t code, Label object) {
  for (const Reported& known : reported_)
    if (known.kind == kind && known.id == id) return;
  reported_.push_back({kind, id});
  Fault fault = ledger_.describe(kind, id);
  fault.fatal = kind != FaultKind::recycled_use && object.empty();
  fault.object_kind = object.empty() ? reported_kind(fault.object_kind) : object;
  const auto offset_in = [&](BirthId life) {
    return (address - ledger_.life(life).address) % memory_.period();
  };
  if (met != BirthId::none) fault.recycler = ledger_.life(met).name;
  if (id != BirthId::none)
    fault.detail = fmt::format("{} bytes at offset {}", bytes, offset_in(id));
  if (id != BirthId::none && met != BirthId::none && offset_in(met) != offset_in(id))
    fault.detail += fmt::format(", which is offset {} of what it meets", offset_in(met));
  if (const std::string_view name = memory_.name_of(id); !name.empty())
    fault.detail += fmt::format("{}named '{}'", fault.detail.empty() ? "" : "; ", name);
  tell_launch(fault, code);
  ledger_.scheduler().history().add(std::move(fault));
}

void Provenance::failed(FaultKind kind, const Crash& how, BirthId id) {
  HARNESS_CHECK(ledger_.scheduler().history().counts(kind) || kind != FaultKind::crash,
                "a path whose kernels crash does not leave out the oracle `crash`");
  Fault fault = ledger_.describe(kind, id);
  fault.fatal = true;
  fault.object_kind = how.signal;
  fault.use_site = Label::of(launch_->entry->name);
  fault.activation = launch_->activation;
  fault.code = how.code;
  fault.detail = how.words;
  ledger_.scheduler().history().add(std::move(fault));
}

}  // namespace harness::devices
