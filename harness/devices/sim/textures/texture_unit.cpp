// SPDX-License-Identifier: Apache-2.0
#include "harness/devices/sim/textures/texture_unit.h"

#include <algorithm>
#include <bit>

#include "harness/base/crash/crash.h"
#include "harness/devices/sim/kernels/access.h"
#include "harness/devices/sim/kernels/stops.h"
#include "harness/devices/sim/sim_device.h"
#include "harness/devices/sim/textures/fetched.h"
#include "harness/devices/sim/textures/levels.h"

namespace harness::devices {

namespace {

/// The largest size of a texel or of an access to a surface, in bytes.
constexpr std::size_t kMostBytes = 32;

/// Copies without telling TSan, which gets the access at the kernel's own line.
__attribute__((no_sanitize("thread", "address"))) void copy_bytes(volatile std::byte* to,
                                                                  const volatile std::byte* from,
                                                                  std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
}

/// Reads texels of one level. Nothing here owns memory, because a fatal access does not return.
class TexelReader {
 public:
  TexelReader(const Texels& level, const TexelWords& border, std::uintptr_t code)
      : level_(level), code_(code), border_(border) {}

  TexelWords words(const WeightedTexel& texel) {
    return read(texel.x, texel.y, texel.z) ? level_.format.words(texel_) : border_;
  }
  TexelNumbers numbers(const WeightedTexel& texel) {
    if (read(texel.x, texel.y, texel.z)) return level_.format.numbers(texel_);
    TexelNumbers made;
    std::transform(border_.begin(), border_.end(), made.begin(),
                   [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    return made;
  }

 private:
  /// Returns false for a texel outside of the texture.
  bool read(std::int64_t x, std::int64_t y, std::int64_t z) {
    if (x < 0 || y < 0 || z < 0) return false;
    const std::uint64_t address =
        level_.at(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y),
                  static_cast<std::uint64_t>(z));
    check_load(address, level_.format.bytes(), code_);
    copy_bytes(texel_, reinterpret_cast<const std::byte*>(address), level_.format.bytes());
    return true;
  }

  const Texels& level_;
  std::uintptr_t code_;
  TexelWords border_;
  std::byte texel_[kMostBytes] = {};
};

/// Returns the weighted sum of a level's texels.
TexelNumbers filter(TexelReader& reader, const FetchedTexels& footprint) {
  TexelNumbers sum{};
  for (std::size_t k = 0; k < footprint.count; ++k) {
    const TexelNumbers texel = reader.numbers(footprint.texels[k]);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += footprint.texels[k].weight * texel[i];
  }
  return sum;
}

/// Stops the kernel at its current instruction.
[[noreturn]] void stop(Label why, const char* words, std::uintptr_t code) {
  crash_here({why, words, code});
}

std::uint32_t as_word(double number) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(number));
}

}  // namespace

/// Finds the texture or surface that the handle names, and checks that the launch may use it.
template <class Table>
auto TextureUnit::find(const Table& table, std::uint64_t handle, Label kind, std::uintptr_t code)
    -> decltype(table.find(nullptr)) {
  auto* object = table.find_anywhere(reinterpret_cast<const void*>(handle));
  UsedObject used{kind};
  if (object != nullptr)
    used = {kind, object->birth, object->alive, object->process, object->texels.birth};
  if (!sim_.provenance().judge_object(used, code)) access_state.abandon();
  return object;
}

/// Returns one channel of four texels.
static TexelWords gather(const Texture& texture, const KernelFetch& asked, std::uintptr_t code) {
  const FetchedTexels footprint = gathered_of(texture, texture.texels, asked);
  TexelReader reader(texture.texels, border_of(texture, asked), code);
  const std::size_t channel = asked.channel % TexelWords{}.size();
  TexelWords made;
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = texture.reads_numbers() ? as_word(reader.numbers(footprint.texels[i])[channel])
                                      : reader.words(footprint.texels[i])[channel];
  return made;
}

TexelWords TextureUnit::fetch(const KernelFetch& asked, std::uintptr_t code) {
  const Texture& texture = *find(sim_.handles().textures, asked.texture, kTextureKind, code);
  if (asked.is_cube != 0 && !texture.texels.is_cube)
    stop(kStopUnknown, "a direction into a texture that is no cube", code);
  if (asked.is_gathered != 0) return gather(texture, asked, code);
  const LevelChoice levels = levels_of(texture, asked);
  const TexelWords border = border_of(texture, asked);
  const auto footprint = [&](std::size_t index) {
    return footprint_of(texture, level_at(texture, index), asked);
  };
  TexelReader first(level_at(texture, levels.first), border, code);
  if (!texture.reads_numbers()) return first.words(footprint(levels.first).texels[0]);
  TexelNumbers numbers = filter(first, footprint(levels.first));
  if (levels.weight > 0) {
    TexelReader second(level_at(texture, levels.second), border, code);
    const TexelNumbers behind = filter(second, footprint(levels.second));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] += levels.weight * (behind[i] - numbers[i]);
  }
  TexelWords made;
  std::transform(numbers.begin(), numbers.end(), made.begin(), as_word);
  return made;
}

// ---- surfaces ---------------------------------------------------------------------------------

/// Returns the address of an access of this size, or 0 if it is outside and has no effect.
static std::uint64_t place_of(const Texels& texels, const KernelSurfaceAccess& asked,
                              std::uint32_t bytes, std::uintptr_t code) {
  const std::int64_t last[] = {static_cast<std::int64_t>(texels.row_bytes()) - bytes,
                               static_cast<std::int64_t>(texels.height) - 1,
                               static_cast<std::int64_t>(texels.depth) - 1};
  std::int64_t place[3] = {};
  std::copy_n(asked.coordinates, std::min(asked.dimensions, 3U), place);
  if (asked.is_by_texel != 0) place[0] *= texels.format.bytes();
  if (asked.is_layered != 0) place[2] = asked.layer;
  bool is_inside = true;
  for (std::size_t i = 0; i < 3; ++i) is_inside &= place[i] >= 0 && place[i] <= last[i];
  if (!is_inside && asked.boundary == KernelBoundary::trap)
    stop(kStopTrap, "outside of the surface", code);
  if (!is_inside && (asked.boundary == KernelBoundary::zero || last[0] < 0)) return 0;
  for (std::size_t i = 0; i < 3; ++i) place[i] = std::clamp<std::int64_t>(place[i], 0, last[i]);
  if (place[0] % bytes != 0) stop(kStopMisaligned, "", code);
  return texels.address + static_cast<std::uint64_t>(place[2]) * texels.slice +
         static_cast<std::uint64_t>(place[1]) * texels.pitch + static_cast<std::uint64_t>(place[0]);
}

void TextureUnit::load(const KernelSurfaceAccess& asked, std::byte* bytes, std::uintptr_t code) {
  const Surface& surface = *find(sim_.handles().surfaces, asked.surface, kSurfaceKind, code);
  const std::uint64_t address = place_of(surface.texels, asked, asked.bytes, code);
  std::fill_n(bytes, asked.bytes, std::byte{0});
  if (address == 0) return;
  check_load(address, asked.bytes, code);
  copy_bytes(bytes, reinterpret_cast<const std::byte*>(address), asked.bytes);
}

void TextureUnit::store(const KernelSurfaceAccess& asked, const std::byte* bytes,
                        std::uintptr_t code) {
  const Surface& surface = *find(sim_.handles().surfaces, asked.surface, kSurfaceKind, code);
  const std::uint64_t address = place_of(surface.texels, asked, asked.bytes, code);
  if (address == 0) return;
  check_store(address, asked.bytes, code);
  copy_bytes(reinterpret_cast<std::byte*>(address), bytes, asked.bytes);
}

void TextureUnit::store_texel(const KernelSurfaceAccess& asked, const std::uint32_t* channels,
                              std::uintptr_t code) {
  const Surface& surface = *find(sim_.handles().surfaces, asked.surface, kSurfaceKind, code);
  const TexelFormat& format = surface.texels.format;
  const std::uint64_t address = place_of(surface.texels, asked, format.bytes(), code);
  if (address == 0) return;
  TexelWords words{};
  std::copy_n(channels, std::min<std::size_t>(asked.bytes / sizeof *channels, words.size()),
              words.begin());
  std::byte texel[kMostBytes];
  format.put(words, texel);
  check_store(address, format.bytes(), code);
  copy_bytes(reinterpret_cast<std::byte*>(address), texel, format.bytes());
}

/// Returns the signed form of an operation, if it has one.
static AtomicOp signed_form(AtomicOp op) {
  return op == AtomicOp::min_unsigned   ? AtomicOp::min_signed
         : op == AtomicOp::max_unsigned ? AtomicOp::max_signed
                                        : op;
}

void TextureUnit::reduce(const KernelSurfaceAccess& asked, AtomicOp op, std::uint64_t value,
                         std::uintptr_t code) {
  const Surface& surface = *find(sim_.handles().surfaces, asked.surface, kSurfaceKind, code);
  const TexelFormat& format = surface.texels.format;
  if (asked.is_by_texel != 0) {
    if (format.is_float() || format.bytes() != asked.bytes)
      stop(kStopUnknown, "a reduction of texels that are no integers of its size", code);
    if (format.is_signed()) op = signed_form(op);
  }
  const std::uint64_t address = place_of(surface.texels, asked, asked.bytes, code);
  if (address != 0) apply_atomic(op, address, asked.bytes, value, code);
}

// ---- questions --------------------------------------------------------------------------------

static std::uint32_t answer_of(const Texels& texels, KernelTexelQuery what) {
  switch (what) {
    case KernelTexelQuery::width:
      return static_cast<std::uint32_t>(texels.width);
    case KernelTexelQuery::height:
      return static_cast<std::uint32_t>(texels.height);
    case KernelTexelQuery::depth:
      return static_cast<std::uint32_t>(texels.has_solid_depth() ? texels.depth : 1);
    default:
      return static_cast<std::uint32_t>(texels.layers());
  }
}

std::uint32_t TextureUnit::query(std::uint64_t handle, KernelTexelQuery what, std::uint32_t level,
                                 std::uintptr_t code) {
  Handles& handles = sim_.handles();
  const auto* name = reinterpret_cast<const void*>(handle);
  const bool is_surface = handles.surfaces.find_anywhere(name) != nullptr;
  if (what == KernelTexelQuery::is_surface) return is_surface ? 1 : 0;
  if (what == KernelTexelQuery::is_texture)
    return handles.textures.find_anywhere(name) != nullptr ? 1 : 0;
  if (is_surface)
    return answer_of(find(handles.surfaces, handle, kSurfaceKind, code)->texels, what);
  const Texture& texture = *find(handles.textures, handle, kTextureKind, code);
  if (what == KernelTexelQuery::normalized_coords)
    return texture.has(CU_TRSF_NORMALIZED_COORDINATES) ? 1 : 0;
  if (what == KernelTexelQuery::num_mipmap_levels)
    return texture.is_mipmapped() ? static_cast<std::uint32_t>(texture.smaller_levels.size() + 1)
                                  : 0;
  return answer_of(level_at(texture, std::min<std::size_t>(level, texture.smaller_levels.size())),
                   what);
}

}  // namespace harness::devices
