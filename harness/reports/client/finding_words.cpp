#include "harness/reports/client/finding_words.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/client/search/failure.h"
#include "harness/fault/kinds.h"
#include "harness/printable.h"
#include "harness/reports/client/kernel_names.h"
#include "harness/reports/html.h"

namespace harness::reports {

using client::Frame;
using client::ToldFault;

std::string near(const std::string& file) {
  std::error_code none;
  const std::string here = std::filesystem::current_path(none).string() + "/";
  return printable(file.starts_with(here) ? file.substr(here.size()) : file);
}

std::string where(const Frame& frame) {
  const std::string file = near(frame.file);
  if (frame.line > 0) return fmt::format("{}:{}", file, frame.line);
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  return frame.function.empty() ? fmt::format("{}+{:#x}", name, frame.offset)
                                : fmt::format("{} in {}", with_plain_names(frame.function), name);
}

std::vector<const Frame*> users_frames(const client::Place& place) {
  std::vector<const Frame*> frames;
  for (const Frame& frame : place)
    if (!frame.is_library) frames.push_back(&frame);
  if (frames.empty())
    for (const Frame& frame : place) frames.push_back(&frame);
  return frames;
}

std::string at(const client::Place& place) {
  const std::vector<const Frame*> frames = users_frames(place);
  return frames.empty() ? "" : fmt::format(" at {}", where(*frames.front()));
}

std::string function_of(const Frame& frame) {
  if (frame.line == 0 || frame.function.empty() || frame.function == "<module>") return {};
  return fmt::format(" in {}", with_plain_names(frame.function));
}

std::string call_of(const client::Party& party) {
  const bool is_told = !party.process.empty() && !party.site.empty();
  const std::string in = is_told ? " in " + printable(party.process) : "";
  if (party.stream.empty() && party.thread.empty()) return with_plain_names(party.site) + in;
  const char* between = party.stream.empty() || party.thread.empty() ? "" : ", ";
  return fmt::format("{} on {}{}{}{}", with_plain_names(party.site), printable(party.stream),
                     between, printable(party.thread), in);
}

std::string by(const client::Party& party) {
  const bool waits = party.site == client::kWait;
  if (waits || party.site == client::kStep)
    return fmt::format(", where {} {}", printable(party.thread), waits ? "waits" : "is");
  const std::string call = call_of(party);
  return call.empty() ? "" : ", by " + call;  // An end is not always known.
}

bool is_absent(const client::Party& party) { return party.site.empty() && party.place.empty(); }

bool is_race(const ToldFault& fault) {
  return fault.kind == to_label(FaultKind::data_race).view() || !is_absent(fault.other);
}

std::string_view label_of(const ToldFault& fault, const client::PartyInfo& info) {
  const bool is_use = info.party == &ToldFault::use;
  const bool is_failure = fault.kind == client::kFailure;
  if (is_failure && (fault.use.site == client::kWait || fault.use.site == client::kStep))
    return "stuck";
  if (is_use && is_failure) return "failed";
  if (is_use && !fault.other.site.empty()) return "second";
  if (info.party == &ToldFault::capture && fault.object == client::kHostMemory) return "lent";
  return info.name;
}

std::string title_of(const client::Finding& finding) {
  return fmt::format("{} of {}{}", printable(finding.fault.kind), printable(finding.fault.object),
                     finding.is_forced() ? ", forced" : "");
}

/// Returns a party as its call and where it was made.
static std::string told_of(const client::Party& party) {
  return (party.site.empty() ? "a call" : with_plain_names(party.site)) + at(party.place);
}

std::string sentence_of(const client::Finding& finding) {
  const ToldFault& fault = finding.fault;
  const std::string title = title_of(finding);
  if (is_absent(fault.use)) return title;
  const std::string use = told_of(fault.use);
  if (fault.kind == client::kFailure)
    return fmt::format("{}: {} {}", title, use,
                       fault.detail.empty() ? "failed" : with_plain_names(fault.detail));
  const client::Party& earlier = is_absent(fault.other) ? fault.death : fault.other;
  if (is_absent(earlier)) return fmt::format("{}: {}", title, use);
  if (is_race(fault))
    return fmt::format("{}: nothing orders {} and {}", title, told_of(earlier), use);
  return fmt::format("{}: {}; it died in {}", title, use, told_of(fault.death));
}

std::string missing_in(const client::Finding& finding) {
  const ToldFault& fault = finding.fault;
  const bool has_two = !is_absent(fault.other) || !is_absent(fault.death);
  if (is_absent(fault.use) || !has_two) return {};
  if (is_race(fault)) return "an order between the two";
  if (fault.kind == to_label(FaultKind::double_free).view()) return "one owner that ends it";
  return "a reference that keeps it alive until this use";
}

std::string decision_of(const client::ToldDecision& told) {
  return fmt::format("{}{}: {}", near(told.who), at(told.place), with_plain_names(told.answer));
}

std::string replays_of(const client::Finding& finding) {
  if (finding.replay_count == 0) return "none: stopped before";
  const std::string count = fmt::format("{} of {}", finding.shown_count, finding.replay_count);
  if (!finding.doubt.empty())
    return fmt::format("{}: not repeatable, {}", count, printable(finding.doubt));
  if (finding.repeats()) return count;
  return count + ": not repeatable, the program itself differs from run to run";
}

std::string replay_command(const std::string& file) {
  return file.empty() ? "" : "afterlife replay " + shell_word(file);
}

}  // namespace harness::reports
