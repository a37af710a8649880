// SPDX-License-Identifier: Apache-2.0
// Expect: the possible contents of a block, by the reference model of each node's result.
#pragma once

#include <span>

#include "scenarios/graph_argument/model/model.h"

namespace scenarios::graph_argument {

/// Returns whether a launch has written to the buffer.
bool is_written(const Model& model, const Thing& buffer);
/// Returns whether a launch has written the buffer's `mid`.
bool is_produced(const Model& model, const Thing& buffer);

/// A result in a block, as far as it can be explained.
struct Explained {
  std::int32_t expected = 0;     ///< The best guess.
  harness::Label what;           ///< The node of that guess.
  const Node* writer = nullptr;  ///< The node, if its result matches.
};
/// Returns whether `observed` is possible in element `index` of buffer.out after this many waits.
bool explains(const Model& model, const Thing& buffer, std::uint32_t waits, std::uint32_t index,
              std::int32_t observed, Explained& explained);
/// Returns the index of the first element, from `begin` on, that is not the node's result for its
/// target, or the number of elements.
std::uint32_t first_other(const Node& writer, std::span<const std::int32_t> elements,
                          std::uint32_t begin);
/// Returns whether `observed` is possible in element `index` of buffer.mid after this many waits.
bool explains_mid(const Model& model, const Thing& buffer, std::uint32_t waits, std::uint32_t index,
                  std::int32_t observed);
/// Returns whether the buffer's `next` may hold the address.
bool explains_next(const Model& model, const Thing& buffer, std::uint64_t observed);

}  // namespace scenarios::graph_argument
