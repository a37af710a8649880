// SPDX-License-Identifier: Apache-2.0
// How it works. For each place, the innermost function of the user's code is printed with its line,
// and then its callers.
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/client/views/client_views.h"
#include "harness/client/views/explored_text.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/client/views/kernel_names.h"
#include "harness/client/views/source_lines.h"

namespace harness::reports {
namespace {

using client::Frame;

constexpr std::size_t kLabelWidth = 10;
constexpr std::size_t kDecisionsShown = 12;

class Writer {
 public:
  explicit Writer(const Terminal& terminal) : terminal_(terminal) {}

  void row(std::string_view label, std::string_view text, Colour colour = Colour::none) {
    const std::string shown = terminal_.fit(text, terminal_.width - kLabelWidth - 2);
    text_ += fmt::format("  {:<{}}{}\n", label, kLabelWidth, terminal_.paint(colour, shown));
  }

  /// Prints a party and its place.
  void party(std::string_view label, const client::Party& party) {
    if (is_absent(party)) return;
    const std::vector<const Frame*> frames = users_frames(party.place);
    if (frames.empty()) return row(label, call_of(party));
    const Frame& here = *frames.front();
    row(label, where(here) + function_of(here) + by(party));
    if (const std::string line = lines_.at(here.file, here.line); !line.empty())
      row("", "    " + line, Colour::bold);
    if (const std::string text = callers(frames); !text.empty()) row("", text, Colour::dim);
  }

  std::string take() { return std::move(text_); }

 private:
  /// Returns the callers of a function.
  static std::string callers(const std::vector<const Frame*>& frames) {
    constexpr std::size_t kCallersShown = 5;
    std::string text;
    for (std::size_t i = 1; i < std::min(frames.size(), kCallersShown + 1); ++i)
      text += (i == 1 ? "called from " : ", ") + where(*frames[i]);
    return text;
  }

  const Terminal& terminal_;
  SourceLines lines_;
  std::string text_;
};

void add_decisions(Writer& writer, const client::Finding& finding) {
  if (finding.decisions.empty()) writer.row("takes", "nothing: the default run shows it");
  for (std::size_t i = 0; i < std::min(finding.decisions.size(), kDecisionsShown); ++i) {
    const client::ToldDecision& told = finding.decisions[i];
    writer.row(i == 0 ? "takes" : "", decision_of(told));
  }
  if (finding.decisions.size() > kDecisionsShown)
    writer.row("", fmt::format("and {} more", finding.decisions.size() - kDecisionsShown));
}

/// Explains that lines are missing, if they are.
void add_placing(Writer& writer, const client::Finding& finding) {
  if (finding.placing_count != 0)
    writer.row("",
               fmt::format("without lines: none of {} runs that record lines showed the fault",
                           finding.replay_count + finding.placing_count),
               Colour::dim);
}

/// Prints the reads that make replays differ, as far as they are known.
void add_reads(Writer& writer, const client::WorldReads& reads) {
  constexpr std::size_t kReadsShown = 6;
  std::string label = "reads";
  std::size_t left = kReadsShown;
  for (const client::WorldRead& read : reads.places) {
    if (!reads.cause.empty() && read.kind != reads.cause) continue;
    if (left-- == 0) break;
    const Frame frame{read.file, read.line, "", read.offset, false};
    const std::string place = read.file.empty() ? "" : fmt::format(" at {}", where(frame));
    writer.row(label, fmt::format("{}{}", printable(read.function), place));
    label.clear();
  }
  if (!reads.cause.empty())
    writer.row("", fmt::format("with {} held constant, {} of {} replays agree",
                               printable(reads.cause), reads.agreed_count, reads.agreed_count));
}

}  // namespace

std::string finding_text(const client::Finding& finding, const std::string& file,
                         const Terminal& terminal) {
  const client::ToldFault& fault = finding.fault;
  Writer writer(terminal);
  for (const client::PartyInfo& info : client::kParties)
    writer.party(label_of(fault, info), fault.*info.party);
  add_placing(writer, finding);
  if (!fault.detail.empty()) writer.row("", with_plain_names(fault.detail), Colour::dim);
  writer.party("waited", fault.wait);
  if (!is_absent(fault.wait)) writer.row("", idle_wait_of(fault), Colour::dim);
  if (!fault.ended.empty()) writer.row("ended", "the program " + printable(fault.ended));
  if (!fault.pedantic.empty()) writer.row("pedantic", with_plain_names(fault.pedantic));
  add_decisions(writer, finding);
  if (finding.is_forced()) {
    writer.row("forced", printable(finding.forced), Colour::yellow);
    writer.row("", "another version might, or a slightly different program", Colour::dim);
  }
  if (!finding.fix.empty()) {
    writer.row("fix", with_plain_names(finding.fix));
    writer.row("", "tried: with it none of 3 replays shows the fault", Colour::dim);
  }
  writer.row("replays", replays_of(finding));
  add_reads(writer, finding.reads);
  if (!file.empty()) writer.row("file", printable(replay_command(file)));
  return terminal.paint(Colour::red, title_of(finding)) + "\n" + writer.take();
}

std::string finding_why(const client::Finding& finding) {
  std::string sides;
  for (const client::PartyInfo& info : client::kParties) {
    const client::Party& party = finding.fault.*info.party;
    if (is_absent(party)) continue;
    sides += fmt::format("{}{}: {}{}", sides.empty() ? "" : "; ", label_of(finding.fault, info),
                         call_of(party), at(party.place));
  }
  std::string text = fmt::format("sides: {}\n", sides);
  if (const std::string missing = missing_in(finding); !missing.empty())
    text += fmt::format("why: missing is {}\n", missing);
  for (const client::ToldDecision& told : finding.decisions)
    text += fmt::format("takes: {}\n", decision_of(told));
  if (finding.fix.empty())
    return text +
           "repair: none is recorded: no repair removed the fault, or there was none to try\n";
  return text + fmt::format("repair: {}\n", with_plain_names(finding.fix)) +
         "tried: with it none of 3 replays shows the fault\n";
}

/// Returns other faults that are faces of the findings, one per line.
static std::string told_faces(const client::SearchResult& result) {
  std::string text;
  for (const client::Finding& finding : result.findings)
    for (const client::ToldFault& face : finding.faces)
      text += fmt::format("the {} of {} at {} also shows as {}{}\n", printable(finding.fault.kind),
                          printable(finding.fault.object), printable(finding.fault.at),
                          printable(face_of(finding.fault, face)),
                          face.ended.empty() ? "" : ": it " + printable(face.ended));
  return text;
}

/// Returns the suppressions that matched, with their number of runs, and those that never did.
static std::string told_suppressions(const client::SearchResult& result) {
  const client::Suppressions& known = result.options.suppressions;
  std::string text;
  for (std::size_t i = 0; i < known.all().size(); ++i) {
    const client::Suppression& one = known.all()[i];
    const std::uint64_t runs = result.suppressed_runs[i];
    const std::string what =
        fmt::format("{} {} ({})", printable(one.kind), printable(one.pattern), known.place(one));
    text += runs == 0 ? fmt::format("unused suppression: {}\n", what)
                      : fmt::format("suppressed in {}: {}: {}\n", counted(runs, "run"), what,
                                    printable(one.reason));
  }
  return text;
}

/// Returns the pedantic faults, one per line.
static std::string told_pedantic(const client::SearchResult& result) {
  std::string text;
  for (const client::PedanticNote& note : result.pedantic) {
    const client::ToldFault& fault = note.fault;
    text +=
        fmt::format("pedantic, in {} of {} runs: {}{} uses memory born in {}{}: {} (--pedantic)\n",
                    note.run_count, result.run_count, with_plain_names(fault.use.site),
                    at(fault.use.place), with_plain_names(fault.birth.site), at(fault.birth.place),
                    with_plain_names(fault.pedantic));
  }
  return text;
}

/// Returns the errors that the program survived, one per line.
static std::string told_survived(const client::SearchResult& result) {
  std::string text;
  for (const client::SurvivedError& one : result.survived)
    text += fmt::format("the program survived an error, in {} of {} runs: {}{} {} (--pedantic)\n",
                        one.run_count, result.run_count, with_plain_names(one.error.use.site),
                        at(one.error.use.place), with_plain_names(one.error.detail));
  return text;
}

/// Returns how often errors were injected, and how often the program gave up.
static std::string told_failures(const client::SearchResult& result) {
  if (!result.options.fails) return {};
  return fmt::format("errors were injected in {}, and the program gave up in {} of them\n",
                     counted(result.failed_runs, "run"), result.given_up_runs);
}

/// Returns the number of runs with a forced choice.
static std::string told_forced(const client::SearchResult& result) {
  if (!result.options.forces) return {};
  return fmt::format("collections or thread switches were forced in {}\n",
                     counted(result.forced_runs, "run"));
}

static std::string counted_findings(const client::SearchResult& result) {
  const auto forced = std::ranges::count_if(result.findings, &client::Finding::is_forced);
  const std::string all = counted(result.findings.size(), "finding");
  return forced == 0 ? all : fmt::format("{}, {} of them forced", all, forced);
}

/// Returns the number of runs and findings, and whether the user stopped the search.
static std::string told_counts(const client::SearchResult& result) {
  return fmt::format("{}, {}{}", counted(result.run_count, "run"), counted_findings(result),
                     result.stopped ? "; stopped" : "");
}

FindingsReport report_of(const client::SearchResult& result, std::vector<std::string> files,
                         std::string unjudged) {
  return {result.options.client.command, result.findings,    std::move(files), result.stopped,
          std::move(unjudged),           told_counts(result)};
}

std::string search_summary(const client::SearchResult& result, const Terminal& terminal) {
  std::string text;
  for (const client::OwnFailure& failure : result.failures)
    text += terminal.paint(
                Colour::yellow,
                terminal.fit(
                    fmt::format("the program's own failure, in {} of {} runs: it {}",
                                failure.run_count, result.run_count, printable(failure.complaint)),
                    terminal.width)) +
            "\n" + (failure.last_call.empty() ? "" : fmt::format("  {}\n", failure.last_call));
  if (!result.note.empty() && !result.needs_runtime) text += printable(result.note) + "\n";
  if (!result.fixed_addresses)
    text +=
        "addresses differ from run to run, because the kernel refuses to fix them (personality): "
        "results that depend on their order may differ\n";
  if (!result.no_server.empty())
    text += fmt::format("a process for each run, because forking is impossible: {}\n",
                        printable(result.no_server));
  text += told_faces(result) + told_suppressions(result) + told_pedantic(result) +
          told_survived(result) + explored_text(result.explored) + told_failures(result) +
          told_forced(result);
  text += told_counts(result);
  if (result.tried_whole > 0)
    text += fmt::format("; every {} was tried",
                        result.tried_whole == 1 ? "single choice" : "set of at most two choices");
  if (result.further_runs > 0)
    text += fmt::format("; {} minimized and replayed", counted(result.further_runs, "more run"));
  return text + "\n";
}

}  // namespace harness::reports
