// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/client/border/json.h"

namespace harness::client {

static constexpr const char* kDataRace = "data_race";

std::string report_file(const std::string& folder, unsigned process) {
  return fmt::format("{}/report-{}.json", folder, process);
}

unsigned take_report_number(const std::string& folder) {
  constexpr unsigned kProcessLimit = 10'000;
  for (unsigned number = 1; number < kProcessLimit; ++number) {
    const std::string file = report_file(folder, number);
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (opened < 0) continue;
    ::close(opened);
    return number;
  }
  return 0;
}

/// Returns the signature without its first word, if that is the outcome of a failed call.
static std::string_view without_outcome(std::string_view signature) {
  for (const std::string_view outcome : {"failure ", "leak "})
    if (signature.starts_with(outcome)) return signature.substr(outcome.size());
  return signature;
}

/// A failed call is the same, whether the object that it should have ended is alive at the end or
/// not.
bool ToldFault::is_same(const ToldFault& right) const {
  if (without_outcome(signature) != without_outcome(right.signature)) return false;
  if (!at.empty() && !right.at.empty())
    return at == right.at || former_at == right.at || at == right.former_at;
  return key == 0 || right.key == 0 || key == right.key;
}

/// Returns whether both are the same call in the same function of the program.
static bool is_like(const Party& left, const Party& right) {
  const Frame* const here = users_frame(left.place);
  const Frame* const there = users_frame(right.place);
  return here != nullptr && there != nullptr && left.site == right.site &&
         here->file == there->file && here->function == there->function &&
         (!here->function.empty() || here->offset == there->offset);
}

/// Returns whether both races are of memory that was born in one function.
static bool have_like_births(const ToldFault& left, const ToldFault& right) {
  const bool are_unknown = left.birth.place.empty() && right.birth.place.empty();
  return left.object == right.object && left.birth.site == right.birth.site &&
         (are_unknown || is_like(left.birth, right.birth));
}

/// Returns whether the fault lacks only the line of the host's write in a race that has it.
static bool lacks_line_of(const ToldFault& fault, const ToldFault& race) {
  if (!fault.is_with_unknown_write() || !race.has_two_uses() || !have_like_births(fault, race))
    return false;
  const auto is_own = [](const Party& one) {
    return one.site == kOwnRead || one.site == kOwnWrite;
  };
  return (is_own(race.use) && is_like(fault.use, race.other)) ||
         (is_own(race.other) && is_like(fault.use, race.use));
}

/// Returns whether both are the race of two uses, in either order.
static bool is_race_of_both(const ToldFault& left, const ToldFault& right) {
  if (!left.has_two_uses() || !right.has_two_uses() || !have_like_births(left, right)) return false;
  return (is_like(left.use, right.use) && is_like(left.other, right.other)) ||
         (is_like(left.use, right.other) && is_like(left.other, right.use));
}

bool ToldFault::has_two_uses() const {
  return kind == kDataRace && death.site.empty() && !other.site.empty();
}

bool ToldFault::is_race_of_calls(const ToldFault& right) const {
  if (!has_two_uses() || !right.has_two_uses() || use.call == 0 || other.call == 0) return false;
  return (use.call == right.use.call && other.call == right.other.call) ||
         (use.call == right.other.call && other.call == right.use.call);
}

bool ToldFault::is_with_unknown_write() const {
  return kind == kDataRace && death.site.empty() && other.site.empty() &&
         detail.ends_with("(host)");
}

bool ToldFault::is_with_allocation() const {
  return kind == kDataRace && death.site.empty() && other.site.empty() &&
         detail.ends_with(fmt::format("({})", kAllocation));
}

bool ToldFault::is_face_of(const ToldFault& right) const {
  if (is_race_of_both(*this, right)) return true;
  if (lacks_line_of(*this, right) || lacks_line_of(right, *this)) return true;
  const auto is_at_one_line = [&](Party ToldFault::* party) {
    const Place& here = (this->*party).place;
    return !here.empty() && here == (right.*party).place;
  };
  return is_at_one_line(&ToldFault::birth) && is_at_one_line(&ToldFault::death) &&
         (use.site == kAllocation || is_at_one_line(&ToldFault::use));
}

Name hash_of(const Place& place) {
  if (place.empty()) return 0;
  Name hash = hash_name("place");
  for (const Frame& frame : place)
    hash = mix(mix(mix(hash, hash_name(frame.file)), static_cast<std::uint64_t>(frame.line)),
               frame.offset);
  return hash;
}

const Frame* users_frame(const Place& place) {
  const auto found = std::ranges::find_if(place, [](const Frame& one) { return !one.is_library; });
  return found != place.end() ? &*found : place.empty() ? nullptr : &place.front();
}

// File names may contain any bytes.
static nlohmann::json json_of(const std::vector<Party>& parties) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Party& party : parties)
    rows.push_back({{"site", party.site}, {"place", party.place}, {"thread", party.thread}});
  return rows;
}

static std::vector<Party> parties_of(const nlohmann::json& rows) {
  std::vector<Party> parties;
  for (const auto& row : rows)
    parties.push_back({.site = row.at("site"),
                       .place = row.at("place").get<Place>(),
                       .thread = row.at("thread")});
  return parties;
}

std::string to_text(const Report& report) {
  const nlohmann::json json{{"process", report.process},
                            {"path", report.path},
                            {"calls", report.call_count},
                            {"failable", report.failable_count},
                            {"whole", report.is_whole},
                            {"python", report.has_python},
                            {"table", report.wants_table},
                            {"work", report.has_work},
                            {"note", report.note},
                            {"refusal", report.refusal},
                            {"doubt", report.doubt},
                            {"free_threads", report.free_threads},
                            {"forced", report.forced},
                            {"faults", report.faults},
                            {"errors", report.errors},
                            {"decisions", report.decisions},
                            {"deadlock", report.is_deadlock},
                            {"stuck", json_of(report.stuck)},
                            {"called", json_of(report.called)},
                            {"asked", asked_json(report.asked)}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Report parse_report(const std::string& text) {
  return checked_json("the report of a process", [&] {
    const auto json = nlohmann::json::parse(text);
    Report report;
    report.process = json.at("process");
    report.path = json.at("path");
    report.call_count = json.at("calls");
    report.failable_count = json.at("failable");
    report.is_whole = json.at("whole");
    report.has_python = json.at("python");
    report.wants_table = json.at("table");
    report.has_work = json.at("work");
    report.note = json.at("note");
    report.refusal = json.at("refusal");
    report.doubt = json.at("doubt");
    report.free_threads = json.at("free_threads");
    report.forced = json.at("forced");
    report.faults = json.at("faults").get<std::vector<ToldFault>>();
    report.errors = json.at("errors").get<std::vector<ToldError>>();
    report.decisions = json.at("decisions").get<std::vector<ToldDecision>>();
    report.asked = asked_of(json.at("asked"));
    report.is_deadlock = json.at("deadlock");
    report.stuck = parties_of(json.at("stuck"));
    report.called = parties_of(json.at("called"));
    return report;
  });
}

}  // namespace harness::client
