// SPDX-License-Identifier: Apache-2.0
#include "harness/client/border/json.h"

#include <fmt/format.h>
#include <array>
#include <string_view>
#include <utility>

#include "harness/client/border/nvcc_names.h"
#include "harness/core/fault/former_words.h"

namespace harness::client {

using nlohmann::json;

void to_json(json& json, const Frame& frame) {
  json = {{"file", frame.file}, {"line", frame.line}, {"function", frame.function}};
  if (frame.offset != 0) json["offset"] = frame.offset;
  if (frame.is_library) json["library"] = true;
}

/// Older files have names of files that nvcc wrote.
void from_json(const json& json, Frame& frame) {
  frame.file = json.at("file");
  if (std::string source = source_name(frame.file); !source.empty()) frame.file = std::move(source);
  frame.line = json.at("line");
  frame.function = json.at("function");
  frame.offset = json.value("offset", std::uint64_t{0});
  frame.is_library = json.value("library", false);
}

void to_json(json& json, const ToldDecision& told) {
  json = {{"who", told.who},
          {"answer", told.answer},
          {"activation", told.decision.activation},
          {"site", told.decision.site_tag},
          {"nth", told.decision.nth},
          {"value", told.decision.value}};
  if (!told.place.empty()) json["place"] = told.place;
  if (told.is_forced()) json["forced"] = true;
}

void from_json(const json& json, ToldDecision& told) {
  told.who = json.at("who");
  told.answer = json.at("answer");
  told.place = json.value("place", Place());
  told.decision = {json.at("activation"), json.at("site"), json.at("nth"), json.at("value")};
}

void to_json(json& json, const ToldError& error) {
  json = {{"function", error.function},    {"status", error.status}, {"place", error.place},
          {"injected", error.is_injected}, {"thread", error.thread}, {"call", error.call},
          {"after", error.decision_count}};
  if (error.object.empty()) return;
  json["object"] = error.object;
  json["alive"] = error.is_alive;
  json["birth"] = {{"site", error.birth.site},
                   {"place", error.birth.place},
                   {"thread", error.birth.thread},
                   {"call", error.birth.call}};
}

void from_json(const json& json, ToldError& error) {
  error.function = json.at("function");
  error.status = json.at("status");
  error.place = json.at("place").get<Place>();
  error.is_injected = json.at("injected");
  error.thread = json.at("thread");
  error.decision_count = json.at("after");
  error.call = json.at("call");
  if (!json.contains("object")) return;
  error.object = json.at("object");
  error.is_alive = json.at("alive");
  const nlohmann::json& birth = json.at("birth");
  error.birth = {.site = birth.at("site"),
                 .place = birth.at("place").get<Place>(),
                 .thread = birth.at("thread"),
                 .call = birth.at("call")};
}

/// Writes a party of a wait without effect.
static void to_json(json& json, const Party& party) {
  json = {{"site", party.site}, {"place", party.place}, {"stream", party.stream}};
}

static void from_json(const json& json, Party& party) {
  party.site = json.at("site");
  party.place = json.at("place").get<Place>();
  party.stream = json.at("stream");
}

/// Threads and streams are written only if they are known.
void to_json(json& json, const ToldFault& fault) {
  json = {{"signature", fault.signature}, {"kind", fault.kind}, {"object", fault.object},
          {"detail", fault.detail},       {"key", fault.key},   {"at", fault.at},
          {"after", fault.decision_count}};
  for (const PartyInfo& info : kParties) {
    const Party& party = fault.*info.party;
    json[info.name] = party.site;
    json[info.place] = party.place;
    if (!party.thread.empty()) json["threads"][info.place] = party.thread;
    if (!party.stream.empty()) json["streams"][info.place] = party.stream;
    if (!party.process.empty()) json["processes"][info.place] = party.process;
    if (party.call != 0) json["names"][info.place] = {party.call, party.on};
  }
  if (!fault.wait.site.empty())
    json["without_effect"] = {{"record", fault.record}, {"wait", fault.wait}};
  if (!fault.again.site.empty()) json["without_effect"]["again"] = fault.again;
  if (!fault.record_error.empty()) json["without_effect"]["error"] = fault.record_error;
  if (fault.is_reversed) json["reversed"] = true;
  if (!fault.ended.empty()) json["ended"] = fault.ended;
  if (!fault.pedantic.empty()) json["pedantic"] = fault.pedantic;
  if (!fault.free_threads.empty()) json["free_threads"] = fault.free_threads;
}

/// Replaces the names of files that nvcc wrote, in functions of an older file.
static std::string in_source_names(std::string functions) {
  constexpr std::string_view kBegin = "tmpxft_", kEnd = ".cudafe1.cpp:";
  for (std::size_t at = 0; (at = functions.find(kBegin, at)) != functions.npos; ++at) {
    const std::size_t end = functions.find(kEnd, at);
    if (end == functions.npos) break;
    const std::size_t bytes = end + kEnd.size() - 1 - at;
    functions.replace(at, bytes, source_name(functions.substr(at, bytes)));
  }
  return functions;
}

/// Older files have no other party of a data race.
void from_json(const json& json, ToldFault& fault) {
  fault.signature = in_current_words(json.at("signature").get<std::string>());
  fault.kind = in_current_words(json.at("kind").get<std::string>());
  fault.object = json.at("object");
  fault.detail = json.at("detail");
  fault.decision_count = json.at("after");
  fault.key = json.value("key", Name{0});
  fault.at = in_source_names(json.value("at", ""));
  const nlohmann::json threads = json.value("threads", nlohmann::json::object());
  const nlohmann::json streams = json.value("streams", nlohmann::json::object());
  const nlohmann::json processes = json.value("processes", nlohmann::json::object());
  for (const PartyInfo& info : kParties) {
    if (info.party == &ToldFault::other && !json.contains(info.name)) continue;
    const auto names = json.value(
        nlohmann::json::json_pointer(fmt::format("/names/{}", info.place)), std::array<Name, 2>{});
    fault.*info.party = {json.at(info.name),
                         json.at(info.place).get<Place>(),
                         threads.value(info.place, ""),
                         streams.value(info.place, ""),
                         names[0],
                         names[1],
                         processes.value(info.place, "")};
  }
  if (const auto idle = json.find("without_effect"); idle != json.end()) {
    fault.record = idle->at("record").get<Party>();
    fault.wait = idle->at("wait").get<Party>();
    if (idle->contains("again")) fault.again = idle->at("again").get<Party>();
    fault.record_error = idle->value("error", "");
  }
  fault.is_reversed = json.value("reversed", false);
  fault.ended = json.value("ended", "");
  fault.pedantic = json.value("pedantic", "");
  fault.free_threads = json.value("free_threads", "");
}

json asked_json(const std::vector<AskedQuestion>& asked) {
  json rows = json::array();
  for (const AskedQuestion& one : asked)
    rows.push_back({one.activation, site_tag(one.site), one.nth, one.values});
  return rows;
}

std::vector<AskedQuestion> asked_of(const json& json) {
  std::vector<AskedQuestion> asked;
  for (const auto& row : json) {
    const int site = site_of_tag(row.at(1));
    if (site < 0) continue;
    asked.push_back({row.at(0), static_cast<Site>(site), row.at(2), row.at(3)});
  }
  return asked;
}

json tape_json(const Tape& tape) {
  json rows = json::array();
  for (const Decision& decision : tape)
    rows.push_back({decision.activation, decision.site_tag, decision.nth, decision.value});
  return rows;
}

Tape tape_of(const json& json) {
  Tape tape;
  for (const auto& row : json) tape.push_back({row.at(0), row.at(1), row.at(2), row.at(3)});
  return tape;
}

}  // namespace harness::client
