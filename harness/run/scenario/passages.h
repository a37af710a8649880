// SPDX-License-Identifier: Apache-2.0
// Passages: the windows that a run reached, in order.
#pragma once

#include <memory_resource>
#include <optional>
#include <vector>

#include "harness/run/scenario/scenario.h"

namespace harness {

/// Ownership: allocated in the run's arena; borrows the scene.
template <class Window>
class Passages {
 public:
  explicit Passages(Scene& scene) : scene_(scene) {}

  /// Notes that the run reaches `window` now, by one of the ways in, and so is not vacuous.
  void reach(Window window, std::size_t way = 0) {
    scene_.reach(raw(window), way);
    scene_.exercised();
    passages_.push_back({window, way, scene_.world().picker.current().name});
  }
  /// Returns whether `window` was reached in `activation`.
  bool reached_in(Name activation, Window window) const {
    for (const Passage& passage : passages_)
      if (passage.window == window && passage.activation == activation) return true;
    return false;
  }
  /// Returns the way by which `window` was reached in `activation`; none if it was not.
  std::optional<std::size_t> way_in(Name activation, Window window) const {
    for (const Passage& passage : passages_)
      if (passage.window == window && passage.activation == activation) return passage.way;
    return std::nullopt;
  }
  /// Returns the way by which `window` was reached last; none if it was not.
  std::optional<std::size_t> last_way_in(Window window) const {
    for (std::size_t i = passages_.size(); i-- > 0;)
      if (passages_[i].window == window) return passages_[i].way;
    return std::nullopt;
  }

 private:
  struct Passage {
    Window window;
    std::size_t way;
    Name activation;
  };

  Scene& scene_;
  std::pmr::vector<Passage> passages_;
};

}  // namespace harness
