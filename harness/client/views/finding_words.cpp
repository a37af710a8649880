// SPDX-License-Identifier: Apache-2.0
#include "harness/client/views/finding_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "harness/base/printable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/outside/source_places.h"
#include "harness/client/views/kernel_names.h"
#include "harness/core/fault/kinds.h"
#include "harness/report/html.h"

namespace harness::reports {

using client::Frame;
using client::ToldFault;

/// Returns an ordinal number: "3rd".
static std::string ordinal(unsigned long number) {
  constexpr std::array kEnds{"th", "st", "nd", "rd"};
  const bool is_teen = number / 10 % 10 == 1;
  const unsigned long last = is_teen ? 0 : number % 10;
  return fmt::format("{}{}", number, kEnds[last < kEnds.size() ? last : 0]);
}

/// Returns the position of " 12 of ", with which a file counts the calls of a thread; else npos.
static std::size_t count_in(std::string_view told) {
  const std::size_t of = told.find(" of ");
  const std::size_t space = of == told.npos || of == 0 ? told.npos : told.rfind(' ', of - 1);
  if (space == told.npos) return space;
  const auto is_digit = [](unsigned char one) { return std::isdigit(one) != 0; };
  return std::ranges::all_of(told.substr(space + 1, of - space - 1), is_digit) ? space : told.npos;
}

std::string in_words(const std::string& told) {
  constexpr std::string_view kMain = "MainThread", kOf = " of ", kOnly = "thread 1";
  std::string text = told;
  if (const std::size_t count = count_in(text); count != text.npos) {
    const std::size_t of = text.find(kOf, count);
    const unsigned long nth = std::strtoul(text.c_str() + count, nullptr, 10);
    std::string caller = text.substr(of + kOf.size());
    const std::string rest =
        caller.starts_with(kOnly) && !std::isdigit(static_cast<unsigned char>(caller[kOnly.size()]))
            ? caller.substr(kOnly.size())
            : fmt::format("{}{}", nth == 1 ? kOf : ", of ", caller);
    const std::string which = nth == 1 ? "" : fmt::format(", the {} time", ordinal(nth));
    text = text.substr(0, count) + which + rest;
  }
  if (const std::size_t at = text.find(kMain); at != text.npos)
    text.replace(at, kMain.size(), "the main thread");
  return text;
}

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
    for (const Frame& frame : place)
      if (!client::is_before_main(frame)) frames.push_back(&frame);
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
  const std::string thread = printable(in_words(party.thread));
  if (party.stream.empty() && thread.empty()) return with_plain_names(party.site) + in;
  const char* between = party.stream.empty() || thread.empty() ? "" : ", ";
  return fmt::format("{} on {}{}{}{}", with_plain_names(party.site), printable(party.stream),
                     between, thread, in);
}

std::string by(const client::Party& party) {
  const bool waits = party.site == client::kWait;
  if (waits || party.site == client::kStep)
    return fmt::format(", where {} {}", printable(in_words(party.thread)), waits ? "waits" : "is");
  const std::string call = call_of(party);
  return call.empty() ? "" : ", by " + call;  // The end may be unknown.
}

bool is_absent(const client::Party& party) { return party.site.empty() && party.place.empty(); }

bool is_race(const ToldFault& fault) {
  return fault.kind == to_label(FaultKind::data_race).view() || !is_absent(fault.other);
}

std::string_view label_of(const ToldFault& fault, const client::PartyInfo& info) {
  const bool is_use = info.party == &ToldFault::use;
  const bool is_failure = client::is_failure(fault);
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

/// Returns a party as its call and place.
static std::string told_of(const client::Party& party) {
  return (party.site.empty() ? "a call" : with_plain_names(party.site)) + at(party.place);
}

std::string sentence_of(const client::Finding& finding) {
  const ToldFault& fault = finding.fault;
  const std::string title = title_of(finding);
  if (is_absent(fault.use)) return title;
  const std::string use = told_of(fault.use);
  if (client::is_failure(fault))
    return fmt::format("{}: {} {}", title, use,
                       fault.detail.empty() ? "failed" : with_plain_names(fault.detail));
  const client::Party& earlier = is_absent(fault.other) ? fault.death : fault.other;
  if (is_absent(earlier)) return fmt::format("{}: {}", title, use);
  if (is_race(fault))
    return fmt::format("{}: nothing orders {} and {}", title, told_of(earlier), use);
  return fmt::format("{}: {}; it died in {}", title, use, told_of(fault.death));
}

std::string idle_wait_of(const ToldFault& fault) {
  if (is_absent(fault.wait)) return {};
  if (is_absent(fault.record)) return "has no effect: its event was never recorded";
  if (!fault.record_error.empty())
    return fmt::format("has no effect: the record of its event{} returned {}",
                       at(fault.record.place), fault.record_error);
  if (!is_absent(fault.again))
    return fmt::format("has no effect: its event was recorded again{} before the wait",
                       at(fault.again.place));
  const client::Party& first = is_absent(fault.other) ? fault.use : fault.other;
  return fmt::format("has no effect: its event was recorded{}, before {}{}", at(fault.record.place),
                     with_plain_names(first.site), at(first.place));
}

std::string face_of(const ToldFault& fault, const ToldFault& face) {
  if (face.kind != fault.kind || !face.ended.empty()) return face.kind;
  if (face.is_with_unknown_write()) return face.kind + " with the host";
  return fmt::format("{} of {} before {}", face.kind, told_of(face.other), told_of(face.use));
}

std::string missing_in(const client::Finding& finding) {
  const ToldFault& fault = finding.fault;
  const bool has_two = !is_absent(fault.other) || !is_absent(fault.death);
  if (is_absent(fault.use) || !has_two) return {};
  if (is_race(fault) && !is_absent(fault.wait))
    return fmt::format("an order between the two: {} {}", told_of(fault.wait), idle_wait_of(fault));
  if (is_race(fault)) return "an order between the two";
  if (fault.kind == to_label(FaultKind::double_free).view()) return "one owner that ends it";
  return "a reference that keeps it alive until this use";
}

std::string decision_of(const client::ToldDecision& told) {
  return fmt::format("{}{}: {}", near(in_words(told.who)), at(told.place),
                     with_plain_names(in_words(told.answer)));
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
