// SPDX-License-Identifier: Apache-2.0
// Fatbin: PTX in an image that is not text. The container is in no public header, and not read:
// what stands in it uncompressed is seen as it is, the rest is asked of NVIDIA's cuobjdump.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::ptx {

/// Finds the texts that stand in the bytes as they are: each from the comments and empty lines
/// before its .version to the zero that ends it.
std::vector<std::string_view> texts_in(std::string_view bytes);

/// Returns whether cuobjdump is here.
bool can_extract();

/// Returns what cuobjdump makes of the bytes, none if it is not there. What follows an image in
/// them does not matter, unless it is one, too. Errors: Refused.
std::vector<std::string> extracted_texts(std::string_view bytes);

/// Returns the number of the one for the newest device of at most this compute capability, 80 say;
/// -1 where there is none.
int best_text(const std::vector<std::string_view>& texts, unsigned capability);

/// Copies what may be of an image in memory, whose size no one says: up to where another one begins
/// alike, to the end of what is mapped there, or to 64 MiB.
std::string readable_bytes(const void* image);

/// Copies a text in memory: up to its zero, or to the end of what is mapped there.
std::string readable_text(const void* image);

/// Returns a text up to the end of its last function or directive. Of one without a zero, whatever
/// stands behind it in memory follows: no directive, as nothing in that begins with a dot.
std::string_view without_rest(std::string_view text);

}  // namespace harness::ptx
