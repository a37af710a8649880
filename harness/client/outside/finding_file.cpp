// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/finding_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "harness/base/printable.h"
#include "harness/client/border/json.h"
#include "harness/client/outside/build_id.h"
#include "harness/client/outside/portable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/source_places.h"
#include "harness/core/fault/former_words.h"

namespace harness::client {
namespace {

constexpr const char* kKind = "run 1";
constexpr double kLongestLimit = 24 * 3600;

/// Returns the frame in words that distinguish it from all others.
std::string words(const Frame& frame) {
  return fmt::format("{}:{} in {}{}", shown(frame.file), frame.line, shown(frame.function),
                     frame.offset == 0 ? "" : fmt::format("+{:#x}", frame.offset));
}

/// Returns the place of the run in the form of the recorded one, which has one frame for each
/// address if an older version wrote it.
Place in_form_of(const Place& recorded, const Place& now) {
  Place form;
  auto here = recorded.begin();
  for (auto there = now.begin(); there != now.end();) {
    const auto end = end_of_address(now, there);
    const auto next = here == recorded.end() ? here : end_of_address(recorded, here);
    const auto one = next - here != 1 ? end : std::find_if(there, end, [&](const Frame& frame) {
      return is_same_place(*here, frame);
    });
    if (one != end)
      form.push_back(*one);
    else
      form.insert(form.end(), there, end);
    here = next;
    there = end;
  }
  return form;
}

/// Returns the first difference between two places in words, or "".
std::string first_difference(const Place& recorded, const Place& run, const char* what) {
  const Place now = in_form_of(recorded, run);
  const auto [here, there] = std::ranges::mismatch(recorded, now, is_same_place);
  if (here == recorded.end() && there == now.end()) return {};
  return fmt::format("{} at {} in the file, at {} in the run", what,
                     here == recorded.end() ? "no further frame" : words(*here),
                     there == now.end() ? "no further frame" : words(*there));
}

/// Returns the difference between two texts of a field in words, or "".
std::string first_difference(const std::string& recorded, const std::string& now,
                             const char* what) {
  if (without_lines(recorded) == without_lines(now)) return {};
  return fmt::format("{} is '{}' in the file, '{}' in the run", what, shown(recorded), shown(now));
}

/// Returns the place of a party, for a wait without the innermost functions of the C library. A
/// waiting thread wakes up from time to time, and may be in another one of them by then.
Place outside_libc(const Party& party) {
  const auto is_libc = [](const Frame& frame) {
    return frame.is_library && frame.file_name().starts_with("libc.so");
  };
  const auto first =
      party.site == kWait ? std::ranges::find_if_not(party.place, is_libc) : party.place.begin();
  return {first, party.place.end()};
}

/// Returns the first difference between a party of two faults in words, or "". Older files do not
/// have the other party of a data race, or the stream of an allocation, but may have the place of
/// an end that plays no part.
std::string other_party(const ToldFault& recorded, const ToldFault& now, const PartyInfo& info) {
  const Party& file = recorded.*info.party;
  const Party& run = now.*info.party;
  if (info.party == &ToldFault::other && file == Party()) return {};
  if (info.party == &ToldFault::death && file.site.empty() && run == Party()) return {};
  const bool is_birth = info.party == &ToldFault::birth;
  for (const auto& [what, text] : {std::pair{"", &Party::site},
                                   {", thread", &Party::thread},
                                   {", stream", &Party::stream},
                                   {", process", &Party::process}}) {
    if (is_birth && text == &Party::stream && file.stream.empty()) continue;
    if (std::string differs =
            first_difference(file.*text, run.*text, fmt::format("{}{}", info.name, what).c_str());
        !differs.empty())
      return differs;
  }
  return first_difference(outside_libc(file), outside_libc(run), info.name);
}

/// Returns the end without its time limit, because a replay has a longer one than the recorded run.
std::string without_limit(const std::string& ended) {
  constexpr std::string_view kOption = " (--timeout)";
  return without_numbers(ended.ends_with(kOption) ? ended.substr(0, ended.size() - kOption.size())
                                                  : ended);
}

/// Returns the first difference between the fields of two faults in words, or "".
std::string other_fields(const ToldFault& recorded, const ToldFault& now) {
  const std::array texts{
      std::pair{"kind", &ToldFault::kind}, std::pair{"object", &ToldFault::object},
      std::pair{"detail", &ToldFault::detail}, std::pair{"pedantic", &ToldFault::pedantic}};
  for (const auto& [what, text] : texts)
    if (std::string differs = first_difference(recorded.*text, now.*text, what); !differs.empty())
      return differs;
  for (const PartyInfo& info : kParties)
    if (std::string differs = other_party(recorded, now, info); !differs.empty()) return differs;
  if (without_limit(recorded.ended) != without_limit(now.ended))
    return first_difference(recorded.ended, now.ended, "ended");
  return {};
}

/// Returns the difference between two choices in words, or "".
std::string other_decision(const ToldDecision& recorded, const ToldDecision& now) {
  if (without_lines(recorded.who) != without_lines(now.who) || recorded.answer != now.answer)
    return fmt::format("{}: {} in the file, {}: {} in the run", shown(recorded.who),
                       shown(recorded.answer), shown(now.who), shown(now.answer));
  const std::string what = fmt::format("the choice {}", shown(now.who));
  if (recorded.decision != now.decision)
    return fmt::format("{} has another number in the file", what);
  return first_difference(recorded.place, now.place, what.c_str());
}

/// Returns the first difference between the choices of two runs in words, or "".
std::string other_decisions(const std::vector<ToldDecision>& recorded,
                            const std::vector<ToldDecision>& now) {
  if (recorded.size() != now.size())
    return fmt::format("{} choices in the file, {} in the run", recorded.size(), now.size());
  for (std::size_t i = 0; i < recorded.size(); ++i)
    if (std::string differs = other_decision(recorded[i], now[i]); !differs.empty()) return differs;
  return {};
}

/// Returns a text of an older file in the words of this version, so that they can be compared.
std::string with_current_phrases(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kOlder[] = {
      {" goes on", " runs"},
      {"freed storage is given out again", "freed storage is reused"},
      {"no"
       "body has waited",
       "no one has waited"}};  // Split, for hygiene.py.
  for (const auto& [older, current] : kOlder)
    if (const std::size_t at = text.find(older); at != text.npos)
      text.replace(at, older.size(), current);
  return text;
}

}  // namespace

std::string to_text(const Finding& whole, const Command& command) {
  const Finding finding = portable(whole, command);
  nlohmann::json json{{"afterlife", kKind},
                      {"command", command.empty() ? command : portable(command)},
                      {"fault", finding.fault},
                      {"decisions", finding.decisions},
                      {"replays", finding.replay_count},
                      {"shown", finding.shown_count},
                      {"pedantic", finding.pedantic},
                      {"reads", finding.reads},
                      {"doubt", finding.doubt},
                      {"fix", finding.fix}};
  if (!finding.build.empty()) json["build"] = finding.build;
  if (!finding.forced.empty()) json["forced"] = finding.forced;
  if (finding.limit_seconds != 0) json["limit_seconds"] = finding.limit_seconds;
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
    for (ToldDecision& one : file.finding.decisions) one.answer = with_current_phrases(one.answer);
    file.finding.fault.detail = with_current_phrases(file.finding.fault.detail);
    file.finding.replay_count = json.at("replays");
    file.finding.shown_count = json.at("shown");
    file.finding.pedantic = json.value("pedantic", false);
    file.finding.reads = json.value("reads", WorldReads());
    file.finding.doubt = json.value("doubt", "");
    file.finding.forced = json.value("forced", "");
    file.finding.fix = json.value("fix", "");
    file.finding.build = json.value("build", "");
    file.finding.limit_seconds = json.value("limit_seconds", 0.0);
    if (file.finding.limit_seconds < 0 || file.finding.limit_seconds > kLongestLimit)
      throw std::runtime_error("limit_seconds is not between 0 and a day");
    return file;
  });
}

/// Returns the name of the first script in a word, which may be a line of the shell; else "".
static std::string script_in(const std::string& word) {
  std::istringstream parts(word);
  for (std::string part; parts >> part;)
    if (const std::filesystem::path path(part); path.extension() == ".py") return path.stem();
  return {};
}

std::string program_of(const Command& command) {
  for (const std::string& word : command)
    if (std::string script = script_in(word); !script.empty()) return script;
  return std::filesystem::path(command.front()).filename().string();
}

std::string finding_name(const Finding& finding, const std::string& program) {
  return fmt::format(
      "{}-{}-{:08x}.run.json", program, finding.fault.kind,
      hash_name(in_former_words(finding.fault.signature) + finding.fault.at) & 0xffffffff);
}

/// Returns the fault, the choices and the doubt of the run in the form that a file has.
static Finding as_filed(const ToldFault& fault, const ClientRun& run, const std::string& doubt,
                        const Command& command) {
  Finding finding;
  finding.fault = fault;
  finding.decisions = run.decisions();
  finding.doubt = doubt;
  return portable(std::move(finding), command);
}

/// Returns whether the run has the same reason why it may not repeat.
static bool has_doubt(const ToldFault& fault, const ClientRun& run, const FindingFile& file) {
  std::vector<std::string> doubts{fault.free_threads};
  for (const Report& report : run.reports)
    doubts.insert(doubts.end(), {report.doubt, report.free_threads});
  return std::ranges::any_of(doubts, [&](const std::string& doubt) {
    return without_lines(as_filed(fault, run, doubt, file.command).doubt) ==
           without_lines(file.finding.doubt);
  });
}

std::string other_build(const FindingFile& file) {
  const std::string now = build_id_of(file.command);
  if (file.finding.build.empty() || now == file.finding.build) return {};
  return fmt::format("the program was built again: its build-id is {} in the file, {} now",
                     shown(file.finding.build), now.empty() ? "none" : now);
}

std::string difference(const FindingFile& file, const ClientRun& run) {
  const Finding& recorded = file.finding;
  const ToldFault* fault = run.find(recorded.fault);
  if (fault == nullptr)
    return fmt::format("the file has a fault that the run does not have: {}",
                       shown(recorded.fault.signature, kShownSignatureBytes));
  const Finding now = as_filed(*fault, run, "", file.command);
  if (std::string differs = other_fields(recorded.fault, now.fault); !differs.empty())
    return differs;
  // A reason that only the run has may result from a busy machine, and is not compared.
  if (!recorded.doubt.empty() && !has_doubt(*fault, run, file))
    return fmt::format("doubt is '{}' in the file, but the run has none", shown(recorded.doubt));
  return other_decisions(recorded.decisions, now.decisions);
}

}  // namespace harness::client
