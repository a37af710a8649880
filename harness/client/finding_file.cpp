#include "harness/client/finding_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

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

/// The frame in words that tell it from every other.
std::string words(const Frame& frame) {
  return fmt::format("{}:{} in {}{}", shown(frame.file), frame.line, shown(frame.function),
                     frame.offset == 0 ? "" : fmt::format("+{:#x}", frame.offset));
}

/// Says at which frame two places differ first, or nothing.
std::string first_difference(const Place& recorded, const Place& now, const char* what) {
  const auto [here, there] = std::ranges::mismatch(recorded, now);
  if (here == recorded.end() && there == now.end()) return {};
  return fmt::format("{} at {} in the file, at {} in the run", what,
                     here == recorded.end() ? "no further frame" : words(*here),
                     there == now.end() ? "no further frame" : words(*there));
}

/// Says how two texts of the field differ, or nothing.
std::string first_difference(const std::string& recorded, const std::string& now,
                             const char* what) {
  if (recorded == now) return {};
  return fmt::format("{} is '{}' in the file, '{}' in the run", what, shown(recorded), shown(now));
}

/// Says in which of its fields two faults differ first, or nothing.
std::string other_fields(const ToldFault& recorded, const ToldFault& now) {
  const std::array texts{std::tuple{"kind", &ToldFault::kind},
                         std::tuple{"object", &ToldFault::object},
                         std::tuple{"birth_site", &ToldFault::birth_site},
                         std::tuple{"death_site", &ToldFault::death_site},
                         std::tuple{"use_site", &ToldFault::use_site},
                         std::tuple{"capture_site", &ToldFault::capture_site},
                         std::tuple{"detail", &ToldFault::detail},
                         std::tuple{"pedantic", &ToldFault::pedantic}};
  for (const auto& [what, text] : texts)
    if (std::string differs = first_difference(recorded.*text, now.*text, what); !differs.empty())
      return differs;
  for (const std::string& differs : {first_difference(recorded.birth, now.birth, "born"),
                                     first_difference(recorded.capture, now.capture, "captured"),
                                     first_difference(recorded.death, now.death, "died"),
                                     first_difference(recorded.use, now.use, "used")})
    if (!differs.empty()) return differs;
  if (recorded.threads != now.threads) return "the threads of its places";
  return {};
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

/// Returns whether the run gives this reason why it may not repeat.
bool has_doubt(const ToldFault& fault, const ClientRun& run, const std::string& doubt) {
  return doubt == fault.free_threads || std::ranges::any_of(run.reports, [&](const Report& report) {
           return doubt == report.doubt || doubt == report.free_threads;
         });
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
  if (std::string differs = other_fields(recorded.fault, *fault); !differs.empty()) return differs;
  // A reason that the file lacks may come of a busy machine.
  if (!recorded.doubt.empty() && !has_doubt(*fault, run, recorded.doubt))
    return fmt::format("doubt is '{}' in the file, and no doubt of the run", shown(recorded.doubt));
  return other_decisions(recorded.decisions, run.decisions());
}

}  // namespace harness::client
