// SPDX-License-Identifier: Apache-2.0
// ProgramStage: loads a PTX file, runs its kernels, and checks how they end.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "harness/device_code/tests/ptx/ptx_stage.h"

namespace harness::testing {

/// `Stage` is PtxStage, or one that is made of it.
template <class Stage>
class ProgramStage : public Stage {
 protected:
  using Stage::get;  // AFTERLIFE_CU asks it.

  explicit ProgramStage(const char* text) : text_(text) {}

  void SetUp() override {
    Stage::SetUp();
    if (this->library != nullptr) module_ = this->load(this->file(text_));
  }
  CUfunction kernel(const char* name) const { return this->function(module_, name); }
  /// Runs a thread of a kernel in a separate process, which ends with the error that it came to.
  template <class... Values>
  void expect_end(CUresult error, const std::string& words, const char* name, Values... values) {
    expect_end_of(1, error, words, name, values...);
  }
  /// The same of a block.
  template <class... Values>
  void expect_end_of(unsigned threads, CUresult error, const std::string& words, const char* name,
                     Values... values) {
    EXPECT_EXIT(
        {
          this->launch(kernel(name), 1, threads, 0, values...);
          const CUresult status = AFTERLIFE_CU(cuCtxSynchronize)();
          std::_Exit(status == error ? 7 : 8);
        },
        ::testing::ExitedWithCode(7), words);
  }

  CUmodule module_ = nullptr;

 private:
  const char* text_;
};

}  // namespace harness::testing
