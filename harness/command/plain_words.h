// SPDX-License-Identifier: Apache-2.0
// Plain words: the message of an exception, for a user who does not know our libraries.
#pragma once

#include <exception>
#include <string>

namespace harness::entries {

/// Returns one line: the message itself if it is from our code.
std::string plain_words(const std::exception& error);

}  // namespace harness::entries
