// SPDX-License-Identifier: Apache-2.0
#include "harness/nightly/command/programs/program_finding.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/base/files/fail.h"
#include "harness/base/files/plain_name.h"

namespace harness::entries {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The first line of such a text, which is neither JSON nor a reproducer of a path.
constexpr std::string_view kBegin = "finding of program ";

}  // namespace

std::string signature_of(const client::ToldFault& fault) {
  return fault.at.empty() ? fault.signature : fmt::format("{} at:{}", fault.signature, fault.at);
}

/// Adds the signature of a fault, and that of older versions.
static void add_signatures(client::ToldFault fault, std::vector<std::string>& all) {
  all.push_back(signature_of(fault));
  if (fault.former_at.empty()) return;
  fault.at = fault.former_at;
  all.push_back(signature_of(fault));
}

std::vector<std::string> signatures_of(const client::ClientRun& run) {
  std::vector<std::string> all;
  for (const client::Report& report : run.reports)
    for (const client::ToldFault& fault : report.faults) add_signatures(fault, all);
  for (const client::ToldFault& failure : run.failures) add_signatures(failure, all);
  return all;
}

std::string program_reproducer(const client::Finding& finding, const NightProgram& program) {
  Json json = Json::parse(client::to_text(finding, program.command));
  json.erase("command");
  return fmt::format("{}{}\n{}\n", kBegin, program.name, json.dump(1));
}

std::string program_of_reproducer(const std::string& text) {
  if (!text.starts_with(kBegin)) return {};
  const std::string name = text.substr(kBegin.size(), text.find('\n') - kBegin.size());
  return is_plain_name(name) ? name : "";
}

client::FindingFile parse_program_reproducer(const std::string& text, const Command& command) {
  Json json = Json::parse(text.substr(std::min(text.find('\n'), text.size())), nullptr, false);
  if (!json.is_object()) throw std::runtime_error("its record in the history is damaged");
  json["command"] = command;
  return client::parse_finding(json.dump());
}

InFolder::InFolder(const std::string& folder) : before_(fs::current_path().string()) {
  std::error_code failed;
  fs::current_path(folder, failed);
  if (failed) fail(folder, fmt::format("cannot enter it: {}", failed.message()));
}

InFolder::~InFolder() {
  std::error_code gone;
  fs::current_path(before_, gone);
}

}  // namespace harness::entries
