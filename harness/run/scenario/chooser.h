// SPDX-License-Identifier: Apache-2.0
// Chooser: makes the choices for the arguments of an op.
//
// Each function always makes one choice, so that the next choice keeps its number. The default
// argument is the most useful one.
#pragma once

#include <cstdint>
#include <span>

#include "harness/core/pick/theme_options.h"
#include "harness/run/scenario/scenario.h"

namespace harness {

/// Ownership: borrows the scene. Threads: the run's thread.
class Chooser {
 public:
  explicit Chooser(Scene& scene) : scene_(scene) {}
  /// Returns a number below `count`. Default: 0.
  std::uint32_t number(std::uint32_t count) { return scene_.pick(Site::argument, count); }
  /// Default: yes.
  bool yes() { return number(2) == 0; }
  /// Returns true for one option of this many. Default: no.
  bool one_in(std::uint32_t count) { return number(count) == count - 1; }
  /// Returns one of the values that a tape may hold. Default: [0].
  std::uint32_t of(std::span<const std::uint32_t> values) {
    return values[scene_.world().picker.pick_value(Site::argument, values)];
  }

 protected:
  Scene& scene_;
};

/// Chooses the theme of a run. Default: [0].
template <class Theme>
const Theme& choose_theme(Scene& scene, std::span<const Theme> themes) {
  const ThemeOptions options;
  const auto count = static_cast<std::uint32_t>(themes.size());
  return themes[scene.world().picker.pick(Site::argument, count, &options)];
}

}  // namespace harness
