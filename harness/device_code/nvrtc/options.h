// SPDX-License-Identifier: Apache-2.0
// Options of a compilation, as NVRTC documents them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness::nvrtc {

/// An invalid option: a line for the log.
struct InvalidOption {
  std::string words;
};

/// An option that both compilers get unchanged. Its long name, and its argument or "": true, false,
/// or numbers.
struct SharedOption {
  std::string name;
  std::string argument;
  std::string for_clang;
};

struct Options {
  std::string architecture = "compute_75";
  std::string standard = "c++17";
  std::vector<std::string> includes;  ///< Folders, in order; each satisfies is_plain_folder().
  std::string macros;                 ///< Preprocessor lines, in order.
  std::string pre_includes;           ///< Preprocessor lines, in order.
  std::vector<SharedOption> shared;
  std::vector<std::string> notes;  ///< Lines for the log.
  bool is_relocatable = false;
  bool contracts = true;  ///< --fmad.
  bool is_fast_math = false;
  bool is_device_by_default = false;
  bool searches_beside_source = true;
  bool uses_cache = true;
  bool creates_pch = false;

  /// Returns whether `architecture` is a real one, for which there is a cubin.
  bool is_real() const { return architecture.starts_with("sm_"); }
  /// Returns the part after the "_": "90a".
  std::string_view generation() const;
};

/// The supported architectures, without suffix letters.
inline constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

/// Returns whether the path of a folder is safe for a compiler: absolute, and without characters
/// that nvcc or its shell interprets.
bool is_plain_folder(std::string_view path);

/// Parses options. An argument is part of its option or the next word. Errors: InvalidOption.
Options parse_options(std::span<const char* const> given);

}  // namespace harness::nvrtc
