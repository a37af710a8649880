// Sites: the places where things die and are used, by the names that faults and stories have for
// them. Whoever tells them apart compares with these.
#pragma once

#include "targets/argpack/vocabulary.h"

namespace targets::argpack {

/// A place where things die, by how they do.
struct DeathSite {
  harness::Label plain;
  harness::Label reentrant;
  harness::Label in_flight;  ///< Empty where nothing dies so.
  harness::Label stale;      ///< On behalf of an earlier program. Empty where nothing dies so.

  constexpr harness::Label in(Circumstance circumstance) const {
    if (circumstance == Circumstance::plain) return plain;
    return circumstance == Circumstance::reentrant ? reentrant : in_flight;
  }
};

// ---- where things die ----
inline constexpr DeathSite kDeleteArgpack{.plain = "delete_argpack",
                                          .reentrant = "delete_argpack/reentrant",
                                          .in_flight = {},
                                          .stale = "delete_argpack/stale"};
inline constexpr DeathSite kDeleteNdarray{.plain = "delete_ndarray",
                                          .reentrant = "delete_ndarray/reentrant",
                                          .in_flight = {},
                                          .stale = "delete_ndarray/stale"};
inline constexpr DeathSite kFreeExternal{.plain = "free_external",
                                         .reentrant = "free_external/reentrant",
                                         .in_flight = "free_external/in_flight",
                                         .stale = {}};
inline constexpr DeathSite kResizeExternal{.plain = "resize_external",
                                           .reentrant = "resize_external/reentrant",
                                           .in_flight = "resize_external/in_flight",
                                           .stale = {}};
inline constexpr harness::Label kAtReset = "reset";

// ---- where external memory is born ----
inline constexpr harness::Label kNewExternal = "new_external";

// ---- where a launch uses what was bound ----
inline constexpr harness::Label kCompile = "compile_kernel";
inline constexpr harness::Label kLaunch = "launch_kernel";
inline constexpr harness::Label kLaunchPack = "launch_kernel/pack";
inline constexpr harness::Label kLaunchNestedPack = "launch_kernel/nested_pack";
inline constexpr harness::Label kLaunchParent = "launch_kernel/parent";
inline constexpr harness::Label kLaunchArray = "launch_kernel/array";
inline constexpr harness::Label kLaunchGradient = "launch_kernel/gradient";
inline constexpr harness::Label kLaunchExternal = "launch_kernel/external";
inline constexpr harness::Label kLaunchArguments = "launch_kernel/arguments";
inline constexpr harness::Label kLaunchBind = "launch_kernel/bind";
inline constexpr harness::Label kLaunchCopyBack = "launch_kernel/copy_back";

// ---- the kernels, each of which is a site by its entry name ----
inline constexpr harness::Label kWalkPacks = "walk_packs";
inline constexpr harness::Label kReadBound = "read_bound";
inline bool is_kernel(harness::Label site) { return site == kWalkPacks || site == kReadBound; }

}  // namespace targets::argpack
