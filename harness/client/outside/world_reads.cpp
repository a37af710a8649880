// SPDX-License-Identifier: Apache-2.0
// How it works. world_reads/sitecustomize.py, which Python imports at its start, records each place
// that reads, and can hold a kind of read constant. The preloaded libafterlife_reads.so does the
// same for machine code. PYTHONHASHSEED fixes the order of sets of strings.
#include "harness/client/outside/world_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "harness/client/outside/run_folder.h"
#include "harness/client/outside/source_places.h"

namespace harness::client {
namespace {

constexpr std::array<std::string_view, 3> kHeld{"clock", "chance", "hash"};

/// Replays continue until this many showed the fault and this many did not: then holding a kind
/// constant can make a difference. They end at the limit.
constexpr unsigned kDiffering = 3;
constexpr unsigned kDifferingLimit = 16;
/// Number of held replays for each of them. By chance all of them agree in less than 5 % of cases,
/// if the held kind has no influence.
constexpr unsigned kHeldReplays = 2;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the client with recording and holding enabled, and one more variable.
Client with_hook(Client client, const std::string& more) {
  client.notes_reads = true;
  const std::string others = variable("PYTHONPATH");
  client.environment.push_back(fmt::format("PYTHONPATH={0}/world_reads:{0}/torch{1}{2}",
                                           client.library_folder, others.empty() ? "" : ":",
                                           others));
  client.environment.push_back(more);
  return client;
}

/// Returns whether each Python process draws a hash seed, and so the order of sets of strings.
bool draws_hashes() {
  const std::string seed = variable("PYTHONHASHSEED");
  return seed == "random";
}

Client held(const Client& client, std::string_view kind) {
  if (kind != "hash") return with_hook(client, fmt::format("AFTERLIFE_HELD={}", kind));
  Client same = client;
  same.environment.emplace_back("PYTHONHASHSEED=0");
  return same;
}

/// Further replays of a finding. They end when a replay cannot be judged: threads call the driver
/// freely, or the program ends in a way that no earlier replay did.
class Replays {
 public:
  Replays(const Orders& orders, const std::string& signature, const std::atomic<bool>& stop)
      : orders_(orders), signature_(signature), stop_(stop) {}

  /// Replays it unchanged until the fault was shown kDiffering times and missing kDiffering times.
  /// Returns the number of replays, or 0 if they did not differ that often.
  unsigned differ(const Client& client) {
    for (unsigned count = 1; count <= kDifferingLimit; ++count) {
      const std::optional<bool> shown = shows(client, false);
      if (!shown) return 0;
      ++(*shown ? shown_count_ : missing_count_);
      if (std::min(shown_count_, missing_count_) == kDiffering) return count;
    }
    return 0;
  }

  /// Returns whether this many replays of the client all agree.
  bool agree(const Client& client, unsigned count) {
    const std::optional<bool> first = shows(client, true);
    bool agree = first.has_value();
    for (unsigned i = 1; agree && i < count; ++i) agree = shows(client, true) == first;
    return agree;
  }

 private:
  std::optional<bool> shows(const Client& client, bool is_held) {
    if (stop_.load()) return std::nullopt;
    const ClientRun run = run_client(client, orders_, stop_);
    const bool is_free = std::ranges::any_of(
        run.reports, [](const Report& report) { return !report.free_threads.empty(); });
    if (run.ended.stopped || is_free) return std::nullopt;
    if (!is_held) codes_.insert(run.ended.code);
    if (!codes_.contains(run.ended.code)) return std::nullopt;
    return run.find(signature_) != nullptr;
  }

  const Orders& orders_;
  const std::string& signature_;
  const std::atomic<bool>& stop_;
  unsigned shown_count_ = 0;
  unsigned missing_count_ = 0;
  std::set<int> codes_;
};

}  // namespace

/// Adds source lines to reads by machine code, if they are known.
static std::vector<WorldRead> with_lines(std::vector<WorldRead> reads) {
  std::vector<Frame> native;
  for (const WorldRead& read : reads)
    if (read.offset != 0) native.push_back({read.file, 0, "", read.offset, false});
  const std::vector<Place> known = lines_of(native);
  auto next = known.begin();
  std::vector<WorldRead> placed;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    WorldRead& read = reads[i];
    if (read.offset != 0)
      if (const Frame& frame = *users_frame(*next++); frame.line != 0)
        read = {read.kind, read.function, frame.file, frame.line, 0};
    if (std::ranges::find(placed, read) == placed.end()) placed.push_back(read);
  }
  return placed;
}

std::vector<WorldRead> parse_reads(const std::string& lines) {
  std::vector<WorldRead> reads;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    WorldRead read;
    std::istringstream fields(line);
    std::string number, offset;
    std::getline(fields, read.kind, '\t');
    std::getline(fields, read.function, '\t');
    std::getline(fields, read.file, '\t');
    std::getline(fields, number, '\t');
    std::getline(fields, offset);
    std::from_chars(offset.data(), offset.data() + offset.size(), read.offset);
    const char* end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, read.line);
    if (error == std::errc{} && rest == end && std::ranges::find(reads, read) == reads.end())
      reads.push_back(std::move(read));
  }
  return reads;
}

WorldReads look_at_reads(const Client& client, const Orders& orders, const std::string& signature,
                         std::chrono::system_clock::time_point begin,
                         const std::atomic<bool>& stop) {
  WorldReads reads;
  {
    const RunFolder folder;
    const std::string file = folder.name() + "/reads";
    Client noting = with_hook(client, "AFTERLIFE_READS=" + file);
    const std::chrono::duration<double> since = begin.time_since_epoch();
    noting.environment.push_back(fmt::format("AFTERLIFE_SINCE={:.3f}", since.count()));
    run_client(noting, orders, stop);
    reads.places = with_lines(parse_reads(text_of(file)));
  }
  if (draws_hashes()) reads.places.push_back({"hash", "PYTHONHASHSEED=random", "", 0});
  std::vector<std::string_view> kinds;
  for (const std::string_view kind : kHeld)
    if (std::ranges::find(reads.places, kind, &WorldRead::kind) != reads.places.end())
      kinds.push_back(kind);
  if (kinds.empty()) return reads;
  Replays replays(orders, signature, stop);
  const unsigned count = replays.differ(with_hook(client, "AFTERLIFE_HELD="));
  if (count == 0) return reads;
  const auto cause = std::ranges::find_if(kinds, [&](std::string_view kind) {
    return replays.agree(held(client, kind), kHeldReplays * count);
  });
  if (cause == kinds.end()) return reads;
  reads.cause = *cause;
  reads.agreed_count = kHeldReplays * count;
  return reads;
}

void to_json(nlohmann::json& json, const WorldReads& reads) {
  json = {
      {"cause", reads.cause}, {"agreed", reads.agreed_count}, {"places", nlohmann::json::array()}};
  for (const WorldRead& read : reads.places)
    json["places"].push_back({{"kind", read.kind},
                              {"function", read.function},
                              {"file", read.file},
                              {"line", read.line},
                              {"offset", read.offset}});
}

void from_json(const nlohmann::json& json, WorldReads& reads) {
  reads.cause = json.at("cause");
  reads.agreed_count = json.at("agreed");
  for (const auto& row : json.at("places"))
    reads.places.push_back({row.at("kind"), row.at("function"), row.at("file"), row.at("line"),
                            row.value("offset", std::uint64_t{0})});
}

}  // namespace harness::client
