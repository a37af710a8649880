// SPDX-License-Identifier: Apache-2.0
// Html: text and elements of an HTML page.
//
// Text from files is untrusted, and never interpreted as markup. Deterministic: no ids, no dates.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// Escapes text for use between tags, or in an attribute. Line breaks are kept.
std::string escaped(std::string_view text);

/// Returns a line of untrusted text: control characters are replaced by their numbers, then it is
/// escaped.
std::string shown_text(std::string_view text);

/// The same for a name, a signature or a file. A long one can be broken after an underscore, a
/// slash, a dash or a colon, but not within a word.
std::string shown_name(std::string_view name);

/// Escapes text, and makes each terminal colour a span: `Terminal::paint(Colour::red, "x")` gives
/// <span class="t31">x</span>. Line breaks are kept.
std::string coloured(std::string_view text);

/// Returns a path as a relative reference (RFC 3986), as links require.
std::string reference(std::string_view path);

/// Returns one word of a command line for a POSIX shell, quoted if necessary.
std::string shell_word(std::string_view word);

}  // namespace harness::reports
