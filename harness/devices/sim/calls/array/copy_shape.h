// SPDX-License-Identifier: Apache-2.0
// CopyShape: a copy of rows and slices, as its call meant it: whose memory both sides are, and how
// far apart their rows begin.
#pragma once

#include "harness/devices/sim/calls/calls.h"

namespace harness::devices::calls {

struct CopyShape {
  Place target;
  Place source;
  std::uint64_t bytes = 0;  ///< The bytes of a row.
  Rows rows;
};

/// How a copy was called: whether it is asynchronous, and which side its function calls the host's.
struct CopyForm {
  bool is_async = true;
  bool to_host = false;
  bool from_host = false;
};

/// Finds whose memory an address is: find_place, or find_node_place.
using FindPlace = CUresult (*)(SimDevice& sim, std::uint64_t address, std::uint64_t bytes,
                               bool may_be_host, Place& place);

/// Returns rows * pitch + bytes, and no more than 2^64 - 1, which is more than any memory has.
std::uint64_t extent_bytes(std::uint64_t rows, std::uint64_t pitch, std::uint64_t bytes);

/// Finds both sides of a copy that has an extent. Errors: what the documentation says.
CUresult find_copy(SimDevice& sim, const CUDA_MEMCPY3D& given, FindPlace find, CopyShape& shape);

/// Finds the stream of a copy or a set. Errors: as find_work_stream(), and of the synchronous form
/// what a capture forbids.
Found<Stream> find_copy_stream(SimDevice& sim, CUstream on, bool is_async);

/// Adds the copy to what the stream captures.
CUresult capture_copy(SimDevice& sim, Stream& stream, const CUDA_MEMCPY3D& given);

/// Gives the stream the copy, and waits where the call does.
CUresult submit_copy(SimDevice& sim, Stream& stream, const CopyShape& shape, const CopyForm& form);

}  // namespace harness::devices::calls
