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

  std::string text() const {
    return "<!doctype html>\n<html lang=\"en\">\n" + head() + "<body>\n<main>\n" + header() +
           drawing() + story_part() + decisions() + the_case() + command() +
           "</main>\n</body>\n</html>\n";
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

  std::string head() const {
    const std::string title =
        fmt::format("{}: {}{}", name(), signature(),
                    window_ != nullptr ? fmt::format(" ({})", window_->name.view()) : "");
    return fmt::format(
        "<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
        "initial-scale=1\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n",
        shown_text(title), page_style());
  }

  static std::string span(std::string_view kind, std::string_view text) {
    return fmt::format("<span class=\"{}\">{}</span>", kind, shown_text(text));
  }

  /// Opens a part of the page that scrolls if it is too wide.
  static std::string box(std::string_view name) {
    return fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">",
                       name);
  }

  std::string header() const {
    std::string html = "<header>\n<h1 class=\"mono\">" + span("path", name()) + " " +
                       span("config", config()) + " " + span("signature", signature());
    if (window_ != nullptr) html += " " + span("window", window_->name.view());
    html += "</h1>\n" + verdict();
    if (fault_ != nullptr)
      html += fmt::format("<p class=\"lead\">{}</p>\n", shown_text(teller_.in_words(*fault_)));
    if (window_ != nullptr)
      html += fmt::format("<p class=\"dim\">{}: {}</p>\n", shown_text(window_->name.view()),
                          shown_text(window_->summary));
    return html + cards(telling_, teller_) + "</header>\n";
  }

  std::string verdict() const {
    if (!replay_.difference.empty())
      return fmt::format("<p><span class=\"badge bad\">not as recorded: {}</span></p>\n",
                         shown_text(replay_.difference));
    const bool recorded = replay_.recorded.trace != 0 || !replay_.recorded.faults.empty();
    return fmt::format(
        "<p><span class=\"badge good\">as recorded</span>{}</p>\n",
        recorded ? "" : " <span class=\"dim\">the file is a program: it records no run</span>");
  }

  // ---- the parts ----

  std::string drawing() const {
    const Timeline lines = timeline(telling_);
    std::string description = "No fault.";
    if (fault_ != nullptr)
      description = teller_.in_words(*fault_) + ". " + missing_in_words(telling_, teller_, *fault_);
    return "<section>\n<h2>Timeline</h2>\n" + legend(lines) + box("Timeline") +
           draw(lines, description) + "</div>\n</section>\n";
  }

  std::string story_part() const {
    return "<section>\n<h2>Story</h2>\n" + box("Story") + "<pre>" +
           coloured(story(telling_, Terminal{.colour = true})) + "</pre></div>\n</section>\n";
  }

  std::string decisions() const {
    const Tape& tape = replay_.recorded.the_case.tape;
    std::string html = fmt::format(
        "<section>\n<h2>Choices</h2>\n<p class=\"dim\">{} in the file; all others are default "
        "choices.</p>\n",
        tape.size());
    if (!replay_.never_asked.empty())
      html += fmt::format("<p>{}</p>\n", shown_text(replay_.never_asked));
    if (tape.empty()) return html + "</section>\n";
    html += box("Decisions") + "<table>\n<tr><th>in words</th><th>in the file</th></tr>\n";
    for (const Decision& decision : tape)
      html += fmt::format("<tr><td>{}</td><td><code>{}</code></td></tr>\n",
                          shown_text(sentence(replay_.recorded, decision)),
                          shown_text(to_string(replay_.recorded, decision)));
    return html + "</table></div>\n</section>\n";
  }

  static std::string row(std::string_view head, std::string_view value) {
    return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", shown_text(head),
                       shown_text(value));
  }

  std::string the_case() const {
    const Config& config = telling_.the_case.config;
    std::string html = "<section>\n<h2>Case</h2>\n" + box("Case") + "<table class=\"wrap\">\n";
    html += row("path", fmt::format("{}: {}", scenario_.name.view(), scenario_.summary));
    html += row("variant", fmt::format("{}, which claims to be {}", variant_.name.view(),
                                       to_label(variant_.claim.kind).view()));
    for (std::size_t i = 0; i < scenario_.axes.size(); ++i)
      html += row(scenario_.axes[i].name.view(), scenario_.axes[i].values[config.values[i]].view());
    html += row("device", telling_.the_case.device->name.view());
    html += row("signature", signature());
    for (const std::string& fault : replay_.recorded.faults)
      if (fault != replay_.signature) html += row("also", fault);
    html += row("turns", fmt::format("{}", telling_.outcome.turns));
    if (replay_.recorded.trace != 0)
      html += row("trace", fmt::format("{:016x}", replay_.recorded.trace));
    return html + "</table></div>\n</section>\n";
  }

  std::string command() const {
    const std::string line = "afterlife replay " + shell_word(replay_.file);
    return "<section>\n<h2>Replay it</h2>\n" + box("Command") + "<pre class=\"command\">" +
           shown_text(line) +
           "</pre></div>\n<p class=\"dim\">The file, without its comments:</p>\n" + box("File") +
           "<pre>" + lines_of(to_string(replay_.recorded)) + "</pre></div>\n</section>\n";
  }

  /// Makes each line printable.
  static std::string lines_of(std::string_view text) {
    std::string html;
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1))
      html += shown_text(text.substr(0, end)) + "\n";
    return html + shown_text(text);
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
  return Page(telling, replay).text();
}

}  // namespace harness::reports
