// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "harness/base/printable.h"
#include "harness/client/outside/search/failure.h"
#include "harness/client/views/finding_timeline.h"
#include "harness/client/views/finding_views.h"
#include "harness/client/views/finding_words.h"
#include "harness/client/views/kernel_names.h"
#include "harness/client/views/source_lines.h"
#include "harness/report/html.h"
#include "harness/report/page_cards.h"
#include "harness/report/page_style.h"
#include "harness/report/timeline/drawing.h"

namespace harness::reports {
namespace {

using client::Frame;
using client::Party;
using client::ToldFault;

constexpr std::string_view kStyle = R"(.source{padding:0;font-size:inherit;white-space:pre-wrap}
.wrap td,.wrap td code{overflow-wrap:anywhere}
.card.fix{border-left-color:var(--object)}.card.fix .what{color:var(--object)}
a{color:var(--task)}
)";

std::string whole_page(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n<main>\n{}"
      "</main>\n</body>\n</html>\n",
      shown_text(title), page_style(), kStyle, body);
}

/// Returns a part of the page that scrolls if it is too wide.
std::string section(std::string_view name, const std::string& inside) {
  return fmt::format(
      "<section>\n<h2>{0}</h2>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">{1}</div>\n</section>\n",
      name, inside);
}

std::string command_section(std::string_view name, const std::string& line) {
  return section(name, "<pre class=\"command\">" + shown_text(line) + "</pre>");
}

std::string typed(const Command& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + shell_word(word);
  return text;
}

class Page {
 public:
  Page(const client::Finding& finding, const Command& command, const std::string& file,
       const Replayed& replayed)
      : finding_(finding),
        fault_(finding.fault),
        command_(command),
        file_(file),
        replayed_(replayed) {}

  std::string text() {
    std::string body = header() + drawing() + parties() + decisions() + result();
    if (!file_.empty()) body += command_section("Replay it", replay_command(file_));
    body += command_section("The command", typed(command_));
    return whole_page(fmt::format("{}: {}", title_of(finding_), printable(fault_.signature)), body);
  }

 private:
  std::string badge() const {
    if (!replayed_.is_replayed) return {};
    if (replayed_.differs.empty()) return "<p><span class=\"badge good\">as recorded</span></p>\n";
    return fmt::format("<p><span class=\"badge bad\">not as recorded: {}</span></p>\n",
                       shown_text(replayed_.differs));
  }

  std::string header() const {
    return fmt::format(
        "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife run</span> <span "
        "class=\"signature\">{}</span></h1>\n{}<p class=\"lead\">{}</p>\n{}</header>\n",
        shown_name(fault_.signature), badge(), shown_text(sentence_of(finding_)), cards());
  }

  static std::string party_card(std::string_view kind, std::string_view what, const Party& party) {
    return is_absent(party) ? "" : card(kind, what, call_of(party), at(party.place));
  }

  std::string cards() const {
    const client::PartyInfo& used = *std::ranges::find_if(
        client::kParties, [](const auto& info) { return info.party == &ToldFault::use; });
    std::string html = party_card("use", "First", fault_.other) +
                       party_card("death", "Died", fault_.death) +
                       party_card("use", label_of(fault_, used), fault_.use);
    if (const std::string missing = missing_in(finding_); !missing.empty())
      html += card("missing", "Missing", missing, "");
    if (!finding_.fix.empty())
      html += card("fix", "Fix", with_plain_names(finding_.fix),
                   "tried: with it none of 3 replays shows the fault");
    return "<div class=\"cards\">\n" + html + "</div>\n";
  }

  std::string drawing() const {
    const Timeline lines = timeline(finding_);
    return "<section>\n<h2>Timeline</h2>\n" + legend(lines) +
           "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline\">" +
           draw(lines, sentence_of(finding_)) + "</div>\n</section>\n";
  }

  static std::string row(std::string_view head, std::string_view value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", shown_text(head),
                       shown_text(value));
  }

  /// Returns the source line of a frame, below its place.
  std::string frame_row(std::string_view label, const Frame& frame, const std::string& by) {
    const std::string line = lines_.at(frame.file, frame.line);
    return fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}{}{}</td></tr>\n", shown_text(label),
        shown_name(where(frame) + function_of(frame)), shown_text(by),
        line.empty() ? "" : "<br><code class=\"source\"><b>" + shown_text(line) + "</b></code>");
  }

  std::string party_rows(const client::PartyInfo& info) {
    const Party& party = fault_.*info.party;
    if (is_absent(party)) return {};
    const std::vector<const Frame*> frames = users_frames(party.place);
    if (frames.empty()) return row(label_of(fault_, info), call_of(party));
    std::string html = frame_row(label_of(fault_, info), *frames.front(), by(party));
    for (std::size_t i = 1; i < frames.size(); ++i)
      html += frame_row(i == 1 ? "called from" : "", *frames[i], "");
    return html;
  }

  std::string parties() {
    std::string rows;
    for (const client::PartyInfo& info : client::kParties) rows += party_rows(info);
    if (!fault_.detail.empty()) rows += row("detail", with_plain_names(fault_.detail));
    if (!is_absent(fault_.wait))
      rows +=
          row("waited", call_of(fault_.wait) + at(fault_.wait.place) + " " + idle_wait_of(fault_));
    if (!fault_.ended.empty()) rows += row("ended", "the program " + fault_.ended);
    if (!fault_.pedantic.empty()) rows += row("pedantic", fault_.pedantic);
    return section("Who did it", "<table class=\"wrap\">\n" + rows + "</table>");
  }

  std::string decisions() const {
    if (finding_.decisions.empty())
      return "<section>\n<h2>Choices</h2>\n<p class=\"dim\">None: the default run shows "
             "it.</p>\n</section>\n";
    std::string rows;
    for (const client::ToldDecision& told : finding_.decisions)
      rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n",
                          shown_name(near(in_words(told.who)) + at(told.place)),
                          shown_text(in_words(told.answer)));
    return section("Decisions",
                   "<table class=\"wrap\">\n<tr><th>asked by</th><th>answer</th>"
                   "</tr>\n" +
                       rows + "</table>");
  }

  std::string result() const {
    std::string rows = row("replays", replays_of(finding_));
    if (finding_.is_forced()) rows += row("forced", finding_.forced);
    for (const ToldFault& face : finding_.faces)
      rows += row("also shows as", face_of(fault_, face));
    rows += row("at", fault_.at);
    return section("Finding", "<table class=\"wrap\">\n" + rows + "</table>");
  }

  const client::Finding& finding_;
  const ToldFault& fault_;
  const Command& command_;
  const std::string& file_;
  const Replayed& replayed_;
  SourceLines lines_;
};

std::string index_row(const client::Finding& finding, const std::string& page) {
  return fmt::format("<tr><td><a href=\"{}\">{}</a></td><td>{}</td><td>{}</td></tr>\n",
                     escaped(reference(page)), shown_text(title_of(finding)),
                     shown_text(sentence_of(finding)), shown_text(with_plain_names(finding.fix)));
}

}  // namespace

std::string finding_page(const client::Finding& finding, const Command& command,
                         const std::string& file, const Replayed& replayed) {
  return Page(finding, command, file, replayed).text();
}

std::string findings_index(const FindingsReport& report, const std::vector<std::string>& pages) {
  std::string html = fmt::format(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife run</span></h1>\n<p "
      "class=\"lead\">{}</p>\n",
      shown_text(report.counts));
  if (!report.unjudged.empty())
    html += fmt::format("<p><span class=\"badge bad\">nothing was judged: {}</span></p>\n",
                        shown_text(report.unjudged));
  html += "</header>\n";
  std::string rows;
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    rows += index_row(report.findings[i], pages.at(i));
  if (!rows.empty())
    html += section("Findings",
                    "<table class=\"wrap\">\n<tr><th>finding</th><th>in a sentence</th>"
                    "<th>fix</th></tr>\n" +
                        rows + "</table>");
  return whole_page("afterlife run: " + report.counts,
                    html + command_section("The command", typed(report.command)));
}

}  // namespace harness::reports
