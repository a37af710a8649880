// How it works. world_reads/sitecustomize.py, which Python imports as it starts, notes each place
// and holds kinds still. The order of sets and dictionaries of texts is held by Python's own
// variable.
#include "harness/client/world_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "harness/client/run_folder.h"

namespace harness::client {
namespace {

constexpr std::array<std::string_view, 3> kHeld{"clock", "chance", "hash"};
constexpr unsigned kHeldReplays = 6;

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the client with our sitecustomize, and one more variable.
Client with_hook(Client client, const std::string& more) {
  const std::string others = variable("PYTHONPATH");
  client.environment.push_back(fmt::format("PYTHONPATH={}/world_reads{}{}", client.library_folder,
                                           others.empty() ? "" : ":", others));
  client.environment.push_back(more);
  return client;
}

/// Python draws the order of sets of texts anew in each process, unless it is told not to.
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

/// Returns how many replays agreed, where all of them did; else 0.
unsigned agreed(const Client& client, const Orders& orders, const std::string& signature,
                bool shown_before, const std::atomic<bool>& stop) {
  unsigned shown = 0;
  for (unsigned i = 0; i < kHeldReplays; ++i) {
    const ClientRun run = run_client(client, orders, stop);
    if (run.ended.stopped) return 0;
    if (run.find(signature) != nullptr) ++shown;
    if (shown != 0 && shown != i + 1) return 0;
  }
  // That none shows it says something only where some did before.
  return shown != 0 || shown_before ? kHeldReplays : 0;
}

}  // namespace

std::vector<WorldRead> parse_reads(const std::string& lines) {
  std::vector<WorldRead> reads;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    WorldRead read;
    std::istringstream fields(line);
    std::string number;
    std::getline(fields, read.kind, '\t');
    std::getline(fields, read.function, '\t');
    std::getline(fields, read.file, '\t');
    std::getline(fields, number);
    const char* end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, read.line);
    if (error == std::errc{} && rest == end && std::ranges::find(reads, read) == reads.end())
      reads.push_back(std::move(read));
  }
  return reads;
}

WorldReads look_at_reads(const Client& client, const Orders& orders, const std::string& signature,
                         bool shown_before, const std::atomic<bool>& stop) {
  WorldReads reads;
  {
    const RunFolder folder;
    const std::string file = folder.name() + "/reads";
    run_client(with_hook(client, "AFTERLIFE_READS=" + file), orders, stop);
    reads.places = parse_reads(text_of(file));
  }
  if (draws_hashes()) reads.places.push_back({"hash", "PYTHONHASHSEED=random", "", 0});
  for (const std::string_view kind : kHeld) {
    const bool is_read =
        std::ranges::any_of(reads.places, [&](const WorldRead& read) { return read.kind == kind; });
    if (!is_read || stop.load()) continue;
    reads.agreed_count = agreed(held(client, kind), orders, signature, shown_before, stop);
    if (reads.agreed_count == 0) continue;
    reads.cause = kind;
    break;
  }
  return reads;
}

}  // namespace harness::client
