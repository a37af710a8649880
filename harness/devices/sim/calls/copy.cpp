// SPDX-License-Identifier: Apache-2.0
// Copies. The call looks up the blocks that its pointers refer to, and notes them in the work.
//
// Pageable host memory is read by the call itself (the driver stages it) and written before it
// returns; pinned, managed and device memory is read and written when the stream gets there.
#include <algorithm>
#include <utility>
#include <vector>

#include "harness/devices/sim/calls/array/copy_shape.h"
#include "harness/devices/sim/graphs/params.h"

namespace harness::devices::calls {

enum class Return : std::uint8_t {
  at_once,    ///< The call may return before the work is done.
  when_done,  ///< The call returns when the work is done.
};

static bool is_pageable(const Place& place) { return place.birth == BirthId::none; }

static bool is_pinned(SimDevice& sim, const Place& place) {
  return !is_pageable(place) &&
         HostMemory::is_pinned(sim.memory().block(sim.memory().newest(place.address)));
}

/// Adds a row to the staged bytes, with the pointers that it holds.
static void stage_row(SimDevice& sim, Work& work, const std::byte* row, std::uint64_t target) {
  const std::size_t begin = work.staging.size();
  const std::size_t first = work.words.size();
  work.staging.insert(work.staging.end(), row, row + work.bytes);
  if (target % 8 != 0) return;
  sim.provenance().capture(work.staging.data() + begin, work.bytes, work.words);
  for (std::size_t i = first; i < work.words.size(); ++i)
    work.words[i].offset += static_cast<std::uint32_t>(begin);
}

/// Reads the source at the call, row by row, because it may have changed when the stream gets
/// there.
static void stage(SimDevice& sim, Work& work) {
  const Memory::CallView view(sim.memory());
  const auto* source = reinterpret_cast<const std::byte*>(work.source.address);
  const Rows& rows = work.rows;
  work.staging.clear();
  for (std::uint64_t z = 0; z < rows.depth; ++z)
    for (std::uint64_t y = 0; y < rows.height; ++y)
      stage_row(sim, work, source + z * rows.source_slice + y * rows.source_pitch,
                work.target.address + z * rows.target_slice + y * rows.target_pitch);
  work.staged = true;
}

struct CopyRequest {
  std::uint64_t target;
  std::uint64_t source;
  std::uint64_t bytes;
  bool host_target;  ///< True if the target may be host memory.
  bool host_source;
};

Found<Stream> find_copy_stream(SimDevice& sim, CUstream on, bool is_async) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream || is_async) return stream;
  if (const CUresult error = sim.captures().refuse(*stream); error != CUDA_SUCCESS) return error;
  return stream;
}

CUresult capture_copy(SimDevice& sim, Stream& stream, const CUDA_MEMCPY3D& given) {
  const Found<const NodeParams> made =
      make_copy_params(sim, given, stream.context->as<CUcontext>());
  return made ? sim.captures().add(stream, *made) : made.error();
}

static CUDA_MEMCPY3D as_one_row(const CopyRequest& request) {
  CUDA_MEMCPY3D given{};
  given.srcMemoryType = given.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  given.srcDevice = request.source;
  given.dstDevice = request.target;
  given.WidthInBytes = request.bytes;
  given.Height = given.Depth = 1;
  return given;
}

CUresult submit_copy(SimDevice& sim, Stream& stream, const CopyShape& shape, const CopyForm& form) {
  const Place& target = shape.target;
  const Place& source = shape.source;
  const bool is_sync = !form.is_async;
  const bool to_host = is_pageable(target) || (is_sync && (form.to_host || is_pinned(sim, target)));
  const bool from_host =
      is_pageable(source) || (is_sync && (form.from_host || is_pinned(sim, source)));
  // A synchronous copy waits for the stream before it stages.
  if (is_sync && is_pageable(source)) sim.queues().synchronize(stream);
  Work& work = sim.queues().fresh(WorkKind::copy, "copy");
  work.target = target;
  work.source = source;
  work.bytes = shape.bytes;
  work.rows = shape.rows;
  if (is_pageable(source)) stage(sim, work);
  const bool waits = to_host || (from_host && !is_pageable(source));
  Staging& staging = sim.data_races().staging();
  if (is_sync && is_pageable(source) && !to_host)
    work.staged_copy = staging.begin_copy(shape.bytes * shape.rows.height * shape.rows.depth);
  const bool may_be_late = !waits && !(work.staged_copy != 0 && staging.are_done());
  sim.queues().submit(stream, work, may_be_late ? Lag::ask : Lag::never);
  if (waits) sim.queues().drain(stream);
  return sim.faults().broken();
}

static CUresult copy(SimDevice& sim, CUstream on, const CopyRequest& request, bool is_async) {
  const Found<Stream> stream = find_copy_stream(sim, on, is_async);
  if (!stream) return stream.error();
  if (request.bytes == 0) return CUDA_SUCCESS;
  Place target;
  Place source;
  const auto find = stream->capture != nullptr ? find_node_place : find_place;
  CUresult status = find(sim, request.target, request.bytes, request.host_target, target);
  if (status != CUDA_SUCCESS) return status;
  status = find(sim, request.source, request.bytes, request.host_source, source);
  if (status != CUDA_SUCCESS) return status;

  if (stream->capture != nullptr) return capture_copy(sim, *stream, as_one_row(request));
  const CopyForm form{is_async, request.host_target && !request.host_source,
                      request.host_source && !request.host_target};
  return submit_copy(sim, *stream, {target, source, request.bytes, {}}, form);
}

static std::uint64_t number(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// ---- copies -----------------------------------------------------------------------------------

CUresult Calls::cuMemcpyHtoD_v2(CUdeviceptr target, const void* source, size_t bytes) {
  return copy(sim, nullptr, {target, number(source), bytes, false, true}, false);
}
CUresult Calls::cuMemcpyHtoD_v2_ptds(CUdeviceptr target, const void* source, size_t bytes) {
  return copy(sim, CU_STREAM_PER_THREAD, {target, number(source), bytes, false, true}, false);
}
CUresult Calls::cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void* source, size_t bytes,
                                     CUstream on) {
  return copy(sim, on, {target, number(source), bytes, false, true}, true);
}

CUresult Calls::cuMemcpyDtoH_v2(void* target, CUdeviceptr source, size_t bytes) {
  return copy(sim, nullptr, {number(target), source, bytes, true, false}, false);
}
CUresult Calls::cuMemcpyDtoH_v2_ptds(void* target, CUdeviceptr source, size_t bytes) {
  return copy(sim, CU_STREAM_PER_THREAD, {number(target), source, bytes, true, false}, false);
}
CUresult Calls::cuMemcpyDtoHAsync_v2(void* target, CUdeviceptr source, size_t bytes, CUstream on) {
  return copy(sim, on, {number(target), source, bytes, true, false}, true);
}

CUresult Calls::cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return copy(sim, nullptr, {target, source, bytes, false, false}, false);
}
CUresult Calls::cuMemcpyDtoD_v2_ptds(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return copy(sim, CU_STREAM_PER_THREAD, {target, source, bytes, false, false}, false);
}
CUresult Calls::cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t bytes,
                                     CUstream on) {
  return copy(sim, on, {target, source, bytes, false, false}, true);
}

CUresult Calls::cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return copy(sim, nullptr, {target, source, bytes, true, true}, false);
}
CUresult Calls::cuMemcpy_ptds(CUdeviceptr target, CUdeviceptr source, size_t bytes) {
  return copy(sim, CU_STREAM_PER_THREAD, {target, source, bytes, true, true}, false);
}
CUresult Calls::cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream on) {
  return copy(sim, on, {target, source, bytes, true, true}, true);
}

// ---- batches ----------------------------------------------------------------------------------

namespace {

/// The copies of one call, which are not ordered among each other.
struct Batch {
  const CUdeviceptr* targets;
  const CUdeviceptr* sources;
  const std::size_t* sizes;
  std::size_t count;
  const CUmemcpyAttributes* attributes;
  const std::size_t* first_of;  ///< For each element of `attributes`, the first copy that it
                                ///< applies to.
  std::size_t attribute_count;
};

bool are_valid(const CUmemcpyAttributes& attributes) {
  return attributes.srcAccessOrder >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM &&
         attributes.srcAccessOrder <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
         attributes.flags <= CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE;
}

/// Returns whether there are copies, and each of them has valid attributes.
bool is_valid(const Batch& batch) {
  constexpr std::size_t kCountLimit = 4096;
  if (batch.targets == nullptr || batch.sources == nullptr || batch.sizes == nullptr ||
      batch.attributes == nullptr || batch.first_of == nullptr || batch.count > kCountLimit ||
      batch.attribute_count == 0 || batch.attribute_count > batch.count || batch.first_of[0] != 0)
    return false;
  for (std::size_t i = 0; i < batch.attribute_count; ++i) {
    if (!are_valid(batch.attributes[i])) return false;
    if (i > 0 && batch.first_of[i] <= batch.first_of[i - 1]) return false;
  }
  return batch.first_of[batch.attribute_count - 1] < batch.count;
}

bool overlap(CUdeviceptr a, std::size_t a_bytes, CUdeviceptr b, std::size_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

/// Returns whether a copy reads or writes memory that another one writes, so that the order
/// matters.
bool is_dependent(const Batch& batch) {
  for (std::size_t i = 0; i < batch.count; ++i)
    for (std::size_t j = 0; j < batch.count; ++j) {
      if (i == j) continue;
      const auto written = [&](CUdeviceptr address) {
        return overlap(batch.targets[i], batch.sizes[i], address, batch.sizes[j]);
      };
      if (written(batch.targets[j]) || written(batch.sources[j])) return true;
    }
  return false;
}

/// Returns whether the source is read at the call. For order "any", this is a choice.
bool reads_ahead(SimDevice& sim, CUmemcpySrcAccessOrder order) {
  if (order == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM) return false;
  return order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL ||
         sim.world().picker.pick(Site::order, 2) != 0;
}

CUresult submit_in_batch(SimDevice& sim, Stream& stream, const Place& target, const Place& source,
                         std::size_t bytes, CUmemcpySrcAccessOrder order) {
  if (!reads_ahead(sim, order)) return submit_copy(sim, stream, {target, source, bytes, {}}, {});
  Work& work = sim.queues().fresh(WorkKind::copy, "copy");
  work.target = target;
  work.source = source;
  work.bytes = bytes;
  stage(sim, work);
  sim.queues().submit(stream, work, Lag::ask);
  return sim.faults().broken();
}

CUresult submit_batch(SimDevice& sim, CUstream on, const Batch& batch) {
  const Found<Stream> stream = find_work_stream(sim, on);
  if (!stream) return stream.error();
  if (on == nullptr || on == CU_STREAM_LEGACY || !is_valid(batch)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = sim.captures().refuse(*stream); error != CUDA_SUCCESS) return error;
  std::vector<std::pair<Place, Place>> places(batch.count);  // The target and source of each copy.
  for (std::size_t i = 0; i < batch.count; ++i) {
    auto& [target, source] = places[i];
    if (batch.sizes[i] == 0) return CUDA_ERROR_INVALID_VALUE;
    CUresult status = find_place(sim, batch.targets[i], batch.sizes[i], false, target);
    if (status != CUDA_SUCCESS) return status;
    status = find_place(sim, batch.sources[i], batch.sizes[i], false, source);
    if (status != CUDA_SUCCESS) return status;
  }
  if (is_dependent(batch)) {
    sim.faults().misuse("batch", "a copy depends on another, and they are in no order");
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::size_t kind = 0;
  for (std::size_t i = 0; i < batch.count; ++i) {
    if (kind + 1 < batch.attribute_count && batch.first_of[kind + 1] == i) ++kind;
    const auto& [target, source] = places[i];
    const CUresult status = submit_in_batch(sim, *stream, target, source, batch.sizes[i],
                                            batch.attributes[kind].srcAccessOrder);
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult Calls::cuMemcpyBatchAsync_v2(CUdeviceptr* targets, CUdeviceptr* sources, size_t* sizes,
                                      size_t count, CUmemcpyAttributes* attributes,
                                      size_t* first_of, size_t attribute_count, CUstream on) {
  return submit_batch(sim, on,
                      {targets, sources, sizes, count, attributes, first_of, attribute_count});
}

}  // namespace harness::devices::calls
