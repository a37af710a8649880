// The rows. An instruction belongs to the first that has its name and its last type; without one,
// to the first that has its name.
#include <algorithm>

#include "harness/ptx/instructions.h"

namespace harness::ptx {
namespace {

constexpr std::string_view kInteger = "Integer Arithmetic Instructions";
constexpr std::string_view kExtended = "Extended-Precision Integer Arithmetic Instructions";
constexpr std::string_view kFloat = "Floating Point Instructions";
constexpr std::string_view kHalf = "Half Precision Floating Point Instructions";
constexpr std::string_view kCompare = "Comparison and Selection Instructions";
constexpr std::string_view kHalfCompare = "Half Precision Comparison Instructions";
constexpr std::string_view kLogic = "Logic and Shift Instructions";
constexpr std::string_view kData = "Data Movement and Conversion Instructions";
constexpr std::string_view kTexture = "Texture Instructions";
constexpr std::string_view kSurface = "Surface Instructions";
constexpr std::string_view kControl = "Control Flow Instructions";
constexpr std::string_view kParallel = "Parallel Synchronization and Communication Instructions";
constexpr std::string_view kMatrix = "Warp Level Matrix Multiply-Accumulate Instructions";
constexpr std::string_view kOther = "Miscellaneous Instructions";

constexpr std::string_view kIntegers = "u16 u32 u64 s16 s32 s64";
constexpr std::string_view kHalves = "f16 f16x2 bf16 bf16x2";
constexpr std::string_view kAny =
    "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred";
constexpr std::string_view kRounded = "rn rz rm rp ftz sat";

constexpr Family kFamilies[] = {
    {"add", kIntegers, "sat", 2, "add", translate_call, kInteger, "a + b"},
    {"sub", kIntegers, "sat", 2, "sub", translate_call, kInteger, "a - b"},
    {"mul", kIntegers, "lo hi wide", 2, "mul", translate_call, kInteger, "a * b"},
    {"mad", kIntegers, "lo hi wide sat", 3, "mad", translate_call, kInteger, "a * b + c"},
    {"mul24", "u32 s32", "lo hi", 2, "mul24", translate_call, kInteger, "a * b, of 24 bits each"},
    {"mad24", "u32 s32", "lo hi sat", 3, "mad24", translate_call, kInteger, "mul24, and + c"},
    {"sad", kIntegers, "", 3, "sad", translate_call, kInteger, "|a - b| + c"},
    {"div", kIntegers, "", 2, "div", translate_call, kInteger, "a / b; all ones for b = 0"},
    {"rem", kIntegers, "", 2, "rem", translate_call, kInteger, "the remainder; a for b = 0"},
    {"abs", "s16 s32 s64", "", 1, "abs", translate_call, kInteger, "|a|"},
    {"neg", "s16 s32 s64", "", 1, "neg", translate_call, kInteger, "-a"},
    {"min", kIntegers, "", 2, "min", translate_call, kInteger, "the smaller"},
    {"max", kIntegers, "", 2, "max", translate_call, kInteger, "the larger"},
    {"popc", "b32 b64", "", 1, "popc", translate_call, kInteger, "number of ones"},
    {"clz", "b32 b64", "", 1, "clz", translate_call, kInteger, "number of leading zeroes"},
    {"bfind", "u32 u64 s32 s64", "shiftamt", 1, "bfind", translate_call, kInteger,
     "place of the top bit that is not the sign"},
    {"brev", "b32 b64", "", 1, "brev", translate_call, kInteger, "bits in reverse"},
    {"bfe", "u32 u64 s32 s64", "", 3, "bfe", translate_call, kInteger, "a field of bits"},
    {"bfi", "b32 b64", "", 4, "bfi", translate_call, kInteger, "b with a field of a in it"},
    {"szext", "u32 s32", "clamp wrap", 2, "szext", translate_call, kInteger,
     "the low bits, extended"},
    {"bmsk", "b32", "clamp wrap", 2, "bmsk", translate_call, kInteger, "a mask of ones"},
    {"dp4a", "u32 s32", "", 3, "dp4a", translate_dot_product, kInteger,
     "four products of bytes, and c"},
    {"dp2a", "u32 s32", "lo hi", 3, "dp2a", translate_dot_product, kInteger,
     "two products of halves and bytes, and c"},

    {"addc", "u32 s32 u64 s64", "cc", 2, "add_carried", translate_carried, kExtended,
     "a + b + carry; add.cc sets it"},
    {"subc", "u32 s32 u64 s64", "cc", 2, "sub_carried", translate_carried, kExtended,
     "a - b - borrow; sub.cc sets it"},
    {"madc", "u32 s32 u64 s64", "lo hi cc", 3, "mad_carried", translate_carried, kExtended,
     "a * b + c + carry; mad.cc sets it"},

    {"testp", "f32 f64", "finite infinite number notanumber normal subnormal", 1, "testp",
     translate_property, kFloat, "kind of number"},
    {"copysign", "f32 f64", "", 2, "copysign", translate_call, kFloat, "size of b, sign of a"},
    {"add", "f32 f64", kRounded, 2, "add", translate_call, kFloat, "a + b"},
    {"sub", "f32 f64", kRounded, 2, "sub", translate_call, kFloat, "a - b"},
    {"mul", "f32 f64", kRounded, 2, "mul", translate_call, kFloat, "a * b"},
    {"fma", "f32 f64", kRounded, 3, "fma", translate_call, kFloat, "a * b + c, rounded once"},
    {"mad", "f32 f64", kRounded, 3, "mad", translate_call, kFloat, "a * b + c, rounded once"},
    {"div", "f32 f64", "rn rz rm rp ftz approx full", 2, "div", translate_call, kFloat, "a / b"},
    {"abs", "f32 f64", "ftz", 1, "abs", translate_call, kFloat, "|a|"},
    {"neg", "f32 f64", "ftz", 1, "neg", translate_call, kFloat, "-a"},
    {"min", "f32 f64", "ftz NaN xorsign abs", 2, "min", translate_call, kFloat, "the smaller"},
    {"max", "f32 f64", "ftz NaN xorsign abs", 2, "max", translate_call, kFloat, "the larger"},
    {"rcp", "f32 f64", "rn rz rm rp ftz approx", 1, "rcp", translate_call, kFloat, "1 / a"},
    {"sqrt", "f32 f64", "rn rz rm rp ftz approx", 1, "sqrt", translate_call, kFloat, "square root"},
    {"rsqrt", "f32 f64", "ftz approx", 1, "rsqrt", translate_call, kFloat, "1 / square root"},
    {"sin", "f32", "ftz approx", 1, "sin", translate_call, kFloat, "sine"},
    {"cos", "f32", "ftz approx", 1, "cos", translate_call, kFloat, "cosine"},
    {"lg2", "f32", "ftz approx", 1, "lg2", translate_call, kFloat, "logarithm to base 2"},
    {"ex2", "f32", "ftz approx", 1, "ex2", translate_call, kFloat, "power of 2"},
    {"tanh", "f32", "approx", 1, "tanh", translate_call, kFloat, "hyperbolic tangent"},

    {"add", kHalves, "rn ftz sat", 2, "add", translate_call, kHalf, "a + b"},
    {"sub", kHalves, "rn ftz sat", 2, "sub", translate_call, kHalf, "a - b"},
    {"mul", kHalves, "rn ftz sat", 2, "mul", translate_call, kHalf, "a * b"},
    {"fma", kHalves, "rn ftz sat relu", 3, "fma", translate_call, kHalf, "a * b + c, rounded once"},
    {"neg", kHalves, "ftz", 1, "neg", translate_call, kHalf, "-a"},
    {"abs", kHalves, "ftz", 1, "abs", translate_call, kHalf, "|a|"},
    {"min", kHalves, "ftz NaN xorsign abs", 2, "min", translate_call, kHalf, "the smaller"},
    {"max", kHalves, "ftz NaN xorsign abs", 2, "max", translate_call, kHalf, "the larger"},
    {"tanh", kHalves, "approx", 1, "tanh", translate_call, kHalf, "hyperbolic tangent"},
    {"ex2", kHalves, "approx ftz", 1, "ex2", translate_call, kHalf, "power of 2"},

    {"set", "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64", "*", 2, "truth", translate_compare,
     kCompare, "a comparison, as a number"},
    {"setp", "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64", "*", 2, "compare", translate_compare,
     kCompare, "a comparison, and its contrary, with a predicate"},
    {"setp", "f16 bf16", "*", 2, "compare", translate_compare, kHalfCompare, "a comparison"},
    {"selp", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "", 3, "selp", translate_select,
     kCompare, "a or b, by a predicate"},
    {"slct", "f32 s32", "*", 3, "slct", translate_select, kCompare, "a or b, by the sign of c"},

    {"and", "pred b16 b32 b64", "", 2, "and_", translate_call, kLogic, "a & b"},
    {"or", "pred b16 b32 b64", "", 2, "or_", translate_call, kLogic, "a | b"},
    {"xor", "pred b16 b32 b64", "", 2, "xor_", translate_call, kLogic, "a ^ b"},
    {"not", "pred b16 b32 b64", "", 1, "not_", translate_call, kLogic, "~a"},
    {"cnot", "b16 b32 b64", "", 1, "cnot", translate_call, kLogic, "1 for 0, else 0"},
    {"lop3", "b32", "", 4, "lop3", translate_call, kLogic, "any function of three bits"},
    {"shf", "b32", "l r clamp wrap", 3, "shf", translate_call, kLogic, "a shift of two registers"},
    {"shl", "b16 b32 b64", "", 2, "shl", translate_call, kLogic, "a << b"},
    {"shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "", 2, "shr", translate_call, kLogic, "a >> b"},

    {"mov", kAny, "", 1, "", translate_move, kData,
     "a register, number, address, or several in one"},
    {"prmt", "b32", "f4e b4e rc8 ecl ecr rc16", 3, "prmt", translate_call, kData,
     "four of eight bytes"},
    {"ld", kAny, "*", 1, "", translate_load, kData, "from memory, up to 8 at once"},
    {"ldu", kAny, "*", 1, "", translate_load, kData, "the same"},
    {"st", kAny, "*", 1, "", translate_store, kData, "to memory, up to 8 at once"},
    {"cvta", "u64", "*", 1, "", translate_address, kData, "an address of another space"},
    {"isspacep", "", "*", 1, "", translate_is_space, kData, "whether an address is in a space"},
    {"cvt", kAny, "*", 1, "cvt", translate_convert, kData, "another type, rounded or clamped"},
    {"prefetch", "", "*", 0, "", translate_nothing, kData, "a hint"},
    {"prefetchu", "", "*", 0, "", translate_nothing, kData, "a hint"},
    {"discard", "", "*", 0, "", translate_nothing, kData, "a hint"},
    {"cp", "", "*", 0, "", translate_copy, kData,
     "cp.async: a copy to shared memory, at once; its groups and waits"},
    {"applypriority", "", "*", 0, "", translate_nothing, kData, "a hint"},

    {"tex", "f32 s32 u32", "*", 1, "", translate_texture, kTexture,
     "a texel, or a sum of several by their weights"},
    {"tld4", "f32 s32 u32", "*", 1, "", translate_gather, kTexture,
     "one channel of the four texels around a place"},
    {"txq", "b32", "*", 1, "", translate_texel_query, kTexture, "an extent of a texture"},
    {"istypep", "", "*", 1, "", translate_is_type, kTexture, "whether a handle is of that kind"},
    {"suld", "b8 b16 b32 b64", "*", 1, "", translate_surface_load, kSurface, "from a surface"},
    {"sust", "b8 b16 b32 b64", "*", 1, "", translate_surface_store, kSurface,
     "to a surface; sust.p: a texel, converted to its format"},
    {"sured", "u32 s32 b32 u64 s64 b64", "*", 1, "", translate_surface_reduction, kSurface,
     "a change of a surface at once; sured.p: of a texel"},
    {"suq", "b32", "*", 1, "", translate_texel_query, kSurface, "an extent of a surface"},

    {"bra", "", "*", 0, "", translate_branch, kControl, "a jump"},
    {"brx", "", "*", 0, "", translate_branch, kControl, "a jump by a table"},
    {"call", "", "*", 0, "", translate_call_function, kControl, "a function, also by pointer"},
    {"ret", "", "*", 0, "", translate_end, kControl, "back to the caller"},
    {"exit", "", "*", 0, "", translate_end, kControl, "the end of the thread"},

    {"bar", "", "*", 0, "", translate_barrier, kParallel,
     "one of 16 barriers, of the block or some of its warps; bar.warp"},
    {"barrier", "", "*", 0, "", translate_barrier, kParallel, "the same"},
    {"membar", "", "*", 0, "", translate_nothing, kParallel, "threads run one after another"},
    {"fence", "", "*", 0, "", translate_nothing, kParallel, "the same"},
    {"atom", kAny, "*", 2, "", translate_atomic, kParallel, "a change of memory at once"},
    {"red", kAny, "*", 2, "", translate_atomic, kParallel, "the same, without what was there"},
    {"vote", "", "*", 0, "", translate_warp, kParallel, "predicates of a warp"},
    {"match", "", "*", 0, "", translate_warp, kParallel, "lanes with the same value"},
    {"activemask", "", "*", 0, "", translate_warp, kParallel, "lanes that come here together"},
    {"redux", "", "*", 0, "", translate_warp, kParallel, "a combination over a warp"},
    {"shfl", "", "*", 0, "", translate_warp, kParallel, "a value of another lane"},
    {"elect", "", "*", 0, "", translate_warp, kParallel, "the first lane of a mask"},
    {"griddepcontrol", "", "*", 0, "", translate_nothing, kParallel, "grids do not overlap"},

    {"ldmatrix", "b16", "*", 2, "", translate_matrix_load, kMatrix,
     "matrices of 8 by 8 halves from shared memory, also transposed"},
    {"mma", "f16 bf16 f32 f64 s32", "*", 4, "multiply", translate_matrix_product, kMatrix,
     "A * B + C, spread over a warp"},

    {"nanosleep", "", "*", 0, "", translate_sleep, kOther,
     "takes no time but on the device's clocks"},
    {"pmevent", "", "*", 0, "", translate_nothing, kOther, "a mark for profilers"},
    {"trap", "", "", 0, "", translate_end, kOther, "the end of the kernel"},
    {"brkpt", "", "", 0, "", translate_end, kOther, "the same: there is no debugger"},
    {"setmaxnreg", "", "*", 0, "", translate_nothing, kOther, "a hint"},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

bool is_among(std::string_view word, std::string_view words) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

/// Tells whether each modifier is a type or one of the family's.
static bool allows(const Family& family, const Instruction& instruction) {
  if (family.modifiers == "*") return true;
  return std::all_of(instruction.modifiers().begin(), instruction.modifiers().end(),
                     [&](const std::string& word) {
                       return bytes_of_type(word) != 0 || is_among(word, family.modifiers);
                     });
}

const Family* family_of(const Instruction& instruction) {
  const bool sets_carry = instruction.has("cc");
  for (const Family& family : kFamilies) {
    const bool is_carried =
        sets_carry && family.name.size() == 4 && family.name.starts_with(instruction.name());
    if (family.name != instruction.name() && !is_carried) continue;
    if (sets_carry && !is_among("cc", family.modifiers)) continue;
    if (!family.types.empty() && !instruction.types().empty() &&
        !is_among(instruction.types().front(), family.types) &&
        !is_among(instruction.type(), family.types))
      continue;
    if (!allows(family, instruction)) continue;
    return &family;
  }
  return nullptr;
}

std::string translate(FunctionWriter& writer, const Instruction& instruction) {
  const Family* family = family_of(instruction);
  if (family == nullptr) throw Unknown{};
  return family->translate(writer, instruction, *family);
}

}  // namespace harness::ptx
