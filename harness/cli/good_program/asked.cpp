// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/good_program/asked.h"

#include "harness/command/exit_code.h"

namespace harness::entries {

using nlohmann::json;

/// Returns the last line, which has the error; the lines before it are progress.
static std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Answer ask(const Command& command, const std::atomic<bool>& stop, double seconds) {
  const ProcessEnd ended = run_process(command, {seconds, {}, kErrKept}, stop);
  if (ended.stopped) throw AskingStopped();
  if (ended.code != kAsClaimed && ended.code != kNotAsClaimed) {
    const std::string said = last_line(ended.err);
    return {{}, said.empty() ? ended.complaint(seconds) : said};
  }
  json answer = json::parse(ended.out, nullptr, false);
  if (!answer.is_object()) return {{}, "prints no JSON"};
  return {std::move(answer), ""};
}

std::set<std::string> signatures_in(const json& answer) {
  std::set<std::string> found;
  for (const json& fault : answer.value("faults", json::array()))
    found.insert(fault.at("signature"));
  for (const json& result : answer.value("results", json::array()))
    for (const json& signature : result.at("signatures")) found.insert(signature);
  return found;
}

}  // namespace harness::entries
