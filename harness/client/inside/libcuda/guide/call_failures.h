// SPDX-License-Identifier: Apache-2.0
// Call failures: the error that is injected into a call.
#pragma once

#include <string>
#include <string_view>

namespace harness::entries {

/// Returns the name of the error; "" if there are several, or calls of `function` do not fail.
std::string_view failure_of(std::string_view function);

/// Returns how a call of `function` fails, if there is one way.
std::string failure_words(std::string_view function);

}  // namespace harness::entries
