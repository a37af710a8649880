// SPDX-License-Identifier: Apache-2.0
// How it works. A reading is compared element by element with the results of all
// values that the binding may have had. The expected numbers are the judge's own: the
// kernel's layouts and computations are repeated here and taken from no header of the
// target.
#include "scenarios/argpack/readings.h"

#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"

namespace scenarios::argpack {
namespace {

using harness::Label;

using Words = std::span<const std::int32_t>;

/// Number of elements of an array, and of CUDA threads: one each.
constexpr std::uint32_t kThreads = 64;

// Layout of a kernel's results, in words: kThreads of each kind.
Words pack_words(Words words) { return words.subspan(0, kThreads); }
Words array_words(Words words) { return words.subspan(kThreads, kThreads); }
Words in_words(Words words) { return words.subspan(2 * kThreads, kThreads); }
Words out_words(Words words) { return words.subspan(3 * kThreads, kThreads); }

/// Returns element `index` of an external array made with `value`, and the kernel's result for it:
/// with the same two roundings as on the device.
float element_in(std::int64_t value, std::uint32_t index) {
  return static_cast<float>(static_cast<std::int32_t>(value)) + 0.1f * static_cast<float>(index);
}
float element_out(std::int64_t value, std::uint32_t index) {
  return 1.1f * element_in(value, index) + 0.3f;
}
std::int64_t bits(float value) { return std::bit_cast<std::int32_t>(value); }

/// Values that may explain one reading, and the first element that none of them explains.
class Comparison {
 public:
  Comparison(harness::Scene& scene, Label what) : scene_(scene), what_(what) {}
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    if (seen_) tell();
  }

  void expect(std::int64_t value) {
    if (count_ < expected_.size()) expected_[count_++] = value;
  }
  /// Expects the values assigned since the thing was bound.
  Comparison& expect(const Bound& bound, std::int64_t offset = 0, std::int64_t factor = 1) {
    for (std::size_t i = bound.first_value; i < bound.thing->values.size(); ++i)
      expect(factor * bound.thing->values[i] + offset);
    return *this;
  }

  /// `explains(value)` is the expected element for this value.
  template <class Explains>
  void element(std::int64_t observed, Explains explains) {
    const bool fits = std::any_of(expected_.begin(), expected_.begin() + count_,
                                  [&](std::int64_t value) { return explains(value) == observed; });
    if (!seen_ || (fits_ && !fits)) observed_ = observed;
    seen_ = true;
    fits_ = fits_ && fits;
  }
  /// Skips an element that equals the previous one, which was compared.
  void element(std::int64_t observed) {
    if (!seen_ || observed != observed_)
      element(observed, [](std::int64_t value) { return value; });
  }

 private:
  void tell() {
    harness::World& world = scene_.world();
    world.scheduler.note(harness::EventKind::observe, what_, 0,
                         static_cast<std::uint64_t>(observed_));
    if (fits_) return;
    world.history.add(
        harness::fault_here(scene_, harness::FaultKind::wrong_value, what_,
                            fmt::format("{} instead of {}", observed_,
                                        fmt::join(std::span(expected_).first(count_), " or "))));
  }

  harness::Scene& scene_;
  Label what_;
  std::array<std::int64_t, 32> expected_;
  std::size_t count_ = 0;
  std::int64_t observed_ = 0;
  bool seen_ = false;
  bool fits_ = true;
};

void judge_in(Comparison& in, Words words) {
  for (std::uint32_t i = 0; i < kThreads; ++i)
    in.element(words[i], [&](std::int64_t value) { return bits(element_in(value, i)); });
}

void judge_out(Comparison& out, Words words) {
  for (std::uint32_t i = 0; i < kThreads; ++i)
    out.element(words[i], [&](std::int64_t value) { return bits(element_out(value, i)); });
}

// ---- contents -----------------------------------------------------------------------------------

bool surely_ran(const harness::Scene& scene) { return scene.world().injected_failures == 0; }

/// Kernels do not write the elements of even threads, which have the script's value; the elements
/// that kernels write are twice what they read.
void judge_array(harness::Scene& scene, const Thing& thing, Words words) {
  const bool is_gradient = !thing.kernels.empty();
  Comparison given(scene, is_gradient ? Label("gradient") : Label("array"));
  for (std::size_t i = thing.oldest(); i < thing.values.size(); ++i) given.expect(thing.values[i]);
  for (std::uint32_t i = 0; i < kThreads; i += is_gradient ? 2 : 1) given.element(words[i]);
  if (!is_gradient) return;
  Comparison written(scene, "gradient");
  if (surely_ran(scene)) {
    written.expect(thing.kernels.back(), 0, 2);
  } else {
    written.expect(thing.values.front());
    for (const Bound& kernel : thing.kernels) written.expect(kernel, 0, 2);
  }
  for (std::uint32_t i = 1; i < kThreads; i += 2) written.element(words[i]);
}

void judge_external(harness::Scene& scene, const Thing& thing, Words words) {
  Comparison in(scene, "external");
  in.expect(thing.values.front());
  judge_in(in, words.first(kThreads));
  Comparison out(scene, "saxpy");
  const Words written = words.subspan(kThreads, kThreads);
  const bool untouched =
      std::all_of(written.begin(), written.end(), [](std::int32_t word) { return word == 0; });
  if (untouched && (thing.kernels.empty() || !surely_ran(scene))) return;
  if (thing.kernels.empty())
    out.expect(0);
  else
    out.expect(thing.values.front());
  judge_out(out, written);
}

}  // namespace

void judge_reading(harness::Scene& scene, const Context& context, Words words) {
  constexpr std::array<Label, targets::argpack::kDepthLimit> kPacks{"pack", "pack.c", "pack.c.c"};
  const Binding& binding = context.at_launch;
  const Bound& array = binding.at(Place::array);
  const Words packs = pack_words(words);
  for (std::uint32_t level = 0; level < binding.depth; ++level) {
    if (binding.places[level].thing == nullptr) continue;
    Comparison pack(scene, kPacks[level]);
    pack.expect(binding.places[level], binding.scalar);
    for (std::uint32_t i = 2 * level; i < kThreads; i += 2 * binding.depth) {
      pack.element(packs[i]);
      if (array.thing == nullptr) pack.element(packs[i + 1]);
    }
  }
  if (array.thing != nullptr) {
    Comparison reading(scene, "array");
    reading.expect(array);
    for (std::uint32_t i = 1; i < kThreads; i += 2) reading.element(array_words(words)[i]);
  }
  const Bound& external = binding.external();
  if (external.thing == nullptr) return;
  Comparison in(scene, "external");
  Comparison out(scene, "saxpy");
  in.expect(external);
  out.expect(external);
  judge_in(in, in_words(words));
  judge_out(out, out_words(words));
}

void judge_contents(harness::Scene& scene, const Thing& thing, Words words) {
  if (thing.kind == Kind::external)
    judge_external(scene, thing, words);
  else
    judge_array(scene, thing, words);
}

}  // namespace scenarios::argpack
