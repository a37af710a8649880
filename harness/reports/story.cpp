// How it works: story_lines.h turns events into lines; here each is set in its task's column, and
// where there are too many, those without weight are left out.
#include "harness/reports/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/printable.h"
#include "harness/reports/story_lines.h"

namespace harness::reports {
namespace {

constexpr std::size_t kLineLimit = 60;  ///< Beyond it, only these are told:
constexpr std::size_t kContext = 2;     ///< Lines shown before and after a line of weight.
constexpr std::size_t kLastLines = 20;  ///< Lines shown of the end.
constexpr std::size_t kTurnWidth = 6;

Colour colour_of(Weight weight) {
  switch (weight) {
    case Weight::noise:
      return Colour::dim;
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

/// Where each task's text begins. Text may run on to the right: a line holds one event.
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

/// Each line after the first moved to the right.
std::string indented(std::string text, std::size_t columns) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; ++at)
    text.insert(at + 1, columns, ' ');
  return text;
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
    set_text = terminal.paint(colour_of(line.weight), cut(text, room));
  }
  return fmt::format("{:>{}}  {}{}\n", line.turn, kTurnWidth - 2, std::string(indent, ' '),
                     set_text);
}

std::string heading(const Telling& telling, const Fault* fault, const Terminal& terminal) {
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
  return text;
}

std::string rule(const Columns& columns, const Terminal& terminal) {
  const std::string header = fmt::format("{:>{}}  {}", "turn", kTurnWidth - 2, columns.header());
  return terminal.paint(Colour::bold, header) + '\n';
}

/// Which lines are told, of a story too long to tell whole.
std::vector<bool> told_lines(const std::vector<Line>& lines) {
  std::vector<bool> told(lines.size(), lines.size() <= kLineLimit);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool weighty = lines[i].weight > Weight::light;
    const std::size_t first = weighty ? i - std::min(i, kContext) : i;
    const std::size_t last = std::min(weighty ? i + kContext : i, lines.size() - 1);
    for (std::size_t near = first; near <= last; ++near)
      if (weighty && (near == i || lines[near].weight == Weight::light)) told[near] = true;
    if (i + kLastLines >= lines.size() && lines[i].weight != Weight::noise) told[i] = true;
  }
  for (std::size_t i = 1; i + 1 < lines.size(); ++i)  // "1 more" would take as much room.
    if (!told[i] && told[i - 1] && told[i + 1]) told[i] = true;
  return told;
}

}  // namespace

std::string in_words(const Telling& telling, const Fault& fault) {
  return Teller(telling).in_words(fault);
}

std::string story(const Telling& telling, const Terminal& terminal) {
  const Teller teller(telling);
  const std::vector<Line> lines = teller.lines();
  const Columns columns(lines, teller.names());
  std::string text = heading(telling, teller.fault(), terminal) + '\n' + rule(columns, terminal);
  const std::vector<bool> told = told_lines(lines);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!told[i] && ++left_out > 0) continue;
    if (left_out > 0)
      text += terminal.paint(Colour::dim, fmt::format("   ...  {} more\n", left_out));
    left_out = 0;
    text += set(lines[i], columns, terminal);
  }
  return text;
}

}  // namespace harness::reports
