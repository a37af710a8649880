// SPDX-License-Identifier: Apache-2.0
// Fatbin: PTX in a binary image. The container's format is not public, and is not parsed.
// Uncompressed texts are found by searching the bytes, other ones by NVIDIA's cuobjdump.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace harness::ptx {

/// Finds the uncompressed texts in the bytes. Each begins with the comments and empty lines before
/// its .version, and ends with a zero.
std::vector<std::string_view> texts_in(std::string_view bytes);

/// Returns whether cuobjdump is installed.
bool can_extract();

/// Returns the texts that cuobjdump extracts; none if it is not installed. Bytes after an image are
/// ignored, unless they are an image, too. Errors: Refused.
std::vector<std::string> extracted_texts(std::string_view bytes);

/// Returns the index of the text for the newest device of at most this compute capability, such as
/// 80; -1 if there is none.
int best_text(const std::vector<std::string_view>& texts, unsigned capability);

/// Copies the bytes of an image in memory whose size is unknown: up to the beginning of another
/// image of the same kind, to the end of the mapping, or to 64 MiB.
std::string readable_bytes(const void* image);

/// Copies a text in memory: up to its zero, or to the end of the mapping.
std::string readable_text(const void* image);

/// Returns a text up to the end of its last function or directive. A text without a zero is
/// followed by other memory, in which no word begins with a dot.
std::string_view without_rest(std::string_view text);

}  // namespace harness::ptx
