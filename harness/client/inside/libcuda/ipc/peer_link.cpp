// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/ipc/peer_link.h"

#include <set>
#include <utility>

#include "harness/client/inside/libcuda/ipc/descent.h"
#include "harness/driver/cuda/process.h"

namespace harness::entries {

using devices::PeerCall;
using devices::PeerClock;
using devices::PeerObject;
using nlohmann::json;

namespace {

/// Returns a label for text from another process. It is never freed.
Label interned(const std::string& text) {
  static auto* const known = new std::set<std::string>;
  return Label::of(known->insert(text).first->c_str());
}

json told(PeerObject object) { return json::array({object.process, object.index}); }

PeerObject object_of(const json& told) { return {told.at(0), told.at(1)}; }

json told(const devices::PeerPoint& point) {
  return json::array({point.process, point.line, point.tick});
}

devices::PeerPoint point_of(const json& told) { return {told.at(0), told.at(1), told.at(2)}; }

json told(const PeerClock& clock) {
  json points = json::array();
  for (const devices::PeerPoint& point : clock) points.push_back(told(point));
  return points;
}

PeerClock clock_of(const json& told) {
  PeerClock clock;
  for (const json& point : told) clock.push_back(point_of(point));
  return clock;
}

json told(const std::vector<devices::UsedRange>& ranges) {
  json rows = json::array();
  for (const devices::UsedRange& range : ranges)
    rows.push_back(json::array({range.low, range.high, raw(range.mode)}));
  return rows;
}

std::vector<devices::UsedRange> ranges_of(const json& told) {
  std::vector<devices::UsedRange> ranges;
  for (const json& row : told)
    ranges.push_back(
        {row.at(0), row.at(1), static_cast<devices::AccessMode>(row.at(2).get<std::uint8_t>())});
  return ranges;
}

constexpr const char* kEndOfProcess = "the end of the process";

}  // namespace

// ---- the connection ---------------------------------------------------------------------------

void PeerLink::connect() {
  if (std::exchange(has_tried_, true)) return;
  const unsigned number = number_();
  client::BrokerSocket socket = client::BrokerSocket::connect(folder_);
  if (number == 0 || !socket.is_open()) return;
  const std::string words = process_words();
  parties_.name_process(words);
  const std::string path = descent_path();
  const Name end = derive_name(hash_name(path), hash_name(kEndOfProcess), 1);
  const json hello{{"do", "hello"},
                   {"number", number},
                   {"path", path},
                   {"end", client::call_json(kEndOfProcess, end, 0, {.process = words})}};
  if (!socket.send(hello)) return;
  const std::optional<client::Message> answer = socket.receive();
  if (!answer) return;
  run_ = answer->body.at("run");
  process_ = number;
  socket_ = std::move(socket);
  is_sharing_ = true;
}

client::Message PeerLink::ask(const json& question, int file) {
  const std::lock_guard lock(mutex_);
  std::optional<client::Message> answer;
  if (socket_.is_open() && socket_.send(question, file)) answer = socket_.receive();
  if (answer) return std::move(*answer);
  socket_.close();  // The broker has ended.
  is_sharing_ = false;
  return {json::object()};
}

std::string PeerLink::take_turn(bool is_slow) {
  return ask({{"do", "turn"}, {"slow", is_slow}}).body.value("doubt", "");
}

void PeerLink::tell_lag(bool lags) {
  if (std::exchange(told_lag_, lags) != lags) ask({{"do", "lag"}, {"lags", lags}});
}

void PeerLink::end() {
  if (!is_sharing() || !mutex_.try_lock()) return;
  if (socket_.send({{"do", "bye"}})) (void)socket_.receive();
  mutex_.unlock();
}

void PeerLink::forked() {
  socket_.close();
  is_sharing_ = has_tried_ = false;
  process_ = 0;
}

std::uint32_t PeerLink::process() {
  connect();
  return process_;
}

std::uint64_t PeerLink::run() {
  connect();
  return run_;
}

// ---- conversions ------------------------------------------------------------------------------

json PeerLink::told(const PeerCall& call) const {
  askers_.index();
  const World& world = ProcessWorld::get().world();
  const std::string site(call.site.view());
  const client::Party party = parties_.told_elsewhere(world, site, call.source);
  return client::call_json(site, party.call, call.source.stream, party);
}

PeerCall PeerLink::call_of(const json& told) {
  client::Party party = client::party_of_call(told);
  const PeerCall call{interned(party.site), {party.call, 0, party.on}};
  parties_.note_elsewhere(std::move(party));
  return call;
}

// ---- objects ----------------------------------------------------------------------------------

bool PeerLink::offer(const devices::PeerExport& exported, int file) {
  const json question{{"do", "offer"},
                      {"index", exported.object.index},
                      {"kind", raw(exported.kind)},
                      {"life", exported.life},
                      {"base", exported.base},
                      {"bytes", exported.bytes},
                      {"offset", exported.offset},
                      {"outlives", exported.outlives},
                      {"born", told(exported.born)}};
  ask(question, file);
  return is_sharing();
}

devices::PeerOpened PeerLink::open(PeerObject object, devices::PeerKind kind, const PeerCall& by) {
  const client::Message answer =
      ask({{"do", "open"}, {"of", entries::told(object)}, {"kind", raw(kind)}, {"by", told(by)}});
  if (!answer.body.value("there", false)) return {};
  const json& exported = answer.body.at("told");
  return {true,
          {.object = object,
           .kind = kind,
           .life = exported.at("life"),
           .base = exported.at("base"),
           .bytes = exported.at("bytes"),
           .offset = exported.at("offset"),
           .born = call_of(exported.at("born"))},
          answer.file};
}

void PeerLink::close(PeerObject object) { ask({{"do", "close"}, {"of", entries::told(object)}}); }

devices::PeerMappings PeerLink::mappings(PeerObject object) {
  const json answer = ask({{"do", "mappings"}, {"of", entries::told(object)}}).body;
  devices::PeerMappings found{answer.value("count", 0u), {}};
  if (answer.contains("opened")) found.opened = call_of(answer.at("opened"));
  return found;
}

void PeerLink::end(PeerObject object, const PeerCall& by) {
  ask({{"do", "end"}, {"of", entries::told(object)}, {"by", told(by)}});
}

// ---- events -----------------------------------------------------------------------------------

std::uint64_t PeerLink::record(PeerObject object, const devices::PeerRecord& record) {
  return ask({{"do", "record"},
              {"of", entries::told(object)},
              {"done", record.is_done},
              {"clock", entries::told(record.clock)}})
      .body.value("count", std::uint64_t{0});
}

void PeerLink::recorded(PeerObject object, std::uint64_t count) {
  ask({{"do", "recorded"}, {"of", entries::told(object)}, {"count", count}});
}

devices::PeerRecord PeerLink::last_record(PeerObject object) {
  const json answer = ask({{"do", "last"}, {"of", entries::told(object)}}).body;
  if (!answer.value("there", false)) return {};
  return {answer.at("count"), answer.at("process"), answer.at("done"),
          clock_of(answer.at("clock"))};
}

// ---- exchange ---------------------------------------------------------------------------------

devices::PeerNews PeerLink::exchange(const std::vector<devices::PeerUse>& uses,
                                     const PeerClock& known) {
  json rows = json::array();
  for (const devices::PeerUse& use : uses)
    rows.push_back({{"of", entries::told(use.object)},
                    {"at", entries::told(use.at)},
                    {"after", entries::told(use.after)},
                    {"ranges", entries::told(use.ranges)},
                    {"by", told(use.by)}});
  const json answer =
      ask({{"do", "exchange"}, {"uses", std::move(rows)}, {"known", entries::told(known)}}).body;
  devices::PeerNews news;
  if (!answer.contains("uses")) return news;
  for (const json& use : answer.at("uses"))
    news.uses.push_back({object_of(use.at("of")), point_of(use.at("at")), clock_of(use.at("after")),
                         ranges_of(use.at("ranges")), call_of(use.at("by"))});
  for (const json& row : answer.at("ended")) {
    const json& end = row.at("end");
    news.ended.push_back({object_of(row.at("of")), call_of(end.at("by")), end.at("lost")});
  }
  news.known = clock_of(answer.at("known"));
  return news;
}

}  // namespace harness::entries
