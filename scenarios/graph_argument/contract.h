// SPDX-License-Identifier: Apache-2.0
// Contract: actions that a caller of cuda.core must not take, whatever the variant, by the sites of
// death and use, with the document that forbids them. A fault caused by one is a caller error.
#pragma once

#include "scenarios/graph_argument/scenario.h"

namespace scenarios::graph_argument {

inline constexpr std::string_view kClose =
    "cuda-python#2041, review: explicit release is not protected against";
inline constexpr std::string_view kCaptured =
    "cuda-python#2041, review: what is launched into a capture is the caller's to keep";
inline constexpr std::string_view kBareAddress =
    "cuda.core docs, GraphDefinition.launch: an int is a raw pointer, whose memory is the caller's";
inline constexpr std::string_view kCycle =
    "cuda.core docs, graph attachments: a cycle through a graph is not collected";

inline constexpr std::string_view kStreams =
    "CUDA programming guide, streams: work of different streams is ordered by events and waits "
    "alone, and which of it shares bytes is the program's to know";
inline constexpr std::string_view kGraphMemory =
    "CUDA programming guide, graph memory nodes: it is used between its allocation and its free; "
    "cuda.core passes AllocNode.dptr as an int, whose memory is the caller's";

/// Death site of an unreferenced object that only a captured launch still uses.
inline constexpr harness::Label kBufferCapturedSite = "Buffer.__dealloc__/captured";
inline constexpr harness::Label kModuleCapturedSite = "ObjectCode.__dealloc__/captured";

/// Bytes that unordered work accesses concurrently.
inline constexpr harness::Label kRacedBytes = "bytes of device memory";

/// Site of a launch of copies or sets with bare addresses, in a version without others.
inline constexpr harness::Label kLaunchAddressSite = "Graph.launch/addresses";

inline constexpr std::array<harness::ContractClause, 15> kContract{{
    {"", "Buffer.close", "add_one", kClose},
    {"", "Buffer.close", "saxpy", kClose},
    {"", "Buffer.close", "block_sum", kClose},
    {"", "Buffer.close", "produce", kClose},
    {"", "Buffer.close", "consume", kClose},
    {"", "Buffer.close", "scratch", kClose},
    {"", "Buffer.close", "GN_memcpy", kClose},
    {"", "Buffer.close", "GN_memset", kClose},
    {"", "", "captured", kCaptured},
    {"library", kModuleCapturedSite, "", kCaptured},
    {"", "", "chase", kBareAddress},
    {"", "", kLaunchAddressSite, kBareAddress},
    {"graph memory", "", "", kGraphMemory},
    {kRacedBytes, "", "", kStreams},
    {"reference cycle", "", "", kCycle},
}};

}  // namespace scenarios::graph_argument
