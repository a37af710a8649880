// SPDX-License-Identifier: Apache-2.0
// ThemeOptions: the options of the choice of a run's theme; [0] is the one that allows everything.
//
// Any other theme makes a few things likely. A strategy recognizes the choice by the type of its
// options, and may ignore it.
#pragma once

#include "harness/core/pick/pick.h"

namespace harness {

class ThemeOptions final : public Options {
 public:
  std::uint32_t value(std::uint32_t index) const override { return index; }
};

}  // namespace harness
