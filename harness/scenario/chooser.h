// SPDX-License-Identifier: Apache-2.0
// Chooser: asks for the arguments of an op.
//
// Each function asks one question, always, so that the next one keeps its number. The plain
// argument is the one that is most useful.
#pragma once

#include <cstdint>
#include <span>

#include "harness/pick/theme_options.h"
#include "harness/scenario.h"

namespace harness {

/// Ownership: borrows the scene. Threads: the run's thread.
class Chooser {
 public:
  explicit Chooser(Scene& scene) : scene_(scene) {}
  /// Returns a number below `count`. Plain: 0.
  std::uint32_t number(std::uint32_t count) { return scene_.pick(Site::argument, count); }
  /// Plain: yes.
  bool yes() { return number(2) == 0; }
  /// Answers yes to one choice of this many. Plain: no.
  bool one_in(std::uint32_t count) { return number(count) == count - 1; }
  /// One of the values that a tape may hold, [0] plain.
  std::uint32_t of(std::span<const std::uint32_t> values) {
    return values[scene_.world().picker.pick_value(Site::argument, values)];
  }

 protected:
  Scene& scene_;
};

/// Returns what a run is about, by a question: [0] is plain.
template <class Theme>
const Theme& choose_theme(Scene& scene, std::span<const Theme> themes) {
  const ThemeOptions options;
  const auto count = static_cast<std::uint32_t>(themes.size());
  return themes[scene.world().picker.pick(Site::argument, count, &options)];
}

}  // namespace harness
