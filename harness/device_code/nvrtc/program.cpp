// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/nvrtc/program.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace harness::nvrtc {

Result Program::compile(std::span<const char* const> options) {
  compiled_ = {};
  was_compiled_ = is_real_ = false;
  pch_status_ = Result::ERROR_NO_PCH_CREATE_ATTEMPTED;
  try {
    const Options read = parse_options(options);
    if (read.creates_pch) pch_status_ = Result::ERROR_PCH_CREATE;
    return compile_by(read);
  } catch (const InvalidOption& invalid) {
    compiled_.log = invalid.words;
    return Result::ERROR_INVALID_OPTION;
  } catch (const NoCompiler& none) {
    compiled_.log = "nvrtc: error: " + none.words + "\n";
  } catch (const std::runtime_error& error) {
    compiled_.log = std::string("nvrtc: error: ") + error.what() + "\n";
  }
  std::fputs(("afterlife: " + compiled_.log).c_str(), stderr);
  return Result::ERROR_BUILTIN_OPERATION_FAILURE;
}

Result Program::compile_by(const Options& options) {
  if (is_cancelled()) return Result::ERROR_CANCELLED;
  Compiled made = nvrtc::compile(source_, options, find_toolchain());
  if (is_cancelled()) return Result::ERROR_CANCELLED;
  compiled_ = std::move(made);
  std::string notes;
  for (const std::string& note : options.notes) notes += note;
  compiled_.log = notes + compiled_.log;
  was_compiled_ = compiled_.is_ok;
  is_real_ = was_compiled_ && options.is_real();
  return was_compiled_ ? Result::SUCCESS : Result::ERROR_COMPILATION;
}

Result Program::add_expression(const std::string& expression) {
  if (was_compiled_) return Result::ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  if (std::find(source_.expressions.begin(), source_.expressions.end(), expression) ==
      source_.expressions.end())
    source_.expressions.push_back(expression);
  return Result::SUCCESS;
}

Result Program::find_lowered(const std::string& expression, const char** name) const {
  if (!was_compiled_) return Result::ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = std::find(source_.expressions.begin(), source_.expressions.end(), expression);
  if (found == source_.expressions.end()) return Result::ERROR_NAME_EXPRESSION_NOT_VALID;
  const std::string& lowered =
      compiled_.lowered[static_cast<std::size_t>(found - source_.expressions.begin())];
  if (lowered.empty()) return Result::ERROR_NAME_EXPRESSION_NOT_VALID;
  *name = lowered.c_str();
  return Result::SUCCESS;
}

void Program::ask(int (*callback)(void*, void*), void* payload) {
  callback_ = callback;
  payload_ = payload;
}

}  // namespace harness::nvrtc
