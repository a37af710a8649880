// SPDX-License-Identifier: Apache-2.0
// XLA note: what a user of JAX should know about a run.
#pragma once

#include <string>

namespace harness::entries {

/// Returns a sentence where the process has XLA for CUDA; else "".
std::string xla_note();

}  // namespace harness::entries
