// Fetched: a fetch from a texture, as the texels that it means.
#pragma once

#include <array>

#include "harness/devices/sim/textures/axis.h"
#include "harness/devices/sim/textures/objects.h"
#include "harness/kernel_image.h"

namespace harness::devices {

/// Along x, y and z; the layer, where there are layers, is z.
using FetchedAxes = std::array<AxisTexels, 3>;

/// Returns which texels of a texture a fetch means.
FetchedAxes axes_of(const Texture& texture, const KernelFetch& asked);

/// Returns the color that stands for a texel outside, in the bits that the texture is read in.
/// Where texels are asked for by number it is 0: a GPU does so without the texture's way of
/// reading.
TexelWords border_of(const Texture& texture, const KernelFetch& asked);

}  // namespace harness::devices
