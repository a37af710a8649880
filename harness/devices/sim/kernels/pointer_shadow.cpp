// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/kernels/pointer_shadow.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "harness/base/memory.h"

namespace harness::devices {

static std::uint64_t* reserve(std::uint64_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) out_of_memory();
  return static_cast<std::uint64_t*>(memory);
}

PointerShadow::~PointerShadow() { release(); }

void PointerShadow::release() {
  if (words_ != nullptr) munmap(words_, period_);
  words_ = nullptr;
}

void PointerShadow::begin(AddressRange range, std::uint64_t period, std::uint64_t aliases_low) {
  if (range.low != range_.low || range.high != range_.high || period != period_) {
    HARNESS_CHECK(range.low % 8 == 0 && range.high % 8 == 0, "device memory is aligned");
    release();
    range_ = range;
    period_ = period;
    epoch_ = 0;
    if (range.low == range.high) return;
    words_ = reserve(period);
  }
  aliases_low_ = aliases_low;
  hull_ = range;
  hosts_.clear();
  ++epoch_;
  HARNESS_CHECK(epoch_ != 0, "4 thousand million runs of one process");
}

// ---- aliases ----------------------------------------------------------------------------------

void PointerShadow::alias(std::uint64_t address, std::uint64_t physical, std::uint64_t bytes) {
  HARNESS_CHECK(address >= aliases_low_ && physical - range_.low < period_,
                "an alias of what is in the first period");
  if (aliases_.empty()) aliases_.resize((range_.high - aliases_low_) / kAliasBytes);
  for (std::uint64_t offset = 0; offset < bytes; offset += kAliasBytes)
    aliases_[(address + offset - aliases_low_) / kAliasBytes] = physical + offset - range_.low;
}

std::uint64_t PointerShadow::far_offset(std::uint64_t address) const {
  if (address < aliases_low_) return (address - range_.low) % period_;
  const std::uint64_t offset = address - aliases_low_;
  if (aliases_.empty()) return 0;  // There are no aliases.
  return aliases_[offset / kAliasBytes] + offset % kAliasBytes;
}

// ---- host memory ------------------------------------------------------------------------------

PointerShadow::HostWords::HostWords(AddressRange range)
    : range_(range), words_(reserve(range.high - range.low)) {}

PointerShadow::HostWords::~HostWords() { munmap(words_, range_.high - range_.low); }

const PointerShadow::HostWords* PointerShadow::find(std::uint64_t address) const {
  const auto it = hosts_.upper_bound(address);
  return it != hosts_.end() && it->second.range().contains(address) ? &it->second : nullptr;
}

std::uint64_t PointerShadow::host_entry(std::uint64_t address) const {
  const HostWords* words = find(address);
  return words != nullptr ? words->of(address) : 0;  // 0 is never an epoch.
}

PointerShadow::Entry PointerShadow::outside(std::uint64_t address) const {
  return hosts_.empty() ? Entry{} : read(host_entry(address));
}

void PointerShadow::set_raw_entry(std::uint64_t address, std::uint64_t entry) {
  if (range_.contains(address))
    words_[index(address)] = entry;
  else if (const HostWords* words = find(address); words != nullptr)
    words->of(address) = entry;
}

void PointerShadow::include(AddressRange host) {
  auto it = hosts_.upper_bound(host.low);
  while (it != hosts_.end() && it->second.range().low < host.high) it = hosts_.erase(it);
  const AddressRange whole_words{(host.low + 7) / 8 * 8, host.high / 8 * 8};
  if (whole_words.low < whole_words.high) hosts_.try_emplace(whole_words.high, whole_words);
  hull_ = {std::min(hull_.low, host.low), std::max(hull_.high, host.high)};
}

// ---- copies -----------------------------------------------------------------------------------

void PointerShadow::carry(std::uint64_t target, std::uint64_t source, std::uint64_t bytes) {
  // The source has no whole aligned pointer that is aligned in the target.
  if (target % 8 != source % 8) return;
  const std::uint64_t skip = (8 - target % 8) % 8;
  if (bytes < skip + 8) return;
  const std::uint64_t count = (bytes - skip) / 8;
  target += skip;
  source += skip;
  const auto in_one_piece = [&](std::uint64_t address) {
    return range_.contains(address) && address < aliases_low_;
  };
  if (!in_one_piece(target) || !in_one_piece(source)) {
    for (std::uint64_t offset = 0; offset < count * 8; offset += 8)
      set_raw_entry(target + offset, raw_entry(source + offset));
    return;
  }
  HARNESS_CHECK(count <= (range_.high - target) / 8 && count <= (range_.high - source) / 8,
                "a device copy stays in device memory");
  std::memmove(&words_[index(target)], &words_[index(source)], count * 8);
}

}  // namespace harness::devices
