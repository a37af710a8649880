// Sites: the places where things die and are used, by the names that faults and stories have for
// them. Whoever tells them apart compares with these.
#pragma once

#include "targets/argpack/vocabulary.h"

namespace targets::argpack {

/// A place where objects of a program die, by how they do. Their memory goes in the order of the
/// device's work: that a kernel may be using it makes no difference there.
struct ObjectDeath {
  harness::Label plain;
  harness::Label reentrant;
  harness::Label stale;  ///< On behalf of an earlier program.

  constexpr harness::Label in(Circumstance circumstance, bool is_stale) const {
    if (is_stale) return stale;
    return circumstance.reentrant ? reentrant : plain;
  }
};

/// A place where external memory goes, by how it does. No program owns it: it is never stale.
struct StorageDeath {
  harness::Label plain;
  harness::Label reentrant;
  harness::Label in_flight;

  constexpr harness::Label in(Circumstance circumstance) const {
    if (circumstance.in_flight) return in_flight;
    return circumstance.reentrant ? reentrant : plain;
  }
};

// ---- where things die ----
inline constexpr ObjectDeath kDeleteArgpack{.plain = "delete_argpack",
                                            .reentrant = "delete_argpack/reentrant",
                                            .stale = "delete_argpack/stale"};
inline constexpr ObjectDeath kDeleteNdarray{.plain = "delete_ndarray",
                                            .reentrant = "delete_ndarray/reentrant",
                                            .stale = "delete_ndarray/stale"};
inline constexpr StorageDeath kFreeExternal{.plain = "free_external",
                                            .reentrant = "free_external/reentrant",
                                            .in_flight = "free_external/in_flight"};
inline constexpr StorageDeath kResizeExternal{.plain = "resize_external",
                                              .reentrant = "resize_external/reentrant",
                                              .in_flight = "resize_external/in_flight"};
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
