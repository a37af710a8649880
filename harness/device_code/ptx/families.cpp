// SPDX-License-Identifier: Apache-2.0
// The rows. An instruction belongs to the first row of its name that has its types; else to the
// first that has the last of them, or the first of them; without types, to the first of its name.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/device_code/ptx/instructions.h"

namespace harness::ptx {
namespace {

constexpr std::string_view kInteger = "Integer Arithmetic Instructions";
constexpr std::string_view kExtended = "Extended-Precision Integer Arithmetic Instructions";
constexpr std::string_view kFloat = "Floating Point Instructions";
constexpr std::string_view kMixed = "Mixed Precision Floating Point Instructions";
constexpr std::string_view kHalf = "Half Precision Floating Point Instructions";
constexpr std::string_view kCompare = "Comparison and Selection Instructions";
constexpr std::string_view kHalfCompare = "Half Precision Comparison Instructions";
constexpr std::string_view kLogic = "Logic and Shift Instructions";
constexpr std::string_view kData = "Data Movement and Conversion Instructions";
constexpr std::string_view kTexture = "Texture Instructions";
constexpr std::string_view kSurface = "Surface Instructions";
constexpr std::string_view kControl = "Control Flow Instructions";
constexpr std::string_view kStack = "Stack Manipulation Instructions";
constexpr std::string_view kParallel = "Parallel Synchronization and Communication Instructions";
constexpr std::string_view kMatrix = "Warp Level Matrix Multiply-Accumulate Instructions";
constexpr std::string_view kVideo = "Video Instructions";
constexpr std::string_view kOther = "Miscellaneous Instructions";

constexpr std::string_view kIntegers = "u16 u32 u64 s16 s32 s64";
constexpr std::string_view kHalves = "f16 f16x2 bf16 bf16x2";
constexpr std::string_view kAny =
    "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred";
constexpr std::string_view kMoved =
    "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred";
constexpr std::string_view kRounded = "rn rz rm rp ftz sat";
constexpr std::string_view kTwoIntegers = "u16x2 s16x2";
constexpr std::string_view kBytePairs =
    "e4m3x2.f32 e5m2x2.f32 e4m3x2.f16x2 e5m2x2.f16x2 f16x2.e4m3x2 f16x2.e5m2x2";

// The references of sweeps, which are in harness/device_code/tests/ptx.
constexpr std::string_view kWider = "the ISA's formula in wider integers";
constexpr std::string_view kBitByBit = "the ISA's words, bit by bit";
constexpr std::string_view kFormula = "the ISA's formula, by the host";
constexpr std::string_view kIeee =
    "IEEE 754: the host in each rounding mode; .approx: the ISA's bound";
constexpr std::string_view kHost =
    "the host's function of the C library, with the ISA's rules for NaN";
constexpr std::string_view kBound = "the host's function of f64, within the ISA's bound";
constexpr std::string_view kNearest = "the nearest of all values of the format to the exact one";
constexpr std::string_view kOrder = "the host's comparison, with the ISA's rules for NaN";
constexpr std::string_view kBytes = "the ISA's table of bytes";
constexpr std::string_view kConversion =
    "the host in each rounding mode; halves: the nearest of all values of the format";
constexpr std::string_view kCopy = "the bits that were given";
constexpr std::string_view kWarp = "the ISA's formula on what the lanes were given, by the host";
constexpr std::string_view kMbarrier =
    "PtxMbarrier.CountsByTheDocumentedFormula: the ISA's formula, by the host";
constexpr std::string_view kTaken =
    "PtxAmpere.StackMemoryIsAllocatedAndRestored: addresses and words by hand";
constexpr std::string_view kFragments = "the ISA's figure of the fragments, by the host";

constexpr Family kFamilies[] = {
    {"add", kIntegers, "sat", 2, "add", translate_call, kInteger, "a + b", kWider},
    {"sub", kIntegers, "sat", 2, "sub", translate_call, kInteger, "a - b", kWider},
    {"mul", kIntegers, "lo hi wide", 2, "mul", translate_call, kInteger, "a * b", kWider},
    {"mad", kIntegers, "lo hi wide sat", 3, "mad", translate_call, kInteger, "a * b + c", kWider},
    {"mul24", "u32 s32", "lo hi", 2, "mul24", translate_call, kInteger, "a * b, of 24 bits each",
     kWider},
    {"mad24", "u32 s32", "lo hi sat", 3, "mad24", translate_call, kInteger, "mul24, and + c",
     kWider},
    {"sad", kIntegers, "", 3, "sad", translate_call, kInteger, "|a - b| + c", kWider},
    {"div", kIntegers, "", 2, "div", translate_call, kInteger, "a / b; all ones for b = 0", kWider},
    {"rem", kIntegers, "", 2, "rem", translate_call, kInteger, "the remainder; a for b = 0",
     kWider},
    {"abs", "s16 s32 s64", "", 1, "abs", translate_call, kInteger, "|a|", kWider},
    {"neg", "s16 s32 s64", "", 1, "neg", translate_call, kInteger, "-a", kWider},
    {"min", kIntegers, "relu", 2, "min", translate_call, kInteger, "the smaller", kWider},
    {"max", kIntegers, "relu", 2, "max", translate_call, kInteger, "the larger", kWider},
    {"add", kTwoIntegers, "", 2, "add", translate_call, kInteger, "a + b of each half", kWider},
    {"min", kTwoIntegers, "relu", 2, "min", translate_call, kInteger, "the smaller halves", kWider},
    {"max", kTwoIntegers, "relu", 2, "max", translate_call, kInteger, "the larger halves", kWider},
    {"popc", "b32 b64", "", 1, "popc", translate_call, kInteger, "number of ones", kBitByBit},
    {"clz", "b32 b64", "", 1, "clz", translate_call, kInteger, "number of leading zeroes",
     kBitByBit},
    {"fns", "b32", "", 3, "fns", translate_call, kInteger, "place of the n-th one from a bit on",
     kBitByBit},
    {"bfind", "u32 u64 s32 s64", "shiftamt", 1, "bfind", translate_call, kInteger,
     "place of the top bit that is not the sign", kBitByBit},
    {"brev", "b32 b64", "", 1, "brev", translate_call, kInteger, "bits in reverse", kBitByBit},
    {"bfe", "u32 u64 s32 s64", "", 3, "bfe", translate_call, kInteger, "a field of bits",
     kBitByBit},
    {"bfi", "b32 b64", "", 4, "bfi", translate_call, kInteger, "b with a field of a in it",
     kBitByBit},
    {"szext", "u32 s32", "clamp wrap", 2, "szext", translate_call, kInteger,
     "the low bits, extended", kBitByBit},
    {"bmsk", "b32", "clamp wrap", 2, "bmsk", translate_call, kInteger, "a mask of ones", kBitByBit},
    {"dp4a", "u32 s32", "", 3, "dp4a", translate_dot_product, kInteger,
     "four products of bytes, and c", kWider},
    {"dp2a", "u32 s32", "lo hi", 3, "dp2a", translate_dot_product, kInteger,
     "two products of halves and bytes, and c", kWider},

    {"addc", "u32 s32 u64 s64", "cc", 2, "add_carried", translate_carried, kExtended,
     "a + b + carry; add.cc sets it", kWider},
    {"subc", "u32 s32 u64 s64", "cc", 2, "sub_carried", translate_carried, kExtended,
     "a - b - borrow; sub.cc sets it", kWider},
    {"madc", "u32 s32 u64 s64", "lo hi cc", 3, "mad_carried", translate_carried, kExtended,
     "a * b + c + carry; mad.cc sets it", kWider},

    {"testp", "f32 f64", "finite infinite number notanumber normal subnormal", 1, "testp",
     translate_property, kFloat, "kind of number", kHost},
    {"copysign", "f32 f64", "", 2, "copysign", translate_call, kFloat, "size of b, sign of a",
     kHost},
    {"add", "f32 f64 f32x2", kRounded, 2, "add", translate_call, kFloat, "a + b", kIeee},
    {"sub", "f32 f64 f32x2", kRounded, 2, "sub", translate_call, kFloat, "a - b", kIeee},
    {"mul", "f32 f64 f32x2", kRounded, 2, "mul", translate_call, kFloat, "a * b", kIeee},
    {"fma", "f32 f64 f32x2", kRounded, 3, "fma", translate_call, kFloat, "a * b + c, rounded once",
     kIeee},
    {"mad", "f32 f64", kRounded, 3, "mad", translate_call, kFloat, "a * b + c, rounded once",
     kIeee},
    {"div", "f32 f64", "rn rz rm rp ftz approx full", 2, "div", translate_call, kFloat, "a / b",
     kIeee},
    {"abs", "f32 f64", "ftz", 1, "abs", translate_call, kFloat, "|a|", kHost},
    {"neg", "f32 f64", "ftz", 1, "neg", translate_call, kFloat, "-a", kHost},
    {"min", "f32 f64", "ftz NaN xorsign abs", 2, "min", translate_choice, kFloat, "the smaller",
     kHost},
    {"max", "f32 f64", "ftz NaN xorsign abs", 2, "max", translate_choice, kFloat, "the larger",
     kHost},
    {"rcp", "f32 f64", "rn rz rm rp ftz approx", 1, "rcp", translate_call, kFloat, "1 / a", kIeee},
    {"sqrt", "f32 f64", "rn rz rm rp ftz approx", 1, "sqrt", translate_call, kFloat, "square root",
     kIeee},
    {"rsqrt", "f32 f64", "ftz approx", 1, "rsqrt", translate_call, kFloat, "1 / square root",
     kBound},
    {"sin", "f32", "ftz approx", 1, "sin", translate_call, kFloat, "sine", kBound},
    {"cos", "f32", "ftz approx", 1, "cos", translate_call, kFloat, "cosine", kBound},
    {"lg2", "f32", "ftz approx", 1, "lg2", translate_call, kFloat, "logarithm to base 2", kBound},
    {"ex2", "f32", "ftz approx", 1, "ex2", translate_call, kFloat, "power of 2", kBound},
    {"tanh", "f32", "approx", 1, "tanh", translate_call, kFloat, "hyperbolic tangent", kBound},

    {"add", "f32.f16 f32.bf16", "rn rz rm rp sat", 2, "add", translate_mixed, kMixed,
     "a + b, of which a is a half", kIeee},
    {"sub", "f32.f16 f32.bf16", "rn rz rm rp sat", 2, "sub", translate_mixed, kMixed,
     "a - b, of which a is a half", kIeee},
    {"fma", "f32.f16 f32.bf16", "rn rz rm rp sat", 3, "fma", translate_mixed, kMixed,
     "a * b + c, of which a and b are halves", kIeee},

    {"add", kHalves, "rn ftz sat", 2, "add", translate_call, kHalf, "a + b", kNearest},
    {"sub", kHalves, "rn ftz sat", 2, "sub", translate_call, kHalf, "a - b", kNearest},
    {"mul", kHalves, "rn ftz sat", 2, "mul", translate_call, kHalf, "a * b", kNearest},
    {"fma", kHalves, "rn ftz sat relu", 3, "fma", translate_call, kHalf, "a * b + c, rounded once",
     kNearest},
    {"neg", kHalves, "ftz", 1, "neg", translate_call, kHalf, "-a", kNearest},
    {"abs", kHalves, "ftz", 1, "abs", translate_call, kHalf, "|a|", kNearest},
    {"min", kHalves, "ftz NaN xorsign abs", 2, "min", translate_call, kHalf, "the smaller",
     kNearest},
    {"max", kHalves, "ftz NaN xorsign abs", 2, "max", translate_call, kHalf, "the larger",
     kNearest},
    {"tanh", kHalves, "approx", 1, "tanh", translate_call, kHalf, "hyperbolic tangent", kBound},
    {"ex2", kHalves, "approx ftz", 1, "ex2", translate_call, kHalf, "power of 2", kBound},

    {"set", "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64", "*", 2, "truth", translate_compare,
     kCompare, "a comparison, as a number", kOrder},
    {"setp", "u16 u32 u64 s16 s32 s64 b16 b32 b64 f32 f64", "*", 2, "compare", translate_compare,
     kCompare, "a comparison, and its contrary, with a predicate", kOrder},
    {"set", kHalves, "*", 2, "truth", translate_compare, kHalfCompare, "a comparison, as a number",
     kOrder},
    {"setp", kHalves, "*", 2, "compare", translate_compare, kHalfCompare, "a comparison", kOrder},
    {"selp", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", "", 3, "selp", translate_select,
     kCompare, "a or b, by a predicate", kFormula},
    {"slct", "f32 s32", "*", 3, "slct", translate_select, kCompare, "a or b, by the sign of c",
     kFormula},

    {"and", "pred b16 b32 b64", "", 2, "and_", translate_call, kLogic, "a & b", kBitByBit},
    {"or", "pred b16 b32 b64", "", 2, "or_", translate_call, kLogic, "a | b", kBitByBit},
    {"xor", "pred b16 b32 b64", "", 2, "xor_", translate_call, kLogic, "a ^ b", kBitByBit},
    {"not", "pred b16 b32 b64", "", 1, "not_", translate_call, kLogic, "~a", kBitByBit},
    {"cnot", "b16 b32 b64", "", 1, "cnot", translate_call, kLogic, "1 for 0, else 0", kBitByBit},
    {"lop3", "b32", "and or", 4, "lop3", translate_lop3, kLogic, "any function of three bits",
     kBitByBit},
    {"shf", "b32", "l r clamp wrap", 3, "shf", translate_call, kLogic, "a shift of two registers",
     kBitByBit},
    {"shl", "b16 b32 b64", "", 2, "shl", translate_call, kLogic, "a << b", kBitByBit},
    {"shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64", "", 2, "shr", translate_call, kLogic, "a >> b",
     kBitByBit},

    {"mov", kMoved, "", 1, "", translate_move, kData,
     "a register, number, address, or several in one", kCopy},
    {"prmt", "b32", "f4e b4e rc8 ecl ecr rc16", 3, "prmt", translate_call, kData,
     "four of eight bytes", kBytes},
    {"ld", kMoved, "*", 1, "", translate_load, kData, "from memory, up to 8 at once", kCopy},
    {"ldu", kMoved, "*", 1, "", translate_load, kData, "the same", kCopy},
    {"st", kMoved, "*", 1, "", translate_store, kData, "to memory, up to 8 at once", kCopy},
    {"cvta", "u64", "*", 1, "", translate_address, kData, "an address of another space", kCopy},
    {"isspacep", "", "*", 1, "", translate_is_space, kData, "whether an address is in a space",
     kCopy},
    {"cvt.pack", "", "*", 3, "cvt_integers", translate_convert_pack, kData,
     "two integers clamped to 2 to 16 bits each", kWider},
    {"cvt.tf32", "f32", "*", 1, "cvt_tf32", translate_convert_tf32, kData,
     "f32 with the digits of tf32", kNearest},
    {"cvt", kBytePairs, "*", 2, "", translate_convert_byte, kData, "two numbers of 8 bits",
     kNearest},
    {"cvt", kAny, "*", 1, "cvt", translate_convert, kData, "another type, rounded or clamped",
     kConversion},
    {"createpolicy", "b64", "*", 1, "", translate_policy, kData,
     "a hint for the cache of level 2, which others take",
     "PtxAmpere.CachePoliciesHaveNoEffect: the words that were there"},
    {"prefetch", "", "*", 0, "", translate_nothing, kData, "a hint",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"prefetchu", "", "*", 0, "", translate_nothing, kData, "a hint",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"discard", "", "*", 0, "", translate_nothing, kData, "a hint",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"cp.mbarrier", "b64", "async mbarrier arrive noinc shared cta", 1, "", translate_copy_arrival,
     kData, "cp.async.mbarrier.arrive: an arrival when copies are done",
     "PtxMbarrier.CopiesArriveOnCompletion: the words that were copied"},
    {"cp", "", "*", 0, "", translate_copy, kData,
     "cp.async: a copy to shared memory, at once; its groups and waits",
     "PtxMatrix.BytesNotCopiedAreZero: the bytes that are copied"},
    {"applypriority", "", "*", 0, "", translate_nothing, kData, "a hint",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},

    {"tex", "f32 s32 u32", "*", 1, "", translate_texture, kTexture,
     "a texel, or a sum of several by their weights",
     "PtxTexture.EachGeometryIsReadAsDocumented: the programming guide's formulas"},
    {"tld4", "f32 s32 u32", "*", 1, "", translate_gather, kTexture,
     "one channel of the four texels around a place",
     "PtxTextureGather.ReturnsFourTexelsAsFloats: the texels that are there"},
    {"txq", "b32", "*", 1, "", translate_texel_query, kTexture, "an extent of a texture",
     "PtxTextureProgram.QueriesExtents: what the array was made with"},
    {"istypep", "", "*", 1, "", translate_is_type, kTexture, "whether a handle is of that kind",
     "PtxTextureProgram.QueriesExtents: what the array was made with"},
    {"suld", "b8 b16 b32 b64", "*", 1, "", translate_surface_load, kSurface, "from a surface",
     "PtxSurface.EachSizeAndGeometryIsReadAndWrittenAsDocumented: a copy of the bytes"},
    {"sust", "b8 b16 b32 b64", "*", 1, "", translate_surface_store, kSurface,
     "to a surface; sust.p: a texel, converted to its format",
     "PtxSurface.EachSizeAndGeometryIsReadAndWrittenAsDocumented: a copy of the bytes"},
    {"sured", "u32 s32 b32 u64 s64 b64", "*", 1, "", translate_surface_reduction, kSurface,
     "a change of a surface at once; sured.p: of a texel",
     "PtxSurfaceReduction.EachOperationOnEachTypeIsAsDocumented: the formula in 128 bits"},
    {"suq", "b32", "*", 1, "", translate_texel_query, kSurface, "an extent of a surface",
     "PtxTextureProgram.QueriesExtents: what the array was made with"},

    {"bra", "", "*", 0, "", translate_branch, kControl, "a jump",
     "PtxProgram.ReducesInSharedMemoryBetweenBarriers: a sum by hand"},
    {"brx", "", "*", 0, "", translate_branch, kControl, "a jump by a table",
     "PtxProgram.CallsFunctionsByNameAndByPointer: a value by hand"},
    {"call", "", "*", 0, "", translate_call_function, kControl, "a function, also by pointer",
     "PtxProgram.CallsFunctionsByNameAndByPointer: a value by hand"},
    {"ret", "", "*", 0, "", translate_end, kControl, "back to the caller",
     "PtxProgram.CallsFunctionsByNameAndByPointer: a value by hand"},
    {"exit", "", "*", 0, "", translate_end, kControl, "the end of the thread",
     "PtxProgram.AThreadMayExitInsideAFunction: a value by hand"},

    {"stacksave", "u32 u64", "", 1, "", translate_stack, kStack, "how much alloca has taken",
     kTaken},
    {"stackrestore", "u32 u64", "", 1, "", translate_stack, kStack, "what was taken since is free",
     kTaken},
    {"alloca", "u64", "", 2, "", translate_stack, kStack,
     "local memory, until the function returns", kTaken},

    {"bar", "", "*", 0, "", translate_barrier, kParallel,
     "one of 16 barriers, of the block or some of its warps; bar.warp",
     "PtxBarrier.EachBarrierCountsItsOwnWarps: counts by hand"},
    {"barrier", "", "*", 0, "", translate_barrier, kParallel, "the same",
     "PtxBarrier.ArrivingDoesNotBlockAndWaitingSeesTheWrites: values by hand"},
    {"membar", "", "*", 0, "", translate_nothing, kParallel, "threads run one after another",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"fence", "", "*", 0, "", translate_nothing, kParallel, "the same",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"atom", kAny, "*", 2, "", translate_atomic, kParallel, "a change of memory at once", kFormula},
    {"red", kAny, "*", 2, "", translate_atomic, kParallel, "the same, without what was there",
     kFormula},
    {"vote", "", "*", 0, "", translate_warp, kParallel, "predicates of a warp", kWarp},
    {"match", "", "*", 0, "", translate_warp, kParallel, "lanes with the same value", kWarp},
    {"activemask", "", "*", 0, "", translate_warp, kParallel, "lanes that come here together",
     kWarp},
    {"redux", "", "*", 0, "", translate_warp, kParallel, "a combination over a warp", kWarp},
    {"shfl", "", "*", 0, "", translate_warp, kParallel, "a value of another lane", kWarp},
    {"elect", "", "*", 0, "", translate_warp, kParallel, "the first lane of a mask", kWarp},
    {"mbarrier.init", "b64", "init shared cta", 2, "", translate_mbarrier, kParallel,
     "a barrier in shared memory, for so many arrivals", kMbarrier},
    {"mbarrier.inval", "b64", "inval shared cta", 1, "", translate_mbarrier, kParallel, "its end",
     kMbarrier},
    {"mbarrier.arrive", "b64", "arrive noComplete release shared cta", 2, "",
     translate_mbarrier_arrival, kParallel, "arrivals, and the state before", kMbarrier},
    {"mbarrier.arrive_drop", "b64", "arrive_drop noComplete release shared cta", 2, "",
     translate_mbarrier_arrival, kParallel, "the last arrivals of some threads", kMbarrier},
    {"mbarrier.test_wait", "b64", "test_wait parity acquire shared cta", 2, "", translate_mbarrier,
     kParallel, "whether a phase is complete; others go on first", kMbarrier},
    {"mbarrier.pending_count", "b64", "pending_count", 1, "", translate_mbarrier, kParallel,
     "the arrivals that a state waits for", kMbarrier},
    {"griddepcontrol", "", "*", 0, "", translate_nothing, kParallel, "grids do not overlap",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},

    {"ldmatrix", "b16", "*", 2, "", translate_matrix_load, kMatrix,
     "matrices of 8 by 8 halves from shared memory, also transposed",
     "PtxMatrix.LanesLoadMatricesFromSharedMemory: the ISA's figure of the fragments"},
    {"stmatrix", "b16", "*", 2, "", translate_matrix_store, kMatrix,
     "matrices of 8 by 8 halves to shared memory, also transposed", kFragments},
    {"movmatrix", "b16", "*", 1, "", translate_matrix_move, kMatrix,
     "a matrix of 8 by 8 halves, transposed", kFragments},
    {"wmma.load", "f16 bf16 f32 f64 s8 u8 s32", "*", 2, "load_fragment", translate_fragment_load,
     kMatrix, "a matrix from memory, spread over a warp in an order of our own",
     "PtxFragment.AProductEqualsTheNaiveOne: three loops on what is in memory"},
    {"wmma.store", "f16 f32 f64 s32", "*", 2, "store_fragment", translate_fragment_store, kMatrix,
     "such a matrix to memory",
     "PtxFragment.AProductEqualsTheNaiveOne: three loops on what is in memory"},
    {"wmma.mma", "f16 f32 f64 s32", "*", 4, "multiply_fragments", translate_fragment_product,
     kMatrix, "A * B + C of such matrices",
     "PtxFragment.AProductEqualsTheNaiveOne: three loops on what is in memory"},
    {"mma.sp", "f16 f32 s32", "*", 5, "multiply_sparse", translate_sparse_product, kMatrix,
     "the same, where half of A is zeroes and not given",
     "PtxSparse.AProductEqualsThatOfTheDenseMatrices: three loops, zeroes and all"},
    {"mma", "f16 bf16 f32 f64 s32", "*", 4, "multiply", translate_matrix_product, kMatrix,
     "A * B + C, spread over a warp", kFragments},

    {"vadd", "u32 s32", "*", 2, "", translate_video, kVideo, "a + b, of bytes, halves or words",
     kWider},
    {"vsub", "u32 s32", "*", 2, "", translate_video, kVideo, "a - b, of bytes, halves or words",
     kWider},
    {"vabsdiff", "u32 s32", "*", 2, "", translate_video, kVideo,
     "|a - b|, of bytes, halves or words", kWider},
    {"vmin", "u32 s32", "*", 2, "", translate_video, kVideo,
     "the smaller, of bytes, halves or words", kWider},
    {"vmax", "u32 s32", "*", 2, "", translate_video, kVideo,
     "the larger, of bytes, halves or words", kWider},
    {"vshl", "u32 s32", "*", 2, "", translate_video, kVideo, "a << b, of bytes, halves or words",
     kWider},
    {"vshr", "u32 s32", "*", 2, "", translate_video, kVideo, "a >> b, of bytes, halves or words",
     kWider},
    {"vset", "u32 s32", "*", 2, "", translate_video, kVideo,
     "a comparison, of bytes, halves or words", kWider},
    {"vmad", "u32 s32", "*", 3, "", translate_video_mad, kVideo,
     "a * b + c, of bytes, halves or words", kWider},
    {"vadd2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a + b, of all halves", kWider},
    {"vsub2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a - b, of all halves", kWider},
    {"vavrg2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the average, of all halves",
     kWider},
    {"vabsdiff2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "|a - b|, of all halves",
     kWider},
    {"vmin2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the smaller, of all halves",
     kWider},
    {"vmax2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the larger, of all halves",
     kWider},
    {"vset2", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a comparison, of all halves",
     kWider},
    {"vadd4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a + b, of all bytes", kWider},
    {"vsub4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a - b, of all bytes", kWider},
    {"vavrg4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the average, of all bytes",
     kWider},
    {"vabsdiff4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "|a - b|, of all bytes",
     kWider},
    {"vmin4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the smaller, of all bytes",
     kWider},
    {"vmax4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "the larger, of all bytes",
     kWider},
    {"vset4", "u32 s32", "*", 3, "", translate_video_parts, kVideo, "a comparison, of all bytes",
     kWider},

    {"nanosleep", "", "*", 0, "", translate_sleep, kOther,
     "takes no time but on the device's clocks",
     "OwnPtxProgram.EventsMeasureTheLongestSleep: the time that is asked for"},
    {"pmevent", "", "*", 0, "", translate_nothing, kOther, "a mark for profilers",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
    {"trap", "", "", 0, "", translate_end, kOther, "the end of the kernel",
     "OwnPtxProgram.ATrapOrAFailedAssertionIsReported: the error that the driver's header names"},
    {"brkpt", "", "", 0, "", translate_end, kOther, "the same: there is no debugger",
     "OwnPtxProgram.ATrapOrAFailedAssertionIsReported: the error that the driver's header names"},
    {"setmaxnreg", "", "*", 0, "", translate_nothing, kOther, "a hint",
     "HopperPtxProgram.HintsHaveNoEffect: it changes nothing"},
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

/// Returns whether each modifier is a type or one of the family's.
static bool allows(const Family& family, const Instruction& instruction) {
  if (family.modifiers == "*") return true;
  return std::all_of(instruction.modifiers().begin(), instruction.modifiers().end(),
                     [&](const std::string& word) {
                       return bytes_of_type(word) != 0 || is_among(word, family.modifiers);
                     });
}

/// Returns whether a row has the opcode, and the modifier that is part of its name.
static bool is_named(const Family& family, const Instruction& instruction) {
  const std::size_t dot = family.name.find('.');
  if (dot != std::string_view::npos && !instruction.has(family.name.substr(dot + 1))) return false;
  return family.name.substr(0, dot) == instruction.name();
}

/// Returns how well the types of a row fit; 0 if they do not.
static int fit(const Family& family, const Instruction& instruction) {
  const std::vector<std::string>& types = instruction.types();
  if (family.types.empty() || types.empty()) return 2;
  if (is_among(fmt::format("{}", fmt::join(types, ".")), family.types)) return 3;
  if (is_among(types.back(), family.types)) return 2;
  return is_among(types.front(), family.types) ? 1 : 0;
}

const Family* family_of(const Instruction& instruction) {
  const bool sets_carry = instruction.has("cc");
  const Family* best = nullptr;
  int best_fit = 0;
  for (const Family& family : kFamilies) {
    const bool is_carried =
        sets_carry && family.name.size() == 4 && family.name.starts_with(instruction.name());
    if (!is_named(family, instruction) && !is_carried) continue;
    if (sets_carry && !is_among("cc", family.modifiers)) continue;
    if (!allows(family, instruction)) continue;
    if (const int found = fit(family, instruction); found > best_fit) {
      best = &family;
      best_fit = found;
    }
  }
  return best;
}

std::string translate(FunctionWriter& writer, const Instruction& instruction) {
  const Family* family = family_of(instruction);
  if (family == nullptr) throw Unknown{};
  return family->translate(writer, instruction, *family);
}

}  // namespace harness::ptx
