// Unsupported: how functions that are not simulated answer.
#pragma once

namespace harness::cudart {

/// Keeps cudaErrorNotSupported for cudaGetLastError(), and returns its number.
int keep_not_supported();

}  // namespace harness::cudart
