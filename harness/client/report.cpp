// SPDX-License-Identifier: Apache-2.0
#include "harness/client/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/client/json.h"

namespace harness::client {

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

bool ToldFault::is_same(const ToldFault& right) const {
  if (signature != right.signature) return false;
  if (!at.empty() && !right.at.empty())
    return at == right.at || former_at == right.at || at == right.former_at;
  return key == 0 || right.key == 0 || key == right.key;
}

bool ToldFault::is_face_of(const ToldFault& right) const {
  const auto is_at_one_line = [&](Party ToldFault::* party) {
    const Place& here = (this->*party).place;
    return !here.empty() && here == (right.*party).place;
  };
  return is_at_one_line(&ToldFault::birth) && is_at_one_line(&ToldFault::death) &&
         (use.site == kAllocation || is_at_one_line(&ToldFault::use));
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
