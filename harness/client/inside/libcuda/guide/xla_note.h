// SPDX-License-Identifier: Apache-2.0
// XLA note: a hint about a run for users of JAX.
#pragma once

#include <string>

namespace harness::entries {

/// Returns a sentence if the process has loaded XLA for CUDA; else "".
std::string xla_note();

}  // namespace harness::entries
