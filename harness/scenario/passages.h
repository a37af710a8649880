// Passages: the windows that a run goes through, in order.
#pragma once

#include <memory_resource>
#include <vector>

#include "harness/scenario.h"

namespace harness {

/// Ownership: in the run's arena; borrows the scene.
template <class Window>
class Passages {
 public:
  explicit Passages(Scene& scene) : scene_(scene) {}

  /// Takes in that the run goes through `window` now, and so has shown something.
  void reach(Window window) {
    scene_.reach(raw(window));
    scene_.exercised();
    passages_.push_back({window, scene_.world().picker.current().name});
  }
  /// Returns whether `window` was reached in `activation`.
  bool reached_in(Name activation, Window window) const {
    for (const Passage& passage : passages_)
      if (passage.window == window && passage.activation == activation) return true;
    return false;
  }
  /// Returns the window that was reached last, or -1.
  int last() const { return passages_.empty() ? -1 : raw(passages_.back().window); }

 private:
  struct Passage {
    Window window;
    Name activation;
  };

  Scene& scene_;
  std::pmr::vector<Passage> passages_;
};

}  // namespace harness
