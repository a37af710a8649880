// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/channels.h"

#include <algorithm>
#include <array>

namespace harness::cudart {
namespace {

struct Format {
  cudaChannelFormatKind kind;
  int bits;
  CUarray_format format;
};
constexpr std::array kFormats{
    Format{cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    Format{cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    Format{cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    Format{cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    Format{cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    Format{cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    Format{cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    Format{cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

}  // namespace

bool to_driver(const cudaChannelFormatDesc& from, Channels& to) {
  const std::array bits{from.x, from.y, from.z, from.w};
  const auto used = std::ranges::find(bits, 0) - bits.begin();
  const bool is_alike = std::ranges::all_of(bits.begin(), bits.begin() + used,
                                            [&](int one) { return one == from.x; });
  const bool is_rest_empty =
      std::ranges::all_of(bits.begin() + used, bits.end(), [](int one) { return one == 0; });
  const auto* format = std::ranges::find_if(
      kFormats, [&](const Format& one) { return one.kind == from.f && one.bits == from.x; });
  if (format == kFormats.end() || !is_alike || !is_rest_empty || used == 3) return false;
  to = {format->format, static_cast<unsigned>(used)};
  return true;
}

cudaChannelFormatDesc from_driver(const Channels& from) {
  const auto* format =
      std::ranges::find_if(kFormats, [&](const Format& one) { return one.format == from.format; });
  if (format == kFormats.end()) return {0, 0, 0, 0, cudaChannelFormatKindNone};
  const auto bits_of = [&](unsigned channel) { return channel < from.count ? format->bits : 0; };
  return {bits_of(0), bits_of(1), bits_of(2), bits_of(3), format->kind};
}

}  // namespace harness::cudart
