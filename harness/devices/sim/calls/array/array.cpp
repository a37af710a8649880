// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: created, described, destroyed. Their memory is allocated and freed like that of
// cuMemAlloc, and may have belonged to an earlier array.
#include "harness/devices/sim/calls/array/array_shape.h"
#include "harness/devices/sim/calls/array/copy_shape.h"

namespace harness::devices::calls {

namespace {

CUresult create(SimDevice& sim, CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR& wanted) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult error = check_array(wanted); error != CUDA_SUCCESS) return error;
  Texels texels = texels_of(wanted);
  const std::uint32_t index =
      give_out(sim, Origin::array, extent_bytes(texels.depth, texels.slice, 0));
  if (index == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  Block& block = sim.memory().block(index);
  block.context = sim.threads().context();
  texels.birth = block.birth;
  texels.address = block.base;
  Array& array = sim.handles().arrays.add();
  array.context = block.context;
  array.birth = block.birth;
  array.block = index;
  array.descriptor = wanted;
  array.texels = texels;
  *handle = array.as<CUarray>();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult Calls::cuArrayCreate_v2(CUarray* handle, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return create(sim, handle,
                {wanted->Width, wanted->Height, 0, wanted->Format, wanted->NumChannels, 0});
}

CUresult Calls::cuArray3DCreate_v2(CUarray* handle, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
  return wanted != nullptr ? create(sim, handle, *wanted) : CUDA_ERROR_INVALID_VALUE;
}

/// Returns the error for a query of an array that was destroyed, directly or with its context.
static CUresult why_none(SimDevice& sim, CUarray handle) {
  const Array* known = sim.handles().arrays.find(handle);
  return known != nullptr && !known->context->alive ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                                                    : CUDA_ERROR_INVALID_HANDLE;
}

CUresult Calls::cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray handle) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Array* array = sim.find(sim.handles().arrays, handle, kArrayKind);
  if (array == nullptr) return why_none(sim, handle);
  const CUDA_ARRAY3D_DESCRIPTOR& given = array->descriptor;
  *descriptor = {given.Width, given.Height, given.Format, given.NumChannels};
  return CUDA_SUCCESS;
}

CUresult Calls::cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray handle) {
  if (descriptor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Array* array = sim.find(sim.handles().arrays, handle, kArrayKind);
  if (array == nullptr) return why_none(sim, handle);
  *descriptor = array->descriptor;
  return CUDA_SUCCESS;
}

CUresult Calls::cuArrayDestroy(CUarray handle) {
  if (const CUresult error = sim.captures().admit_unsafe(); error != CUDA_SUCCESS) return error;
  Array* array = sim.handles().arrays.find(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!array->alive) {
    sim.ledger().double_free(array->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (array->is_level) {
    sim.faults().misuse(kArrayKind, "a level ends with its mipmapped array", array->birth);
    return CUDA_ERROR_INVALID_HANDLE;
  }
  array->alive = false;  // Set first, because we may have to wait, and no other task may destroy it
                         // during the wait.
  may_wait(sim, *array->context);
  // The context may have been destroyed during the wait.
  if (sim.memory().block(array->block).dead) return CUDA_SUCCESS;
  free_now(sim, array->block);
  return CUDA_SUCCESS;
}

}  // namespace harness::devices::calls
