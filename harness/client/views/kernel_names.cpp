// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "harness/base/printable.h"

namespace harness::reports {
namespace {

constexpr std::size_t kPlainBytes = 60;  ///< Longer names have no template arguments.
constexpr std::size_t kMangledBytes = 1024;
/// Limit of back references. Each can double the length of a name, and names may come from
/// untrusted files.
constexpr std::ptrdiff_t kReferenceLimit = 40;

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

/// Calls `act` with each position outside of brackets, until it returns false.
template <class Act>
void for_outer(std::string_view name, Act act) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '>' || c == ')') --depth;
    if (depth == 0 && !act(i)) return;
    if (c == '<' || c == '(') ++depth;
  }
}

/// Removes the return type and the parameters of a function.
std::string_view bare(std::string_view name) {
  std::size_t begin = 0;
  std::size_t end = name.size();
  for_outer(name, [&](std::size_t i) {
    if (name[i] == ' ') begin = i + 1;
    const bool takes = name[i] == '(' && !name.substr(0, i).ends_with("operator");
    if (takes) end = i;
    return !takes;
  });
  return name.substr(begin, end - begin);
}

/// Returns the names at the beginning of a mangled name; "" if it begins differently.
std::string first_names(std::string_view mangled) {
  std::string_view rest = mangled.substr(2);
  if (rest.starts_with('N')) rest.remove_prefix(1);
  std::string names;
  std::size_t bytes = 0;
  while (true) {
    const auto [at, error] = std::from_chars(rest.data(), rest.data() + rest.size(), bytes);
    if (error != std::errc{}) break;
    rest.remove_prefix(static_cast<std::size_t>(at - rest.data()));
    if (bytes == 0 || bytes > rest.size()) return {};
    const std::string_view name = rest.substr(0, bytes);
    if (!name.starts_with("_GLOBAL__N_")) names += (names.empty() ? "" : "::") + std::string(name);
    rest.remove_prefix(bytes);
  }
  if (!names.empty() && rest.starts_with('I')) names += "<...>";
  return names;
}

std::string demangled(const std::string& mangled) {
  if (mangled.size() > kMangledBytes || std::ranges::count(mangled, '_') > kReferenceLimit)
    return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || name == nullptr) return {};
  std::string text = name.get();
  constexpr std::string_view kNameless = "(anonymous namespace)::";
  for (std::size_t at; (at = text.find(kNameless)) != std::string::npos;)
    text.erase(at, kNameless.size());
  return std::string(bare(text));
}

std::string plain(const std::string& mangled) {
  const std::string name = demangled(mangled);
  if (!name.empty() && name.size() <= kPlainBytes) return name;
  const std::string first = first_names(mangled);
  return first.empty() ? mangled : first;
}

}  // namespace

std::string with_plain_names(std::string_view text) {
  std::string left = printable(text);
  std::string made;
  for (std::size_t at = 0; at < left.size();) {
    const std::size_t begin = left.find("_Z", at);
    if (begin == std::string::npos || (begin > 0 && is_in_name(left[begin - 1]))) {
      const std::size_t next = begin == std::string::npos ? left.size() : begin + 2;
      made += left.substr(at, next - at);
      at = next;
      continue;
    }
    std::size_t end = begin;
    while (end < left.size() && is_in_name(left[end])) ++end;
    while (left[end - 1] == '.') --end;  // A dot at the end belongs to the sentence.
    made += left.substr(at, begin - at) + plain(left.substr(begin, end - begin));
    at = end;
  }
  return made;
}

}  // namespace harness::reports
