// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/sealed.h"

#include <fmt/format.h>

#include "harness/base/base.h"
#include "harness/base/files/fail.h"
#include "harness/base/printable.h"

namespace harness::nightly {
namespace {

using Json = nlohmann::json;

constexpr const char* kVersionKey = "afterlife_nightly";
constexpr int kVersion = 1;
constexpr const char* kSealKey = "seal";
constexpr std::string_view kSealBegin = ",\n \"seal\": \"";
constexpr std::string_view kSealEnd = "\"\n}\n";
constexpr std::size_t kSealBytes = kSealBegin.size() + 16 + kSealEnd.size();

std::string seal_of(std::string_view body) {
  return fmt::format("{}{:016x}{}", kSealBegin, hash_name(body), kSealEnd);
}

}  // namespace

std::string sealed(std::string_view kind, Json content) {
  content[kVersionKey] = fmt::format("{} {}", kind, kVersion);
  std::string body = content.dump(1, ' ', true, Json::error_handler_t::replace);
  body.resize(body.size() - 2);  // Without the last line with the closing brace.
  return body + seal_of(body);
}

Json opened(std::string_view kind, const std::string& text, const std::string& file) {
  const std::size_t body = text.size() - std::min(text.size(), kSealBytes);
  if (body == 0 || text.substr(body) != seal_of(std::string_view(text).substr(0, body)))
    fail(file, "is damaged: it was changed after it was written; remove it, and create it again");
  Json content = Json::parse(text, nullptr, false);
  const Json found = content.is_object() ? content.value(kVersionKey, Json()) : Json();
  if (found != fmt::format("{} {}", kind, kVersion))
    fail(file, fmt::format("is '{}', and this program reads '{} {}'",
                           found.is_string() ? shown(found.get<std::string>()) : "something else",
                           kind, kVersion));
  content.erase(kSealKey);
  return content;
}

void refuse_content(std::string_view kind, const std::string& file) {
  fail(file, fmt::format("does not have the contents of a {}", kind));
}

}  // namespace harness::nightly
