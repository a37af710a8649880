// SPDX-License-Identifier: Apache-2.0
// Readings: compares a kernel's results, and the contents of arrays, with the model. A reading is
// compared element by element with the results of all values that the binding may have had. The
// layout of a kernel's results is repeated here and taken from no header of the target.
#include <fmt/format.h>

#include "harness/core/fault/kinds.h"
#include "harness/run/scenario/faults.h"
#include "scenarios/argpack/judge.h"
#include "scenarios/argpack/model/expect.h"

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

/// The first element of a reading that no expected value explains.
class Comparison {
 public:
  Comparison(harness::Scene& scene, Label what, Expected expected)
      : scene_(scene), what_(what), expected_(std::move(expected)) {}
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;
  ~Comparison() {
    if (seen_) tell();
  }

  /// `explains(value)` is the expected element for this value.
  template <class Explains>
  void element(std::int64_t observed, Explains explains) {
    const bool fits = std::ranges::any_of(
        expected_, [&](std::int64_t value) { return explains(value) == observed; });
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
    world.history.add(harness::fault_here(
        scene_, harness::FaultKind::wrong_value, what_,
        fmt::format("{} instead of {}", observed_, fmt::join(expected_, " or "))));
  }

  harness::Scene& scene_;
  Label what_;
  Expected expected_;
  std::int64_t observed_ = 0;
  bool seen_ = false;
  bool fits_ = true;
};

std::int64_t bits(float value) { return std::bit_cast<std::int32_t>(value); }

void judge_in(Comparison& in, Words words) {
  for (std::uint32_t i = 0; i < kThreads; ++i)
    in.element(words[i], [&](std::int64_t value) { return bits(element_in(value, i)); });
}

void judge_out(Comparison& out, Words words) {
  for (std::uint32_t i = 0; i < kThreads; ++i)
    out.element(words[i], [&](std::int64_t value) { return bits(element_out(value, i)); });
}

bool surely_ran(const harness::Scene& scene) { return scene.world().injected_failures == 0; }

/// Kernels write the elements of odd threads of a gradient. The others have the script's value.
void judge_array(harness::Scene& scene, const Thing& thing, Words words) {
  const bool is_gradient = !thing.kernels.empty();
  Comparison given(scene, is_gradient ? Label("gradient") : Label("array"),
                   expected_elements(thing));
  for (std::uint32_t i = 0; i < kThreads; i += is_gradient ? 2 : 1) given.element(words[i]);
  if (!is_gradient) return;
  Comparison written(scene, "gradient", expected_results(thing, surely_ran(scene)));
  for (std::uint32_t i = 1; i < kThreads; i += 2) written.element(words[i]);
}

void judge_external(harness::Scene& scene, const Thing& thing, Words words) {
  Comparison in(scene, "external", {thing.values.front()});
  judge_in(in, words.first(kThreads));
  const bool unwritten = thing.kernels.empty();
  Comparison out(scene, "saxpy", {unwritten ? 0 : thing.values.front()});
  const Words written = words.subspan(kThreads, kThreads);
  const bool untouched =
      std::all_of(written.begin(), written.end(), [](std::int32_t word) { return word == 0; });
  if (untouched && (unwritten || !surely_ran(scene))) return;
  judge_out(out, written);
}

}  // namespace

void judge_reading(harness::Scene& scene, const Binding& at_launch, Words words) {
  constexpr std::array<Label, targets::argpack::kDepthLimit> kPacks{"pack", "pack.c", "pack.c.c"};
  const Bound& array = at_launch.at(Place::array);
  const Words packs = pack_words(words);
  for (std::uint32_t level = 0; level < at_launch.depth; ++level) {
    const Bound& bound = at_launch.places[level];
    if (bound.thing == nullptr) continue;
    Comparison pack(scene, kPacks[level], values_since(bound, at_launch.scalar));
    for (std::uint32_t i = 2 * level; i < kThreads; i += 2 * at_launch.depth) {
      pack.element(packs[i]);
      if (array.thing == nullptr) pack.element(packs[i + 1]);
    }
  }
  if (array.thing != nullptr) {
    Comparison reading(scene, "array", values_since(array));
    for (std::uint32_t i = 1; i < kThreads; i += 2) reading.element(array_words(words)[i]);
  }
  const Bound& external = at_launch.external();
  if (external.thing == nullptr) return;
  Comparison in(scene, "external", values_since(external));
  Comparison out(scene, "saxpy", values_since(external));
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
