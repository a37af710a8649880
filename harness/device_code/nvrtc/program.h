// SPDX-License-Identifier: Apache-2.0
// Program: a source, and the result of its last compilation.
#pragma once

#include <optional>
#include <string>

#include "harness/device_code/nvrtc/compilation.h"
#include "harness/device_code/nvrtc/interface.h"

namespace harness::nvrtc {

/// Lifetime: from nvrtcCreateProgram to nvrtcDestroyProgram. Threads: one at a time, as in NVRTC.
class Program {
 public:
  explicit Program(Source source) : source_(std::move(source)) {}

  /// Compiles, and keeps the result. Without a compiler, prints one line to stderr and to the log.
  Result compile(std::span<const char* const> options);
  /// Requests the lowered name of an expression.
  Result add_expression(const std::string& expression);
  /// Finds the lowered name, which the program owns.
  Result find_lowered(const std::string& expression, const char** name) const;
  /// Sets a callback that can cancel a compilation, called before and after the compiler runs.
  void ask(int (*callback)(void*, void*), void* payload);

  const std::string& ptx() const { return compiled_.ptx; }
  const std::string& log() const { return compiled_.log; }
  /// Returns the image for a real architecture: the PTX, which the simulated driver loads. Returns
  /// "" for a virtual architecture.
  std::string cubin() const { return is_real_ ? compiled_.ptx : std::string(); }
  /// Returns the result of creating a precompiled header.
  Result pch_status() const { return pch_status_; }

 private:
  Result compile_by(const Options& options);
  bool is_cancelled() const { return callback_ != nullptr && callback_(payload_, nullptr) == 1; }

  Source source_;
  Compiled compiled_;
  bool was_compiled_ = false;
  bool is_real_ = false;
  Result pch_status_ = Result::ERROR_NO_PCH_CREATE_ATTEMPTED;
  int (*callback_)(void*, void*) = nullptr;
  void* payload_ = nullptr;
};

}  // namespace harness::nvrtc
