// SPDX-License-Identifier: Apache-2.0
// Html: text and elements of a page that is read in a browser.
//
// Text of files is hostile: nothing of it is ever markup, wherever it stands. Deterministic: no
// ids, no dates.
#pragma once

#include <string>
#include <string_view>

namespace harness::reports {

/// `text` as it stands between tags and between the quotes of an attribute; line breaks are kept.
std::string escaped(std::string_view text);

/// One line of text that is not ours: control characters told by number, then escaped.
std::string shown_text(std::string_view text);

/// The same of a name, a signature or a file: where it is too long for its line, it continues in
/// the next one behind an underscore, a slash, a dash or a colon, and not within a word.
std::string shown_name(std::string_view name);

/// Escaped, and each colour of a terminal a span: `Terminal::paint(Colour::red, "x")` gives
/// <span class="t31">x</span>. Line breaks are kept.
std::string coloured(std::string_view text);

/// Returns a path as a relative reference (RFC 3986), as links and other programs want it.
std::string reference(std::string_view path);

/// One word of a command line for a POSIX shell, quoted where it must be.
std::string shell_word(std::string_view word);

}  // namespace harness::reports
