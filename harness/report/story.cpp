// SPDX-License-Identifier: Apache-2.0
// How it works. story_lines.h turns events into lines. Here each line is put into its task's
// column, and story/choice.h selects lines if there are too many for one screen. The last line does
// not come from the model: it is the symptom in the real system, from the path's table.
#include "harness/report/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/base/printable.h"
#include "harness/core/fault/kinds.h"
#include "harness/report/fault_sides.h"
#include "harness/report/story/choice.h"
#include "harness/run/scenario/symptoms.h"

namespace harness::reports {
namespace {

constexpr std::size_t kRows = 25;  ///< Rows of one screen, from the heading to the last line.
constexpr std::size_t kTurnWidth = 6;

Colour colour_of(Weight weight) {
  switch (weight) {
    case Weight::noise:
      return Colour::dim;
    case Weight::minor:
    case Weight::light:
      return Colour::none;
    case Weight::op:
      return Colour::bold;
    case Weight::concerned:
      return Colour::yellow;
    case Weight::fault:
      return Colour::red;
  }
  return Colour::none;
}

/// The column at which each task's text begins. Text may extend to the right, because a line has
/// one event.
class Columns {
 public:
  Columns(const std::vector<Line>& lines, const Names& names) {
    for (const Line& line : lines)
      if (std::find(tasks_.begin(), tasks_.end(), line.task) == tasks_.end())
        tasks_.push_back(line.task);
    std::sort(tasks_.begin(), tasks_.end());
    constexpr std::size_t kLeastText = 50;
    constexpr std::size_t kRoom = kWidth - kTurnWidth - kLeastText;
    step_ = tasks_.size() > 1 ? std::min<std::size_t>(24, kRoom / (tasks_.size() - 1)) : 0;
    for (const std::uint16_t task : tasks_) titles_.push_back(names.task(task));
  }

  std::size_t of(std::uint16_t task) const {
    const auto found = std::find(tasks_.begin(), tasks_.end(), task);
    return static_cast<std::size_t>(found - tasks_.begin()) * step_;
  }

  std::string header() const {
    std::string text;
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      text.resize(i * step_, ' ');
      text += i + 1 < titles_.size() ? cut(titles_[i], step_ - 1) : titles_[i];
    }
    return text;
  }

 private:
  std::vector<std::uint16_t> tasks_;
  std::vector<std::string> titles_;
  std::size_t step_ = 0;
};

/// Indents all lines after the first.
std::string indented(std::string text, std::size_t columns) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    text.insert(at + 1, columns, ' ');
  return text;
}

/// Shortens a text to its room. The cause in brackets at its end goes first, because its op shows
/// it, too.
std::string fitted(const std::string& text, std::size_t room, const Terminal& terminal) {
  const std::size_t cause = text.rfind("  [");
  const bool has_cause = cause != std::string::npos && text.ends_with(']');
  return terminal.fit(has_cause && display_width(text) > room ? text.substr(0, cause) : text, room);
}

std::string set(const Line& line, const Columns& columns, const Terminal& terminal) {
  const std::size_t indent = columns.of(line.task);
  const std::size_t room = kWidth - kTurnWidth - indent;
  std::string text = printable(line.text);
  if (line.count > 1) text += fmt::format("  (x {})", line.count);
  std::string set_text;
  if (line.weight == Weight::fault) {
    set_text = terminal.paint(Colour::red, indented(wrapped(text, room, 2), kTurnWidth + indent));
  } else {
    set_text = terminal.paint(colour_of(line.weight), fitted(text, room, terminal));
  }
  return fmt::format("{:>{}}  {}{}\n", line.turn, kTurnWidth - 2, std::string(indent, ' '),
                     set_text);
}

std::string heading(const Telling& telling, const Teller& teller, const Terminal& terminal) {
  const Fault* fault = teller.fault();
  const Scenario& scenario = *telling.the_case.scenario;
  std::string text = terminal.paint(
      Colour::bold, fmt::format("{}/{}", scenario.name.view(),
                                scenario.variants[telling.the_case.variant].name.view()));
  if (const std::string config = to_string(scenario, telling.the_case.config); !config.empty())
    text += "  " + config;
  text += '\n';
  if (fault == nullptr) return text + "no fault\n";
  text += terminal.paint(Colour::red, wrapped(printable(fault->signature()), kWidth, 2)) + "\n";
  const auto& windows = telling.outcome.windows;
  const std::size_t index = static_cast<std::size_t>(fault - telling.outcome.faults.data());
  if (index < windows.size() && windows[index] >= 0) {
    const Window& window = scenario.windows[static_cast<std::size_t>(windows[index])];
    text += wrapped(fmt::format("{}: {}", window.name.view(), window.summary), kWidth, 2) + '\n';
  }
  const std::string sides =
      fault->kind == FaultKind::data_race ? sides_in_words(telling, teller) : std::string();
  if (!sides.empty()) text += wrapped(printable(sides), kWidth, 2) + '\n';
  return text;
}

std::string rule(const Columns& columns, const Terminal& terminal) {
  const std::string header = fmt::format("{:>{}}  {}", "turn", kTurnWidth - 2, columns.header());
  return terminal.paint(Colour::bold, header) + '\n';
}

std::size_t height(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Returns the last line: the symptom in the real system.
std::string last_line(const Telling& telling, const Terminal& terminal) {
  const Seen seen = seen_by_user(telling);
  if (seen.words.empty()) return {};
  return terminal.paint(Colour::bold, wrapped("a user sees: " + printable(seen.words), kWidth, 2)) +
         '\n';
}

}  // namespace

std::string in_words(const Telling& telling, const Fault& fault) {
  return Teller(telling).in_words(fault);
}

Seen seen_by_user(const Telling& telling) {
  for (const Fault* fault : {ending_fault(telling), reported_fault(telling)}) {
    if (fault == nullptr) continue;
    const Symptom* symptom =
        symptom_of(*telling.the_case.scenario, telling.the_case.config, *fault);
    if (symptom != nullptr) return {in_words(*symptom, *fault), std::string(symptom->source)};
  }
  return {};
}

std::string story(const Telling& telling, const Terminal& terminal) {
  const Teller teller(telling);
  const std::vector<Line> lines = teller.lines();
  const Columns columns(lines, teller.names());
  std::string text = heading(telling, teller, terminal) + '\n' + rule(columns, terminal);
  const std::string last = last_line(telling, terminal);
  std::vector<std::string> texts;
  std::vector<std::size_t> heights;
  for (const Line& line : lines) {
    texts.push_back(set(line, columns, terminal));
    heights.push_back(height(texts.back()));
  }
  const std::size_t taken = height(text) + height(last);
  for (const ChosenLine& line : chosen_lines(lines, heights, kRows - std::min(kRows, taken))) {
    if (line.left_out > 0)
      text += terminal.paint(Colour::dim, fmt::format("   ...  {} more\n", line.left_out));
    text += texts[line.index];
  }
  return text + last;
}

}  // namespace harness::reports
