// SPDX-License-Identifier: Apache-2.0
// Sites: names of the places where things die and are used, in reports. Code that distinguishes
// such places compares with these.
#pragma once

#include "targets/argpack/vocabulary.h"

namespace targets::argpack {

/// Site at which a program's object dies, for each kind of wrapper that requests it.
struct ObjectDeath {
  harness::Label own;    ///< For a wrapper that the program itself made.
  harness::Label stale;  ///< For a wrapper from an earlier program.

  /// Returns the site for such a wrapper.
  constexpr harness::Label by(bool stale_wrapper) const { return stale_wrapper ? stale : own; }
};

// ---- where things die ----
inline constexpr ObjectDeath kDeleteArgpack{.own = "delete_argpack",
                                            .stale = "delete_argpack/stale"};
inline constexpr ObjectDeath kDeleteNdarray{.own = "delete_ndarray",
                                            .stale = "delete_ndarray/stale"};
inline constexpr harness::Label kFreeExternal = "free_external";
inline constexpr harness::Label kResizeExternal = "resize_external";
inline constexpr harness::Label kAtReset = "reset";

// ---- where external memory is born ----
inline constexpr harness::Label kNewExternal = "new_external";

// ---- where a wrapper is bound, or what it wraps is written or read ----
inline constexpr harness::Label kSetArgpack = "set_arg_argpack";
inline constexpr harness::Label kSetNdarray = "set_arg_ndarray";
inline constexpr harness::Label kSetNdarrayWithGrad = "set_arg_ndarray_with_grad";
inline constexpr harness::Label kWriteArgpack = "ArgPack::write";
inline constexpr harness::Label kFill = "fill";
inline constexpr harness::Label kToNumpy = "to_numpy";
inline bool is_of_wrapper(harness::Label site) {
  for (const harness::Label one :
       {kSetArgpack, kSetNdarray, kSetNdarrayWithGrad, kWriteArgpack, kFill, kToNumpy})
    if (site == one) return true;
  return false;
}

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
inline constexpr harness::Label kLaunchResults = "launch_kernel/results";
inline constexpr harness::Label kLaunchBind = "launch_kernel/bind";
inline constexpr harness::Label kLaunchCopyBack = "launch_kernel/copy_back";

// ---- the kernels, each of which is a site by its entry name ----
inline constexpr harness::Label kWalkPacks = "walk_packs";
inline constexpr harness::Label kReadBound = "read_bound";
inline bool is_kernel(harness::Label site) { return site == kWalkPacks || site == kReadBound; }

}  // namespace targets::argpack
