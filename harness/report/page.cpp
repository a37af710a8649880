// SPDX-License-Identifier: Apache-2.0
#include "harness/report/page.h"

#include <fmt/format.h>

#include "harness/report/decision_words.h"
#include "harness/report/fault_sides.h"
#include "harness/report/html.h"
#include "harness/report/page_cards.h"
#include "harness/report/page_style.h"
#include "harness/report/timeline/drawing.h"

namespace harness::reports {
namespace {

const Window* window_of(const Telling& telling, const Fault* fault) {
  if (fault == nullptr) return nullptr;
  const auto index = static_cast<std::size_t>(fault - telling.outcome.faults.data());
  const auto& windows = telling.outcome.windows;
  if (index >= windows.size() || windows[index] < 0) return nullptr;
  return &telling.the_case.scenario->windows[static_cast<std::size_t>(windows[index])];
}

class Page {
 public:
  Page(const Telling& telling, const Replay& replay)
      : telling_(telling),
        replay_(replay),
        scenario_(*telling.the_case.scenario),
        variant_(scenario_.variants[telling.the_case.variant]),
        teller_(telling),
        fault_(teller_.fault()),
        window_(window_of(telling, fault_)) {}

  Markup whole() const {
    return whole_page(title(), page_style(),
                      header() + drawing() + story_part() + decisions() + the_case() + command());
  }

 private:
  // ---- the heading ----

  std::string name() const {
    return fmt::format("{}/{}", scenario_.name.view(), variant_.name.view());
  }
  std::string config() const { return to_string(scenario_, telling_.the_case.config); }
  std::string signature() const {
    return replay_.signature.empty() ? "no fault" : std::string(replay_.signature);
  }

  std::string title() const {
    return fmt::format("{}: {}{}", name(), signature(),
                       window_ != nullptr ? fmt::format(" ({})", window_->name.view()) : "");
  }

  static Markup span(std::string_view kind, std::string_view text) {
    return Markup::of("<span class=\"{}\">{}</span>", kind, text);
  }

  Markup header() const {
    Markup html = "<header>\n<h1 class=\"mono\">" + span("path", name()) + " " +
                  span("config", config()) + " " + span("signature", signature());
    if (window_ != nullptr) html += " " + span("window", window_->name.view());
    html += "</h1>\n" + verdict();
    if (fault_ != nullptr)
      html += Markup::of("<p class=\"lead\">{}</p>\n", teller_.in_words(*fault_));
    if (window_ != nullptr)
      html += Markup::of("<p class=\"dim\">{}: {}</p>\n", window_->name.view(), window_->summary);
    return html + cards(telling_, teller_) + "</header>\n";
  }

  Markup verdict() const {
    if (!replay_.difference.empty())
      return Markup::of("<p><span class=\"badge bad\">not as recorded: {}</span></p>\n",
                        replay_.difference);
    const bool recorded = replay_.recorded.trace != 0 || !replay_.recorded.faults.empty();
    return Markup::of(
        "<p><span class=\"badge good\">as recorded</span>{}</p>\n",
        recorded ? Markup()
                 : Markup(" <span class=\"dim\">the file is a program: it records no run</span>"));
  }

  // ---- the parts ----

  Markup drawing() const {
    const Timeline lines = timeline(telling_);
    std::string description = "No fault.";
    if (fault_ != nullptr)
      description = teller_.in_words(*fault_) + ". " + missing_in_words(telling_, teller_, *fault_);
    return section("Timeline", draw(lines, description), legend(lines));
  }

  Markup story_part() const {
    return section("Story",
                   "<pre>" + coloured(story(telling_, Terminal{.colour = true})) + "</pre>");
  }

  Markup decisions() const {
    const Tape& tape = replay_.recorded.the_case.tape;
    Markup html = Markup::of(
        "<section>\n<h2>Choices</h2>\n<p class=\"dim\">{} in the file; all others are default "
        "choices.</p>\n",
        tape.size());
    if (!replay_.never_asked.empty()) html += Markup::of("<p>{}</p>\n", replay_.never_asked);
    if (tape.empty()) return html + "</section>\n";
    Markup rows;
    for (const Decision& decision : tape)
      rows +=
          Markup::of("<tr><td>{}</td><td><code>{}</code></td></tr>\n",
                     sentence(replay_.recorded, decision), to_string(replay_.recorded, decision));
    return html +
           scrolling("Decisions", "<table>\n<tr><th>in words</th><th>in the file</th></tr>\n" +
                                      rows + "</table>") +
           "\n</section>\n";
  }

  Markup the_case() const {
    const Config& config = telling_.the_case.config;
    Markup rows;
    rows += table_row("path", fmt::format("{}: {}", scenario_.name.view(), scenario_.summary));
    rows += table_row("variant", fmt::format("{}, which claims to be {}", variant_.name.view(),
                                             to_label(variant_.claim.kind).view()));
    for (std::size_t i = 0; i < scenario_.axes.size(); ++i)
      rows += table_row(scenario_.axes[i].name.view(),
                        scenario_.axes[i].values[config.values[i]].view());
    rows += table_row("device", telling_.the_case.device->name.view());
    rows += table_row("signature", signature());
    for (const std::string& fault : replay_.recorded.faults)
      if (fault != replay_.signature) rows += table_row("also", fault);
    rows += table_row("turns", fmt::format("{}", telling_.outcome.turns));
    if (replay_.recorded.trace != 0)
      rows += table_row("trace", fmt::format("{:016x}", replay_.recorded.trace));
    return section("Case", "<table class=\"wrap\">\n" + rows + "</table>");
  }

  Markup command() const {
    const std::string line = "afterlife replay " + shell_word(replay_.file);
    return Markup::of(
        "<section>\n<h2>Replay it</h2>\n{}\n<p class=\"dim\">The file, without its "
        "comments:</p>\n{}\n</section>\n",
        scrolling("Command", Markup::of("<pre class=\"command\">{}</pre>", line)),
        scrolling("File", Markup::of("<pre>{}</pre>", shown_lines(to_string(replay_.recorded)))));
  }

  const Telling& telling_;
  const Replay& replay_;
  const Scenario& scenario_;
  const VariantInfo& variant_;
  const Teller teller_;
  const Fault* fault_;
  const Window* window_;
};

}  // namespace

std::string page(const Telling& telling, const Replay& replay) {
  return Page(telling, replay).whole().text();
}

}  // namespace harness::reports
