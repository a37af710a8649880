// SPDX-License-Identifier: Apache-2.0
// Instructions that read textures, and read and write surfaces, by 64-bit handles (the unified
// mode). The driver does all the work: it finds the texels, and checks their memory.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {
namespace {

/// The coordinates of a geometry. They come after the layer, if there are layers.
struct Geometry {
  std::string_view name;
  std::size_t dimensions;
  bool is_layered;
  bool is_cube = false;
};

Geometry geometry_of(const Instruction& instruction) {
  constexpr Geometry kGeometries[] = {
      {"1d", 1, false}, {"2d", 2, false},         {"3d", 3, false},        {"a1d", 1, true},
      {"a2d", 2, true}, {"cube", 3, false, true}, {"acube", 3, true, true}};
  for (const Geometry& geometry : kGeometries)
    if (instruction.has(geometry.name)) return geometry;
  throw Unknown{"that geometry"};
}

/// Returns the parts of a vector, or the single operand.
std::vector<Operand> parts_of(const Operand& operand) {
  return operand.kind == Operand::Kind::vector ? operand.parts : std::vector<Operand>{operand};
}

/// A position in a texture or surface, as expressions.
struct Place {
  std::string layer = "0";
  std::string coordinates;  ///< "x, y, z", as many as there are.
};

Place place_of(FunctionWriter& writer, const Operand& at, const Geometry& geometry,
               const std::string& type) {
  if (at.parts.size() != 1) throw Unknown{"a sampler of its own"};
  const std::vector<Operand> parts = parts_of(at.parts[0]);
  const std::size_t first = geometry.is_layered ? 1 : 0;
  if (parts.size() < first + geometry.dimensions) throw Unknown{"too few coordinates"};
  Place place;
  if (geometry.is_layered)
    place.layer = fmt::format("ptx::get<ptx::u32>({})", writer.value(parts[0], "u32"));
  for (std::size_t i = 0; i < geometry.dimensions; ++i)
    place.coordinates += fmt::format("{}ptx::get<ptx::u32>({})", i == 0 ? "" : ", ",
                                     writer.value(parts[first + i], type));
  return place;
}

/// A handle is in the place of an address.
std::string handle_of(FunctionWriter& writer, const Operand& at) { return writer.address(at); }

}  // namespace

// ---- textures -----------------------------------------------------------------------------------

namespace {

/// Returns the type of the coordinates.
const std::string& coordinate_type(const Instruction& instruction) {
  if (!instruction.has("v4") || instruction.types().size() != 2) throw Unknown{"that vector"};
  if (!is_among(instruction.types()[0], "f32 s32 u32")) throw Unknown{"results of that type"};
  return instruction.types()[1];
}

/// Returns a part of a vector, or the single operand.
Operand part_of(const Operand& vector, std::size_t index) {
  const std::vector<Operand> parts = parts_of(vector);
  if (index >= parts.size()) throw Unknown{"too few parts"};
  return parts[index];
}

/// Sets the level of `f`, or the gradients that select one. Returns the number of operands used.
std::size_t set_level(FunctionWriter& writer, const Instruction& instruction,
                      const Geometry& geometry, std::string& made) {
  if (instruction.has("level")) {
    made += fmt::format(" f.levels = ptx::Levels::given; f.level = ptx::get<ptx::u32>({});",
                        writer.value(instruction.operand(2), coordinate_type(instruction)));
    return 1;
  }
  if (!instruction.has("grad")) return 0;
  if (geometry.is_cube) throw Unknown{"gradients of a direction"};
  made += " f.levels = ptx::Levels::by_gradients;";
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t axis = 0; axis < geometry.dimensions; ++axis)
      made += fmt::format(" f.gradients[{}][{}] = ptx::get<ptx::f32>({});", i, axis,
                          writer.value(part_of(instruction.operand(2 + i), axis), "f32"));
  return 2;
}

/// Sets the offsets of `f`, if there are any. An operand there that is not a vector is a depth to
/// compare with.
void set_offsets(FunctionWriter& writer, const Instruction& instruction, std::size_t index,
                 const Geometry& geometry, std::string& made) {
  if (index == instruction.count()) return;
  const Operand& offsets = instruction.operand(index);
  const bool is_offset = offsets.kind == Operand::Kind::vector && index + 1 == instruction.count();
  if (!is_offset || geometry.is_cube) throw Unknown{"a depth to compare with"};
  for (std::size_t axis = 0; axis < geometry.dimensions; ++axis)
    made += fmt::format(" f.offsets[{}] = ptx::get<ptx::s32>({});", axis,
                        writer.value(part_of(offsets, axis), "s32"));
}

/// Declares `f`, the fetch from a position in the texture.
std::string fetch_at(FunctionWriter& writer, const Instruction& instruction,
                     const Geometry& geometry) {
  const std::string& from = coordinate_type(instruction);
  const bool is_by_number = from == "s32";
  if (from != "f32" && (!is_by_number || geometry.is_cube))
    throw Unknown{"coordinates of that type"};
  const Operand& at = instruction.operand(1);
  const Place place = place_of(writer, at, geometry, from);
  return fmt::format("ptx::Fetch f{{{}, {}, {}, {}, {}, {{{}}}, {}}};", handle_of(writer, at),
                     geometry.dimensions, geometry.is_layered ? 1 : 0, place.layer,
                     is_by_number ? 1 : 0, place.coordinates, geometry.is_cube ? 1 : 0);
}

/// Executes `f`, and stores its four result words.
std::string put_fetched(FunctionWriter& writer, const Instruction& instruction) {
  const std::vector<Operand> to = parts_of(instruction.operand(0));
  if (to.size() != 4) throw Unknown{"that vector"};
  std::string made = " ptx::u32 w[4]; ptx::driver.fetch(&f, w);";
  for (std::size_t i = 0; i < to.size(); ++i)
    made += " " + writer.put(to[i].name, fmt::format("w[{}]", i));
  return made;
}

}  // namespace

std::string translate_texture(FunctionWriter& writer, const Instruction& instruction,
                              const Family&) {
  const Geometry geometry = geometry_of(instruction);
  std::string made = fetch_at(writer, instruction, geometry);
  const std::size_t behind = set_level(writer, instruction, geometry, made);
  set_offsets(writer, instruction, 2 + behind, geometry, made);
  return made + put_fetched(writer, instruction);
}

std::string translate_gather(FunctionWriter& writer, const Instruction& instruction,
                             const Family&) {
  constexpr std::string_view kChannels[] = {"r", "g", "b", "a"};
  const Geometry geometry = geometry_of(instruction);
  const bool is_plane = geometry.dimensions == 2 || geometry.is_cube;
  const std::string_view channel = instruction.first_of(kChannels);
  if (!is_plane || channel.empty()) throw Unknown{"that geometry"};
  if (coordinate_type(instruction) != "f32") throw Unknown{"coordinates of that type"};
  std::string made = fetch_at(writer, instruction, geometry);
  made += fmt::format(" f.is_gathered = 1; f.channel = {};",
                      std::find(std::begin(kChannels), std::end(kChannels), channel) - kChannels);
  set_offsets(writer, instruction, 2, geometry, made);
  return made + put_fetched(writer, instruction);
}

std::string translate_texel_query(FunctionWriter& writer, const Instruction& instruction,
                                  const Family&) {
  constexpr std::string_view kQueries[] = {
      "width", "height", "depth", "array_size", "normalized_coords", "num_mipmap_levels"};
  const std::string_view query = instruction.first_of(kQueries);
  const bool has_level = instruction.has("level");
  if (query.empty() || instruction.count() != (has_level ? 3 : 2)) throw Unknown{};
  const std::string level = has_level ? writer.value(instruction.operand(2), "u32") : "0";
  return writer.put(
      instruction.operand(0).name,
      fmt::format("ptx::driver.query_texels({}, ptx::TexelQuery::{}, ptx::get<ptx::u32>({}))",
                  handle_of(writer, instruction.operand(1)), query, level));
}

std::string translate_is_type(FunctionWriter& writer, const Instruction& instruction,
                              const Family&) {
  const std::string handle = writer.value(instruction.operand(1), "u64");
  const std::string& to = instruction.operand(0).name;
  if (instruction.has("samplerref")) return writer.put(to, "false");
  const std::string_view kind = instruction.has("texref")    ? "is_texture"
                                : instruction.has("surfref") ? "is_surface"
                                                             : "";
  if (kind.empty()) throw Unknown{};
  return writer.put(
      to, fmt::format("ptx::driver.query_texels({}, ptx::TexelQuery::{}, 0) != 0", handle, kind));
}

// ---- surfaces -----------------------------------------------------------------------------------

/// Declares `a`, the access. By texels (.p) it has no layers. For surfaces, cubes are layers.
static std::string surface_access(FunctionWriter& writer, const Instruction& instruction,
                                  const Operand& at, std::size_t bytes) {
  constexpr std::string_view kBoundaries[] = {"trap", "clamp", "zero"};
  const std::string_view boundary = instruction.first_of(kBoundaries);
  const bool is_by_texel = instruction.has("p");
  const Geometry geometry = geometry_of(instruction);
  if (is_by_texel == instruction.has("b") || boundary.empty()) throw Unknown{"that access"};
  if (geometry.is_cube) throw Unknown{"that geometry"};
  if (is_by_texel && geometry.is_layered) throw Unknown{"layers of texels"};
  const Place place = place_of(writer, at, geometry, "s32");
  return fmt::format(
      "const ptx::SurfaceAccess a{{{}, {}, {}, {}, {}, ptx::Boundary::{}, {{{}}}, {}}};",
      handle_of(writer, at), geometry.dimensions, geometry.is_layered ? 1 : 0, place.layer, bytes,
      boundary, place.coordinates, is_by_texel ? 1 : 0);
}

/// Declares `w`, the bytes of an access.
constexpr const char* kBytes = " alignas(16) ptx::u8 w[32];";

std::string translate_surface_load(FunctionWriter& writer, const Instruction& instruction,
                                   const Family&) {
  if (instruction.has("p")) throw Unknown{"a formatted load"};
  const std::vector<Operand> to = parts_of(instruction.operand(0));
  const std::string& type = instruction.type();
  const std::uint32_t bytes = bytes_of_type(type);
  std::string made =
      surface_access(writer, instruction, instruction.operand(1), bytes * to.size()) + kBytes +
      " ptx::driver.load_surface(&a, w);";
  for (std::size_t i = 0; i < to.size(); ++i)
    made += " " +
            writer.put(to[i].name, fmt::format("ptx::read<{}>(reinterpret_cast<ptx::u64>(w) + {})",
                                               cpp_type(type), i * bytes));
  return made;
}

/// Translates a store of a texel. Each part is a channel.
static std::string texel_store(FunctionWriter& writer, const Instruction& instruction) {
  if (instruction.type() != "b32") throw Unknown{"channels of that type"};
  const std::vector<Operand> from = parts_of(instruction.operand(1));
  std::string channels;
  for (const Operand& part : from)
    channels += fmt::format("{}ptx::get<ptx::u32>({})", channels.empty() ? "" : ", ",
                            writer.value(part, "b32"));
  return surface_access(writer, instruction, instruction.operand(0), 4 * from.size()) +
         fmt::format(" const ptx::u32 w[]{{{}}}; ptx::driver.store_texel(&a, w);", channels);
}

std::string translate_surface_store(FunctionWriter& writer, const Instruction& instruction,
                                    const Family&) {
  if (instruction.has("p")) return texel_store(writer, instruction);
  const std::vector<Operand> from = parts_of(instruction.operand(1));
  const std::string& type = instruction.type();
  const std::uint32_t bytes = bytes_of_type(type);
  std::string made =
      surface_access(writer, instruction, instruction.operand(0), bytes * from.size()) + kBytes;
  for (std::size_t i = 0; i < from.size(); ++i)
    made += fmt::format(" ptx::write<{}>(reinterpret_cast<ptx::u64>(w) + {}, {});", cpp_type(type),
                        i * bytes, writer.value(from[i], type));
  return made + " ptx::driver.store_surface(&a, w);";
}

/// Returns the driver's operation. For texels (.p), signedness comes from the surface's format.
static std::string reduction_of(const Instruction& instruction) {
  constexpr std::string_view kOperations[] = {"add", "min", "max", "and", "or"};
  const std::string_view word = instruction.first_of(kOperations);
  const std::string& type = instruction.type();
  const bool is_compared = word == "min" || word == "max";
  const bool is_bits = word == "and" || word == "or";
  const bool is_by_texel = instruction.has("p");
  const std::string_view allowed = is_by_texel && is_compared ? "b32 b64"
                                   : is_by_texel || is_bits   ? "b32"
                                   : is_compared              ? "u32 s32 u64 s64"
                                                              : "u32 u64 s32";
  if (word.empty() || !is_among(type, allowed)) throw Unknown{"that operation on that type"};
  if (!is_compared) return std::string(word);
  return fmt::format("{}_{}", word, type[0] == 's' ? "signed" : "unsigned");
}

std::string translate_surface_reduction(FunctionWriter& writer, const Instruction& instruction,
                                        const Family&) {
  const std::string& type = instruction.type();
  const Geometry geometry = geometry_of(instruction);
  if (geometry.is_layered) throw Unknown{"layers"};
  return surface_access(writer, instruction, instruction.operand(0), bytes_of_type(type)) +
         fmt::format(" ptx::driver.reduce_surface(&a, ptx::atomic_{}, ptx::get<ptx::u{}>({}));",
                     reduction_of(instruction), 8 * bytes_of_type(type),
                     writer.value(instruction.operand(1), type));
}

}  // namespace harness::ptx
