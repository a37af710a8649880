#include "harness/entries/cli/bisect/asked.h"

#include "harness/entries/cli/bisect/stopped.h"
#include "harness/entries/cli/commands.h"

namespace harness::entries {

using nlohmann::json;

constexpr double kSeconds = 3600;

static std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Answer ask(const Command& command, const std::atomic<bool>& stop) {
  const ProcessEnd ended = run_process(command, {kSeconds, {}, kErrKept}, stop);
  if (ended.stopped) throw BisectionStopped();
  if (ended.code != kAsClaimed && ended.code != kNotAsClaimed) {
    const std::string said = first_line(ended.err);
    return {{}, said.empty() ? ended.complaint(kSeconds) : said};
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
