// SPDX-License-Identifier: Apache-2.0
// CopyShape: a copy of rows and slices, resolved at its call: the memory of both sides, and the
// distances between their rows.
#pragma once

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

struct CopyShape {
  Place target;
  Place source;
  std::uint64_t bytes = 0;  ///< Bytes of a row.
  Rows rows;
};

/// The form of a copy call: whether it is asynchronous, and which side its function names as the
/// host.
struct CopyForm {
  bool is_async = true;
  bool to_host = false;
  bool from_host = false;
};

/// Finds the memory of an address: find_place, or find_node_place.
using FindPlace = CUresult (*)(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                               bool may_be_host, Place& place);

/// Returns rows * pitch + bytes, saturated at 2^64 - 1, which is larger than any memory.
std::uint64_t extent_bytes(std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes);

/// Finds both sides of a copy with a non-empty extent. Errors: the documented ones.
CUresult find_copy(SimDevice& sim, const CUDA_MEMCPY3D& given, FindPlace find, CopyShape& shape);

/// Finds the stream of a copy or a set. Errors: as find_work_stream(); for the synchronous form,
/// also those of a capture.
Found<Stream> find_copy_stream(SimDevice& sim, CUstream on, bool is_async);

/// Adds the copy to the stream's capture.
CUresult capture_copy(SimDevice& sim, Stream& stream, const CUDA_MEMCPY3D& given);

/// Submits the copy to the stream, and waits if the call does.
CUresult submit_copy(SimDevice& sim, Stream& stream, const CopyShape& shape, const CopyForm& form);

}  // namespace harness::devices::calls
