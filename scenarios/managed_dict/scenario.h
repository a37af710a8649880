// SPDX-License-Identifier: Apache-2.0
// The pieces of the managed_dict scenario; scenario.cpp says how they fit.
#pragma once

#include <optional>

#include "harness/run/scenario/scenario.h"
#include "targets/managed_dict/managed_dict.h"

namespace scenarios::managed_dict {

/// The ops of a script, a row of ops.def each.
enum class Op : std::uint8_t {
#define OP(name, ...) name,
#include "scenarios/managed_dict/ops.def"
};
inline constexpr auto kOps = std::to_array<harness::OpInfo>({
#define OP(name, ...) {#name},
#include "scenarios/managed_dict/ops.def"
});
inline constexpr std::size_t kOpCount = kOps.size();

/// Number of attributes that a script uses: few enough that stored ones are loaded again. Keys of a
/// warm class have room for one more than its own.
inline constexpr std::uint32_t kAttributesDrawn = 6;
static_assert(kAttributesDrawn <= targets::managed_dict::kAttributeLimit);

/// The number of tasks and of the op slots of each. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t worker_count = 1;
  std::uint32_t script_slots = 8;
  std::uint32_t worker_slots = 4;
  std::uint32_t closing_slots = 0;  ///< Additional ones, until a compiled store ran.
};

/// Shape of the program that drive() runs.
inline constexpr Shape kWholeShape{.closing_slots = 8};

/// Other properties of a process. A field that is not set here is a choice.
struct Settings {
  std::optional<std::uint32_t> compile_threshold;
  std::optional<std::uint32_t> warm_up;
  std::optional<std::uint32_t> wrapper_blocks;
  std::optional<targets::managed_dict::Placement> placement;
};

/// The axes of a configuration, by index.
enum Axis : std::size_t { kLayoutAxis, kCompilerAxis };

void drive(harness::Scene& scene);
/// The same run with an observer: equal events, equal verdict.
void drive_shaped(harness::Scene& scene, const Shape& shape,
                  targets::managed_dict::MemoryObserver* observer = nullptr,
                  const Settings& settings = {});

/// The same for a path that is not a variant, with slots for 40 ops.
using Maker = targets::managed_dict::ManagedDict* (*)(harness::Runtime&,
                                                      const targets::managed_dict::Setup&);
void drive_path(harness::Scene& scene, Maker make);

/// The report's program: one thread, `iterations` of `with _NoGrad(): pass`, otherwise as in
/// `settings`.
void drive_loop(harness::Scene& scene, std::uint32_t iterations, const Settings& settings);

}  // namespace scenarios::managed_dict
