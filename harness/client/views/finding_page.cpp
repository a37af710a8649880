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

Markup page_of(const std::string& title, const Markup& body) {
  return whole_page(title, page_style() + Literal(kStyle), body);
}

Markup command_section(std::string_view name, const std::string& line) {
  return section(name, Markup::of("<pre class=\"command\">{}</pre>", line));
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

  Markup whole() {
    Markup body = header() + drawing() + parties() + decisions() + result();
    if (!file_.empty()) body += command_section("Replay it", replay_command(file_));
    body += command_section("The command", typed(command_));
    return page_of(fmt::format("{}: {}", title_of(finding_), printable(fault_.signature)), body);
  }

 private:
  Markup badge() const {
    if (!replayed_.is_replayed) return {};
    if (replayed_.differs.empty())
      return Literal("<p><span class=\"badge good\">as recorded</span></p>\n");
    return Markup::of("<p><span class=\"badge bad\">not as recorded: {}</span></p>\n",
                      replayed_.differs);
  }

  Markup header() const {
    return Markup::of(
        "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife run</span> <span "
        "class=\"signature\">{}</span></h1>\n{}<p class=\"lead\">{}</p>\n{}</header>\n",
        shown_name(fault_.signature), badge(), sentence_of(finding_), cards());
  }

  static Markup party_card(std::string_view kind, std::string_view what, const Party& party) {
    return is_absent(party) ? Markup() : card(kind, what, call_of(party), at(party.place));
  }

  Markup cards() const {
    const client::PartyInfo& used = *std::ranges::find_if(
        client::kParties, [](const auto& info) { return info.party == &ToldFault::use; });
    Markup html = party_card("use", "First", fault_.other) +
                  party_card("death", "Died", fault_.death) +
                  party_card("use", label_of(fault_, used), fault_.use);
    if (const std::string missing = missing_in(finding_); !missing.empty())
      html += card("missing", "Missing", missing, "");
    if (!finding_.fix.empty())
      html += card("fix", "Fix", with_plain_names(finding_.fix),
                   "tried: with it none of 3 replays shows the fault");
    return "<div class=\"cards\">\n" + html + "</div>\n";
  }

  Markup drawing() const {
    const Timeline lines = timeline(finding_);
    return section("Timeline", draw(lines, sentence_of(finding_)), legend(lines));
  }

  /// Returns the source line of a frame, below its place.
  Markup frame_row(std::string_view label, const Frame& frame, const std::string& by) {
    const std::string line = lines_.at(frame.file, frame.line);
    return Markup::of(
        "<tr><th scope=\"row\">{}</th><td>{}{}{}</td></tr>\n", label,
        shown_name(where(frame) + function_of(frame)), by,
        line.empty() ? Markup() : Markup::of("<br><code class=\"source\"><b>{}</b></code>", line));
  }

  Markup party_rows(const client::PartyInfo& info) {
    const Party& party = fault_.*info.party;
    if (is_absent(party)) return {};
    const std::vector<const Frame*> frames = users_frames(party.place);
    if (frames.empty()) return table_row(label_of(fault_, info), call_of(party));
    Markup html = frame_row(label_of(fault_, info), *frames.front(), by(party));
    for (std::size_t i = 1; i < frames.size(); ++i)
      html += frame_row(i == 1 ? "called from" : "", *frames[i], "");
    return html;
  }

  Markup parties() {
    Markup rows;
    for (const client::PartyInfo& info : client::kParties) rows += party_rows(info);
    if (!fault_.detail.empty()) rows += table_row("detail", with_plain_names(fault_.detail));
    if (!is_absent(fault_.wait))
      rows += table_row("waited",
                        call_of(fault_.wait) + at(fault_.wait.place) + " " + idle_wait_of(fault_));
    if (!fault_.ended.empty()) rows += table_row("ended", "the program " + fault_.ended);
    if (!fault_.pedantic.empty()) rows += table_row("pedantic", fault_.pedantic);
    return section("Who did it", "<table class=\"wrap\">\n" + rows + "</table>");
  }

  Markup decisions() const {
    if (finding_.decisions.empty())
      return Literal(
          "<section>\n<h2>Choices</h2>\n<p class=\"dim\">None: the default run shows "
          "it.</p>\n</section>\n");
    Markup rows;
    for (const client::ToldDecision& told : finding_.decisions)
      rows +=
          Markup::of("<tr><td>{}</td><td>{}</td></tr>\n",
                     shown_name(near(in_words(told.who)) + at(told.place)), in_words(told.answer));
    return section("Decisions",
                   "<table class=\"wrap\">\n<tr><th>asked by</th><th>answer</th>"
                   "</tr>\n" +
                       rows + "</table>");
  }

  Markup result() const {
    Markup rows = table_row("replays", replays_of(finding_));
    if (finding_.is_forced()) rows += table_row("forced", finding_.forced);
    for (const ToldFault& face : finding_.faces)
      rows += table_row("also shows as", face_of(fault_, face));
    rows += table_row("at", fault_.at);
    return section("Finding", "<table class=\"wrap\">\n" + rows + "</table>");
  }

  const client::Finding& finding_;
  const ToldFault& fault_;
  const Command& command_;
  const std::string& file_;
  const Replayed& replayed_;
  SourceLines lines_;
};

Markup index_row(const client::Finding& finding, const std::string& page) {
  return Markup::of("<tr><td><a href=\"{}\">{}</a></td><td>{}</td><td>{}</td></tr>\n",
                    reference(page), title_of(finding), sentence_of(finding),
                    with_plain_names(finding.fix));
}

}  // namespace

std::string finding_page(const client::Finding& finding, const Command& command,
                         const std::string& file, const Replayed& replayed) {
  return Page(finding, command, file, replayed).whole().text();
}

std::string findings_index(const FindingsReport& report, const std::vector<std::string>& pages) {
  Markup html = Markup::of(
      "<header>\n<h1 class=\"mono\"><span class=\"path\">afterlife run</span></h1>\n<p "
      "class=\"lead\">{}</p>\n",
      report.counts);
  if (!report.unjudged.empty())
    html += Markup::of("<p><span class=\"badge bad\">nothing was judged: {}</span></p>\n",
                       report.unjudged);
  html += "</header>\n";
  Markup rows;
  for (std::size_t i = 0; i < report.findings.size(); ++i)
    rows += index_row(report.findings[i], pages.at(i));
  if (!rows.empty())
    html += section("Findings",
                    "<table class=\"wrap\">\n<tr><th>finding</th><th>in a sentence</th>"
                    "<th>fix</th></tr>\n" +
                        rows + "</table>");
  return page_of("afterlife run: " + report.counts,
                 html + command_section("The command", typed(report.command)))
      .text();
}

}  // namespace harness::reports
