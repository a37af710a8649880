#include "harness/client/json.h"

namespace harness::client {

using nlohmann::json;

void to_json(json& json, const Frame& frame) {
  json = {{"file", frame.file}, {"line", frame.line}, {"function", frame.function}};
  if (frame.offset != 0) json["offset"] = frame.offset;
  if (frame.is_library) json["library"] = true;
}

void from_json(const json& json, Frame& frame) {
  frame.file = json.at("file");
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

static json threads_json(const ToldThreads& threads) {
  return {{"birth", threads.birth},
          {"death", threads.death},
          {"use", threads.use},
          {"capture", threads.capture}};
}

static ToldThreads threads_of(const json& json) {
  return {json.at("birth"), json.at("death"), json.at("use"), json.at("capture")};
}

void to_json(json& json, const ToldFault& fault) {
  json = {{"signature", fault.signature},   {"kind", fault.kind},       {"object", fault.object},
          {"born", fault.birth_site},       {"died", fault.death_site}, {"used", fault.use_site},
          {"captured", fault.capture_site}, {"detail", fault.detail},   {"birth", fault.birth},
          {"death", fault.death},           {"use", fault.use},         {"capture", fault.capture},
          {"after", fault.decision_count}};
  if (!fault.pedantic.empty()) json["pedantic"] = fault.pedantic;
  if (fault.threads != ToldThreads()) json["threads"] = threads_json(fault.threads);
  if (!fault.free_threads.empty()) json["free_threads"] = fault.free_threads;
}

void from_json(const json& json, ToldFault& fault) {
  fault.signature = json.at("signature");
  fault.kind = json.at("kind");
  fault.object = json.at("object");
  fault.birth_site = json.at("born");
  fault.death_site = json.at("died");
  fault.use_site = json.at("used");
  fault.capture_site = json.at("captured");
  fault.detail = json.at("detail");
  fault.pedantic = json.value("pedantic", "");
  fault.birth = json.at("birth").get<Place>();
  fault.death = json.at("death").get<Place>();
  fault.use = json.at("use").get<Place>();
  fault.capture = json.at("capture").get<Place>();
  fault.decision_count = json.at("after");
  if (json.contains("threads")) fault.threads = threads_of(json.at("threads"));
  fault.free_threads = json.value("free_threads", "");
}

void to_json(json& json, const WorldReads& reads) {
  json = {{"cause", reads.cause}, {"agreed", reads.agreed_count}, {"places", json::array()}};
  for (const WorldRead& read : reads.places)
    json["places"].push_back({{"kind", read.kind},
                              {"function", read.function},
                              {"file", read.file},
                              {"line", read.line},
                              {"offset", read.offset}});
}

void from_json(const json& json, WorldReads& reads) {
  reads.cause = json.at("cause");
  reads.agreed_count = json.at("agreed");
  for (const auto& row : json.at("places"))
    reads.places.push_back({row.at("kind"), row.at("function"), row.at("file"), row.at("line"),
                            row.value("offset", std::uint64_t{0})});
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
