// SPDX-License-Identifier: Apache-2.0
// The parser, line by line. The first word determines the kind of a line; every line that is not a
// header is a choice. Every error message names the line and the expected content.
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "harness/base/printable.h"
#include "harness/core/fault/former_words.h"
#include "harness/search/reproducer/words.h"

namespace harness {
namespace {

struct Word {
  std::string text;
  std::optional<std::uint32_t> nth;  ///< The number in "text:nth".
  bool quoted = false;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

template <class Number>
std::optional<Number> parse_number(std::string_view text, int base = 10) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

template <class Number>
std::optional<Number> parse_hex(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return parse_number<Number>(text.substr(2), 16);
}

constexpr std::size_t kTaskLimit = 1 << 16;
constexpr std::size_t kListed = 40;  ///< Number of names in a message; further ones are only
                                     ///< counted.

template <class List, class NameOf>
std::string list_names(const List& list, NameOf name_of) {
  std::string text;
  std::size_t count = 0;
  for (const auto& item : list)
    if (++count <= kListed)
      text += fmt::format("{}{}", count == 1 ? "" : ", ", shown(name_of(item)));
  if (count > kListed) text += fmt::format(" and {} more", count - kListed);
  return count == 0 ? "none" : text;
}

constexpr auto name_of_info = [](const auto* info) { return info->name.view(); };

class Parser {
 public:
  Parser(std::string_view file, const Catalog& catalog) : file_(file), catalog_(catalog) {}

  Reproducer parse(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line_text_ = text.substr(0, end);
      ++line_;
      read_line();
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (line_ == 0)
      complain("the file is empty; a reproducer begins with '{} {}'", words::kMagic,
               words::kVersion);
    if (!ended_) complain("the file was cut off: the last line must be 'end'");
    return std::move(result_);
  }

 private:
  using Handler = void (Parser::*)();

  template <class... Args>
  [[noreturn]] void complain(fmt::format_string<Args...> format, Args&&... args) const {
    throw std::runtime_error(
        fmt::format("{}:{}: {}", file_, line_, fmt::format(format, std::forward<Args>(args)...)));
  }

  // ---- lines ----

  void read_line() {
    if (line_ == 1) return read_magic();
    require_text();
    rest_ = line_text_;
    skip_spaces();
    if (rest_.empty()) return;
    if (ended_) complain("there is more after 'end'; delete it, or the 'end' above");
    const std::string_view keyword =
        rest_.substr(0, std::min(rest_.find_first_of(" \t\r#"), rest_.size()));
    for (const auto& [name, handler] : kHeaders)
      if (keyword == name) {
        rest_.remove_prefix(keyword.size());
        return (this->*handler)();
      }
    read_decision();
  }

  void require_text() const {
    const std::size_t column = utf8_bytes(line_text_);
    if (column == line_text_.size()) return;
    complain("byte {:#04x} in column {} is not UTF-8: a reproducer is text",
             static_cast<unsigned char>(line_text_[column]), column + 1);
  }

  void read_magic() {
    std::string_view text = line_text_;
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    const bool ours = text.starts_with(words::kMagic) && text.size() > words::kMagic.size();
    const auto version =
        ours ? parse_number<int>(text.substr(words::kMagic.size() + 1)) : std::nullopt;
    if (!version)
      complain("this is not a reproducer: the first line must be '{} {}'", words::kMagic,
               words::kVersion);
    if (*version != words::kVersion)
      complain("this is format {}, and this build reads format {}: use the build that wrote it",
               *version, words::kVersion);
  }

  void read_path() {
    const std::string name = only_word("the name of a path");
    require_unset(the_case().scenario == nullptr, "path");
    the_case().scenario = find(catalog_.scenarios, name);
    if (the_case().scenario == nullptr)
      complain("there is no path '{}'; the paths: {}", shown(name),
               list_names(catalog_.scenarios, name_of_info));
  }

  void read_variant() {
    const std::string name = only_word("the name of a variant");
    require_unset(!has_variant_, "variant");
    has_variant_ = true;
    const Scenario& path = scenario();
    try {
      the_case().variant = variant_named(path, name);
    } catch (const std::runtime_error& error) {
      complain("{}", error.what());
    }
  }

  void read_config() {
    require_unset(!has_config_, "config");
    has_config_ = true;
    const std::string_view text =
        rest_.substr(0, std::min(rest_.find_first_of("#\r"), rest_.size()));
    const Scenario& path = scenario();
    try {
      the_case().config = parse_config(path, text);
    } catch (const std::runtime_error& error) {
      complain("{}", error.what());
    }
  }

  void read_device() {
    const std::string name = only_word("the name of a device");
    require_unset(the_case().device == nullptr, "device");
    the_case().device = find(catalog_.devices, name);
    if (the_case().device == nullptr)
      complain("there is no device '{}'; the devices: {}", shown(name),
               list_names(catalog_.devices, name_of_info));
  }

  void read_tasks() {
    require_unset(result_.tasks.empty(), "tasks");
    for (skip_spaces(); !rest_.empty(); skip_spaces()) {
      const Word word = next_word("the name of a task");
      if (result_.tasks.size() == kTaskLimit) complain("there are more than {} tasks", kTaskLimit);
      const std::string name = word.text == words::kNobody ? "" : word.text;
      numbers_.try_emplace(name, static_cast<std::uint32_t>(result_.tasks.size()));
      result_.tasks.push_back(name);
    }
  }

  void read_fault() {
    require_complete();
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    while (!rest_.empty() && is_space(rest_.back())) rest_.remove_suffix(1);
    if (rest_.empty()) complain("expected the signature of a fault");
    result_.faults.push_back(in_current_words(rest_));
  }

  void read_trace() {
    require_complete();
    require_unset(result_.trace == 0, "trace");
    const std::string word = only_word("16 hexadecimal digits");
    const auto trace = parse_number<std::uint64_t>(word, 16);
    if (word.size() != 16 || !trace)
      complain("'{}' is not a trace hash: expected 16 hexadecimal digits", shown(word));
    result_.trace = *trace;
  }

  void read_end() {
    require_complete();
    skip_spaces();
    if (!rest_.empty()) complain("expected nothing after 'end'");
    ended_ = true;
  }

  static constexpr std::pair<std::string_view, Handler> kHeaders[] = {
      {"path", &Parser::read_path},     {"variant", &Parser::read_variant},
      {"config", &Parser::read_config}, {"device", &Parser::read_device},
      {"tasks", &Parser::read_tasks},   {"fault", &Parser::read_fault},
      {"trace", &Parser::read_trace},   {"end", &Parser::read_end},
  };

  // ---- choices ----

  void read_decision() {
    require_complete();
    Decision decision{};
    decision.activation = read_name(next_word("an activation, as in 'script:3'"));
    const Site site = read_site(decision);
    decision.value = read_value(site);
    skip_spaces();
    if (!rest_.empty())
      complain("expected nothing after the value, but there is '{}'", shown(rest_));
    const std::tuple question(decision.activation, decision.site_tag, decision.nth);
    if (answered_.contains(question))
      complain("this choice was made in an earlier line: delete one of the two lines");
    if (decision.value == 0) return;
    answered_.insert(question);
    the_case().tape.push_back(decision);
  }

  // A chain of causes is parsed from left to right, but named from right to left. It may be as long
  // as the file.
  Name read_name(Word word) {
    std::vector<Word> chain;
    while (word.nth && next_is("of")) {
      next_word("of");
      chain.push_back(std::move(word));
      word = next_word("the cause, as in 'finalize:0 of script:3'");
    }
    Name name = read_root(word);
    for (auto link = chain.rbegin(); link != chain.rend(); ++link)
      name = derived(link->text, *link->nth, name);
    return name;
  }

  Name read_root(const Word& word) {
    if (!word.quoted && !word.nth) {
      if (word.text == words::kStart) return 0;
      if (const auto name = parse_hex<Name>(word.text)) return *name;
      complain(
          "'{}' is not an activation: expected 'task:slot', 'kind:nth of ...', 'start' or 0x...",
          shown(word.text));
    }
    if (!word.nth) complain("expected a number after \"{0}\", as in \"{0}\":0", shown(word.text));
    return slot(word);
  }

  Name derived(const std::string& kind, std::uint32_t nth, Name parent) {
    const Name name = derive_name(parent, hash_name(kind), nth);
    if (derived_.insert(name).second) result_.causes.push_back({name, parent, kind, nth});
    return name;
  }

  Name slot(const Word& word) {
    if (*word.nth > 0xffff) complain("slot {} is out of bounds: the last slot is 65535", *word.nth);
    if (const auto named = numbers_.find(word.text); named != numbers_.end())
      return slot_name(named->second, *word.nth);
    const auto number = word.quoted ? std::nullopt : parse_number<std::uint16_t>(word.text);
    if (number) return slot_name(*number, *word.nth);
    complain(
        "there is no task '{}'; the line 'tasks' lists {}. Expected one of them, its number, or "
        "'of' and a cause",
        shown(word.text),
        list_names(result_.tasks, [](const std::string& task) { return std::string_view(task); }));
  }

  Site read_site(Decision& decision) {
    const Word word = next_word("a site, as in 'schedule[4]'");
    std::string_view name = word.text;
    if (const std::size_t bracket = name.find('['); bracket != name.npos && name.back() == ']') {
      const auto nth =
          parse_number<std::uint16_t>(name.substr(bracket + 1, name.size() - bracket - 2));
      if (!nth) complain("'{}': expected a number below 65536 in the brackets", shown(name));
      decision.nth = *nth;
      name = name.substr(0, bracket);
    }
    for (std::size_t i = 0; i < kSiteCount; ++i)
      if (kSites[i].name == name) {
        decision.site_tag = kSiteTags[i];
        return static_cast<Site>(i);
      }
    complain("there is no site '{}'; the sites: {}", shown(name),
             list_names(kSites, [](const SiteInfo& site) { return site.name; }));
  }

  std::uint32_t read_value(Site site) {
    const Word word = next_word("an answer");
    const bool bare = !word.quoted && !word.nth;
    if (bare)
      if (const auto hex = parse_hex<std::uint32_t>(word.text)) return *hex;
    if (site == Site::op) return read_op(word);
    if (bare)
      if (const auto number = parse_number<std::uint32_t>(word.text)) return *number;
    if (bare && word.text[0] >= '0' && word.text[0] <= '9')
      complain("'{}' is not a number", shown(word.text));
    if (!word.nth && word.text != words::kStart) return words::value_of(derived(word.text, 0, 0));
    return words::value_of(read_name(word));
  }

  std::uint32_t read_op(const Word& word) {
    for (const OpInfo& op : scenario().ops)
      if (op.name.view() == word.text) return op_value(op.name);
    complain("path {} has no op '{}'; its ops: {}", scenario().name.view(), shown(word.text),
             list_names(scenario().ops, [](const OpInfo& op) { return op.name.view(); }));
  }

  // ---- words ----

  void skip_spaces() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() == '#') rest_ = {};
  }

  bool next_is(std::string_view wanted) {
    skip_spaces();
    return rest_.starts_with(wanted) &&
           (rest_.size() == wanted.size() || is_space(rest_[wanted.size()]));
  }

  Word next_word(std::string_view expected) {
    skip_spaces();
    if (rest_.empty()) complain("the line ends too early: expected {}", expected);
    Word word;
    if (rest_.front() == '"') {
      const std::size_t end = rest_.find('"', 1);
      if (end == rest_.npos) complain("a quotation mark is missing");
      word.text = rest_.substr(1, end - 1);
      word.quoted = true;
      rest_.remove_prefix(end + 1);
    }
    const std::size_t end = std::min(rest_.find_first_of(" \t\r#"), rest_.size());
    split_nth(word, rest_.substr(0, end));
    rest_.remove_prefix(end);
    return word;
  }

  void split_nth(Word& word, std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::string_view before = text.substr(0, std::min(colon, text.size()));
    if (word.quoted ? !before.empty() : before.empty()) complain("cannot read '{}'", shown(text));
    if (!word.quoted) word.text = before;
    if (colon == text.npos) return;
    word.nth = parse_number<std::uint32_t>(text.substr(colon + 1));
    if (!word.nth) complain("expected a number after the colon in '{}'", shown(text));
  }

  std::string only_word(std::string_view expected) {
    const Word word = next_word(expected);
    skip_spaces();
    if (word.nth || !rest_.empty()) complain("expected {} and nothing else", expected);
    return word.text;
  }

  // ---- the whole file ----

  void require_unset(bool unset, std::string_view line) const {
    if (!unset) complain("there is a second '{}' line", line);
  }

  // Choices and the lines after them can only be parsed once the header is complete.
  void require_complete() const {
    const Case& c = result_.the_case;
    const std::string_view missing = c.scenario == nullptr ? "path"
                                     : !has_variant_       ? "variant"
                                     : !has_config_        ? "config"
                                     : c.device == nullptr ? "device"
                                                           : "";
    if (!missing.empty()) complain("the '{}' line is missing: it belongs above this one", missing);
  }

  const Scenario& scenario() const {
    if (result_.the_case.scenario == nullptr)
      complain("the 'path' line is missing: it comes first");
    return *result_.the_case.scenario;
  }
  Case& the_case() { return result_.the_case; }

  std::string_view file_;
  const Catalog& catalog_;
  Reproducer result_;
  std::string_view line_text_;
  std::string_view rest_;  ///< The part of the line that is not parsed yet.
  std::size_t line_ = 0;
  // Indices of the parsed items, because a file may have 100,000 of each.
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< Numbers of tasks, by their names.
  std::unordered_set<Name> derived_;
  std::set<std::tuple<Name, std::uint16_t, std::uint16_t>> answered_;
  bool has_variant_ = false;
  bool has_config_ = false;
  bool ended_ = false;
};

}  // namespace

bool is_finding_of_run(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && text[begin] == '{';
}

Reproducer parse_reproducer(std::string_view text, std::string_view file, const Catalog& catalog) {
  if (is_finding_of_run(text))
    throw std::runtime_error(
        fmt::format("{}: is a finding of `afterlife run`, not a reproducer: only `afterlife "
                    "replay` takes one, named *.run.json",
                    printable(file)));
  return Parser(file, catalog).parse(text);
}

}  // namespace harness
