#include "harness/client/finding_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/client/json.h"
#include "harness/printable.h"

namespace harness::client {
namespace {

constexpr const char* kKind = "run 1";

/// The program's own name: the script, where an interpreter runs one.
std::string program_of(const Command& command) {
  for (const std::string& word : command)
    if (const auto extension = std::filesystem::path(word).extension(); extension == ".py")
      return std::filesystem::path(word).stem().string();
  return std::filesystem::path(command.front()).filename().string();
}

std::string first_difference(const Place& recorded, const Place& now, const char* what) {
  if (recorded == now) return {};
  const auto words = [](const Place& place) {
    return place.empty() ? "nowhere"
                         : fmt::format("{}:{}", shown(place.front().file), place.front().line);
  };
  return fmt::format("{} at {} in the file, at {} in the run", what, words(recorded), words(now));
}

/// Says in which decision two runs differ first, or nothing.
std::string other_decisions(const std::vector<ToldDecision>& recorded,
                            const std::vector<ToldDecision>& now) {
  if (recorded.size() != now.size())
    return fmt::format("{} decisions in the file, {} in the run", recorded.size(), now.size());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (recorded[i] != now[i])
      return fmt::format("{}: {} in the file, {}: {} in the run", shown(recorded[i].who),
                         shown(recorded[i].answer), shown(now[i].who), shown(now[i].answer));
  return {};
}

}  // namespace

std::string to_text(const Finding& finding, const Command& command) {
  nlohmann::json json{{"afterlife", kKind},
                      {"command", command},
                      {"fault", finding.fault},
                      {"decisions", finding.decisions},
                      {"replays", finding.replay_count},
                      {"shown", finding.shown_count},
                      {"pedantic", finding.pedantic},
                      {"reads", finding.reads},
                      {"doubt", finding.doubt}};
  if (!finding.forced.empty()) json["forced"] = finding.forced;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

bool is_finding(const std::string& text) {
  return text.starts_with('{') && text.find("\"afterlife\": \"run ") != text.npos;
}

FindingFile parse_finding(const std::string& text) {
  return checked_json("the finding", [&] {
    const auto json = nlohmann::json::parse(text);
    if (json.at("afterlife") != kKind)
      throw std::runtime_error(fmt::format("is of another version: expected '{}'", kKind));
    FindingFile file;
    file.command = json.at("command").get<Command>();
    if (file.command.empty()) throw std::runtime_error("the finding's command is empty");
    file.finding.fault = json.at("fault").get<ToldFault>();
    file.finding.decisions = json.at("decisions").get<std::vector<ToldDecision>>();
    file.finding.replay_count = json.at("replays");
    file.finding.shown_count = json.at("shown");
    file.finding.pedantic = json.value("pedantic", false);
    file.finding.reads = json.value("reads", WorldReads());
    file.finding.doubt = json.value("doubt", "");
    file.finding.forced = json.value("forced", "");
    return file;
  });
}

std::string finding_name(const Finding& finding, const Command& command) {
  return fmt::format("{}-{}-{:08x}.run.json", program_of(command), finding.fault.kind,
                     hash_name(finding.fault.signature) & 0xffffffff);
}

std::string difference(const Finding& recorded, const ClientRun& run) {
  const ToldFault* fault = run.find(recorded.fault.signature);
  if (fault == nullptr)
    return fmt::format("the file has a fault that the run has not: {}",
                       shown(recorded.fault.signature, kShownSignatureBytes));
  for (const std::string& differs :
       {first_difference(recorded.fault.birth, fault->birth, "born"),
        first_difference(recorded.fault.capture, fault->capture, "captured"),
        first_difference(recorded.fault.death, fault->death, "died"),
        first_difference(recorded.fault.use, fault->use, "used")})
    if (!differs.empty()) return differs;
  if (recorded.fault.detail != fault->detail)
    return fmt::format("'{}' in the file, '{}' in the run", shown(recorded.fault.detail),
                       shown(fault->detail));
  return other_decisions(recorded.decisions, run.decisions());
}

}  // namespace harness::client
