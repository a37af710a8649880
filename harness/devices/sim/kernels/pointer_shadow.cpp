#include "harness/devices/sim/kernels/pointer_shadow.h"

#include <sys/mman.h>

#include <cstring>

#include "harness/base/memory.h"

namespace harness::devices {

PointerShadow::~PointerShadow() { release(); }

void PointerShadow::release() {
  if (words_ != nullptr) munmap(words_, period_);
  words_ = nullptr;
}

void PointerShadow::begin(AddressRange range, std::uint64_t period) {
  if (range.low != range_.low || range.high != range_.high || period != period_) {
    HARNESS_CHECK(range.low % 8 == 0 && range.high % 8 == 0, "device memory is aligned");
    release();
    range_ = range;
    period_ = period;
    epoch_ = 0;
    if (range.low == range.high) return;
    void* memory = mmap(nullptr, period, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) out_of_memory();
    words_ = static_cast<std::uint64_t*>(memory);
  }
  ++epoch_;
  HARNESS_CHECK(epoch_ != 0, "4 thousand million runs of one process");
}

void PointerShadow::carry(std::uint64_t target, std::uint64_t source, std::uint64_t bytes) {
  if (target % 8 != source % 8) return;  // No whole pointer was copied to where one can be loaded.
  const std::uint64_t skip = (8 - target % 8) % 8;
  if (bytes < skip + 8) return;
  const std::uint64_t count = (bytes - skip) / 8;
  target += skip;
  source += skip;
  HARNESS_CHECK(range_.contains(target) && range_.contains(source) &&
                    count <= (range_.high - target) / 8 && count <= (range_.high - source) / 8,
                "a device copy stays in device memory");
  std::memmove(&words_[index(target)], &words_[index(source)], count * 8);
}

}  // namespace harness::devices
