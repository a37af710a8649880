// What a kernel must have read: of each binding, a value that it had when it was bound or was
// given since.
#include <algorithm>
#include <bit>

#include "targets/argpack/script.h"

namespace targets::argpack {

namespace {

constexpr std::array<harness::Label, kDepthLimit> kPackLabels{"pack", "pack.c", "pack.c.c"};

/// Collects the elements that one binding explains, and finds the first that it does not.
class Comparison {
 public:
  Comparison(Observer& observer, harness::Label what, const Bound& bound, std::int64_t offset)
      : observer_(observer), what_(what) {
    for (std::size_t i = bound.first_value;
         i < bound.thing->values.size() && count_ < expected_.size(); ++i)
      expected_[count_++] = bound.thing->values[i] + offset;
  }
  ~Comparison() {
    if (seen_) observer_.read({what_, observed_, {expected_.data(), count_}, as_expected_});
  }
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  /// `explains(value)` is what an element would be, had the binding this value.
  template <class Explains>
  void element(std::int64_t observed, Explains explains) {
    const bool fits = std::any_of(expected_.begin(), expected_.begin() + count_,
                                  [&](std::int64_t value) { return explains(value) == observed; });
    if (!seen_ || (as_expected_ && !fits)) observed_ = observed;
    seen_ = true;
    as_expected_ = as_expected_ && fits;
  }
  void element(std::int64_t observed) {
    element(observed, [](std::int64_t value) { return value; });
  }

 private:
  Observer& observer_;
  harness::Label what_;
  std::array<std::int64_t, 32> expected_;
  std::size_t count_ = 0;
  std::int64_t observed_ = 0;
  bool seen_ = false;
  bool as_expected_ = true;
};

std::int64_t bits(float value) { return std::bit_cast<std::int32_t>(value); }

void report_external(Observer& observer, const LaunchContext& context) {
  Comparison in(observer, "external", context.launched_binding.external, 0);
  Comparison out(observer, "saxpy", context.launched_binding.external, 0);
  for (std::uint32_t i = 0; i < kArrayWords; ++i) {
    const auto element = [&](std::int64_t value) {
      return external_element(static_cast<std::int32_t>(value), i);
    };
    in.element(bits(context.results.in[i]),
               [&](std::int64_t value) { return bits(element(value)); });
    out.element(bits(context.results.out[i]),
                [&](std::int64_t value) { return bits(saxpy(element(value))); });
  }
}

}  // namespace

void report(Observer& observer, const LaunchContext& context) {
  const Binding& binding = context.launched_binding;
  const bool has_array = binding.array.thing != nullptr;
  for (std::uint32_t level = 0; level < binding.depth; ++level) {
    Comparison pack(observer, kPackLabels[level], binding.packs[level], binding.scalar);
    for (std::uint32_t i = 2 * level; i < kArrayWords; i += 2 * binding.depth) {
      pack.element(context.results.pack[i]);
      if (!has_array) pack.element(context.results.pack[i + 1]);
    }
  }
  if (has_array) {
    Comparison array(observer, "array", binding.array, 0);
    for (std::uint32_t i = 1; i < kArrayWords; i += 2) array.element(context.results.array[i]);
  }
  if (binding.external.thing != nullptr) report_external(observer, context);
}

}  // namespace targets::argpack
