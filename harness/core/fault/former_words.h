// SPDX-License-Identifier: Apache-2.0
// Former words: the names that three kinds of fault had in older files: "order" is now "data_race",
// "retention" is "leak", and "use_after_death" is "use_after_free".
//
// Files of both ages are read. Ids that are hashes of a signature are still made from the former
// words, so that marks, histories and names of files stay valid.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// Returns a kind, or a signature, which begins with one, in the words of this version.
std::string in_current_words(std::string_view signature);

/// Returns a kind or a signature in the words of older files.
std::string in_former_words(std::string_view signature);

}  // namespace harness
