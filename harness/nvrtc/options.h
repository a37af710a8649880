// SPDX-License-Identifier: Apache-2.0
// Options: those of a compilation, as NVRTC documents them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness::nvrtc {

/// An option that is wrong: a line for the log.
struct InvalidOption {
  std::string words;
};

/// An option that both compilers are given as it is. Its long name, and its argument or "": a
/// truth or numbers.
struct SharedOption {
  std::string name;
  std::string argument;
  std::string for_clang;
};

struct Options {
  std::string architecture = "compute_75";
  std::string standard = "c++17";
  std::vector<std::string> includes;  ///< Folders, in order; each absolute, as is_plain_folder().
  std::string macros;                 ///< Lines of the preprocessor, in order.
  std::string pre_includes;           ///< The same.
  std::vector<SharedOption> shared;
  std::vector<std::string> notes;  ///< Lines for the log.
  bool is_relocatable = false;
  bool contracts = true;  ///< --fmad.
  bool is_fast_math = false;
  bool is_device_by_default = false;
  bool searches_beside_source = true;
  bool uses_cache = true;
  bool creates_pch = false;

  /// Returns whether it names a real architecture, for which there is a cubin.
  bool is_real() const { return architecture.starts_with("sm_"); }
  /// Returns what is behind the "_": "90a".
  std::string_view generation() const;
};

/// The architectures that can be asked for, without their letters.
inline constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

/// Returns whether a compiler can be given the path of a folder: absolute, and without characters
/// that nvcc or its shell acts on.
bool is_plain_folder(std::string_view path);

/// Reads options as they are given, an argument with its name or behind it. Errors: InvalidOption.
Options parse_options(std::span<const char* const> given);

}  // namespace harness::nvrtc
