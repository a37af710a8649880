// ThemeOptions: the options of the question what a run is about; [0] is everything.
//
// Any other theme makes a few things likely. A strategy knows the question by the type of its
// options, and may do without.
#pragma once

#include "harness/pick.h"

namespace harness {

class ThemeOptions final : public Options {
 public:
  std::uint32_t value(std::uint32_t index) const override { return index; }
};

}  // namespace harness
