// SPDX-License-Identifier: Apache-2.0
// How it works. Each text is cut into the top-level parts of a module: variables, functions,
// directives. Declarations with a definition elsewhere, and definitions that are overridden, are
// left out. The rest is put together, with changed names and file numbers.
#include "harness/device_code/ptx/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "harness/device_code/ptx/lexer.h"

namespace harness::ptx {
namespace {

enum class Linkage : std::uint8_t { own, external, weak, visible };

/// A top-level part of a module's text.
struct Piece {
  std::string_view text;
  std::string name;  ///< Empty if it has no name.
  Linkage linkage = Linkage::own;
  bool is_function = false;
  bool is_unsized_shared = false;  ///< Its size comes with the launch.
  bool is_dropped = false;
};

struct Part {
  const LinkInput* input = nullptr;
  std::string version;
  std::string target;
  std::vector<Piece> pieces;
  std::map<std::string, std::string> renamed;
  int first_file = 0;  ///< Added to the numbers of its files.
  int file_count = 0;
};

/// Functions that every driver has.
constexpr std::array<std::string_view, 5> kOfTheDriver{"vprintf", "__assertfail", "malloc", "free",
                                                       "cudaGraphSetConditional"};

/// Cuts a text into pieces.
class Cutter {
 public:
  explicit Cutter(const LinkInput& input) : lexer_(input.text) {
    part_.input = &input;
    begin_ = input.text.data();
    end_ = begin_ + input.text.size();
  }

  Part run() {
    if (lexer_.peek().text != ".version") lexer_.fail("'.version' is missing");
    while (lexer_.peek().kind != Token::Kind::end) cut();
    if (!part_.pieces.empty()) close_last(end_);
    for (const auto& [number, name] : lexer_.files())
      part_.file_count = std::max(part_.file_count, number + 1);
    return std::move(part_);
  }

 private:
  void close_last(const char* place) {
    std::string_view& text = part_.pieces.back().text;
    text = {text.data(), static_cast<std::size_t>(place - text.data())};
  }

  /// Begins a piece at the lexer's position.
  void cut() {
    const char* place = lexer_.peek().text.data();
    if (part_.pieces.empty()) place = begin_;
    if (!part_.pieces.empty()) close_last(place);
    part_.pieces.push_back({.text = {place, 0}});
    Piece& piece = part_.pieces.back();
    const std::string_view word = lexer_.peek().text;
    if (word == ".version" || word == ".target" || word == ".address_size" || word == ".section")
      return header(piece);
    if (word == ".pragma" || word == ".alias" || word == ";") return skip_to_semicolon();
    statement(piece);
  }

  void header(Piece& piece) {
    piece.is_dropped = true;
    const Token which = lexer_.take();
    const Token value = lexer_.take();
    if (which.text == ".version") part_.version = value.text;
    if (which.text == ".target") part_.target = value.text;
    if (which.text == ".section") lexer_.skip_braces();
    while (lexer_.accept(",")) lexer_.take();
  }

  void skip_to_semicolon() {
    while (!lexer_.accept(";")) lexer_.take();
  }

  /// Reads a variable or a function: up to its ';', or to the end of its body. Its name is the
  /// first word outside of parentheses.
  void statement(Piece& piece) {
    bool is_shared = false;
    for (int depth = 0;;) {
      if (depth == 0 && lexer_.peek().text == "{" && piece.is_function) return lexer_.skip_braces();
      const Token token = lexer_.take();
      if (token.text == ".pragma") skip_to_semicolon();
      if (depth == 0 && token.text == ";") return;
      depth += token.text == "(" || token.text == "{" ? 1 : 0;
      depth -= token.text == ")" || token.text == "}" ? 1 : 0;
      if (token.text == ".extern") piece.linkage = Linkage::external;
      if (token.text == ".visible") piece.linkage = Linkage::visible;
      if (token.text == ".weak" || token.text == ".common") piece.linkage = Linkage::weak;
      if (token.text == ".func" || token.text == ".entry") piece.is_function = true;
      is_shared = is_shared || token.text == ".shared";
      if (depth == 0 && piece.name.empty() && token.kind == Token::Kind::word) {
        piece.name = token.text;
        piece.is_unsized_shared = is_shared && piece.linkage == Linkage::external;
      }
    }
  }

  Lexer lexer_;
  Part part_;
  const char* begin_;
  const char* end_;
};

bool is_number_after(std::string_view line, std::size_t place) {
  return place < line.size() && std::isdigit(static_cast<unsigned char>(line[place])) != 0;
}

/// Adds to the number at `place` in the line.
void add_to_number(std::string& line, std::size_t place, int added) {
  if (!is_number_after(line, place)) return;
  int number = 0;
  const auto [end, error] = std::from_chars(line.data() + place, line.data() + line.size(), number);
  if (error != std::errc()) return;
  line.replace(place, static_cast<std::size_t>(end - line.data()) - place,
               std::to_string(number + added));
}

/// Returns the line with the file numbers of the linked module.
std::string with_files(std::string line, int added) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] != '.') return line;
  const std::string_view rest = std::string_view(line).substr(begin);
  const std::size_t word = rest.starts_with(".file ")    ? 6
                           : rest.starts_with(".file\t") ? 6
                           : rest.starts_with(".loc ")   ? 5
                           : rest.starts_with(".loc\t")  ? 5
                                                         : 0;
  if (word == 0) return line;
  constexpr std::string_view kInlined = "inlined_at ";
  if (const std::size_t inlined = line.find(kInlined); inlined != std::string::npos)
    add_to_number(line, inlined + kInlined.size(), added);
  add_to_number(line, line.find_first_not_of(" \t", begin + word), added);
  return line;
}

bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}
bool is_in_name(char c) {
  return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Returns the text with some names replaced. A word next to a dot is not a name of a module.
std::string with_names(std::string_view text, const std::map<std::string, std::string>& renamed) {
  std::string made;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      const std::size_t end = std::min(text.find('"', i + 1), text.size() - 1) + 1;
      made += text.substr(i, end - i);
      i = end;
      continue;
    }
    if (!is_in_name(text[i])) {
      made += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_in_name(text[end])) ++end;
    const std::string word(text.substr(i, end - i));
    const bool is_part = (i > 0 && text[i - 1] == '.') || (end < text.size() && text[end] == '.');
    const auto found = is_part ? renamed.end() : renamed.find(word);
    made += found != renamed.end() ? found->second : word;
    i = end;
  }
  return made;
}

/// All parts together.
class Linked {
 public:
  explicit Linked(const std::vector<LinkInput>& inputs) {
    int files = 0;
    for (const LinkInput& input : inputs) {
      Part& part = parts_.emplace_back(Cutter(input).run());
      part.first_file = files;
      files += part.file_count;
    }
    for (Part& part : parts_)
      for (Piece& piece : part.pieces)
        if (!piece.name.empty() && !piece.is_dropped) define(part, piece);
    for (Part& part : parts_)
      for (Piece& piece : part.pieces)
        if (piece.linkage == Linkage::external && !piece.name.empty()) resolve(part, piece);
    rename_own();
    if (!errors_.empty()) throw NotLinked{errors_};
  }

  std::string text() const {
    std::string made = fmt::format(".version {}\n.target {}\n.address_size 64\n", latest_version(),
                                   newest_target());
    for (const Part& part : parts_)
      for (const Piece& piece : part.pieces)
        if (piece.is_dropped)
          add(made, part, files_in(piece.text));
        else
          add(made, part, with_names(piece.text, part.renamed));
    return made;
  }

 private:
  struct Definition {
    Part* part;
    Piece* piece;
  };

  /// Keeps one of several definitions: one that is not weak, else the first.
  void define(Part& part, Piece& piece) {
    users_[piece.name].insert(&part);
    if (piece.linkage != Linkage::visible && piece.linkage != Linkage::weak) return;
    const auto [known, is_new] = defined_.try_emplace(piece.name, Definition{&part, &piece});
    if (is_new) return;
    Definition& first = known->second;
    if (is_declaration(piece) || is_declaration(*first.piece)) {
      if (is_declaration(*first.piece)) first = {&part, &piece};
    } else if (piece.linkage == Linkage::weak) {
      piece.is_dropped = true;
    } else if (first.piece->linkage == Linkage::weak) {
      first.piece->is_dropped = true;
      first = {&part, &piece};
    } else {
      errors_.push_back(fmt::format("Multiple definition of '{}' in '{}', first defined in '{}'",
                                    piece.name, part.input->name, first.part->input->name));
    }
  }

  /// Returns whether it is a declaration of a function, which is defined later.
  static bool is_declaration(const Piece& piece) {
    return piece.is_function && piece.text.find('{') == std::string_view::npos;
  }

  void resolve(const Part& part, Piece& piece) {
    if (piece.is_unsized_shared) {
      piece.is_dropped = !shared_.insert(piece.name).second;
    } else if (defined_.contains(piece.name)) {
      piece.is_dropped = true;
    } else if (!piece.is_function ||
               std::ranges::find(kOfTheDriver, piece.name) == kOfTheDriver.end()) {
      errors_.push_back(
          fmt::format("Undefined reference to '{}' in '{}'", piece.name, part.input->name));
    }
  }

  /// Renames private names of a module that another module has, too.
  void rename_own() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (const Piece& piece : parts_[i].pieces)
        if (!piece.name.empty() && piece.linkage == Linkage::own && users_[piece.name].size() > 1)
          parts_[i].renamed[piece.name] = fmt::format("{}$of{}", piece.name, i);
  }

  /// Returns the lines with .file, which may be anywhere.
  static std::string files_in(std::string_view text) {
    std::string made;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      const std::size_t begin = line.find_first_not_of(" \t");
      if (begin != line.npos && line.substr(begin).starts_with(".file"))
        made += std::string(line) + "\n";
      text.remove_prefix(std::min(line.size() + 1, text.size()));
    }
    return made;
  }

  static void add(std::string& made, const Part& part, std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      made += with_files(std::string(text.substr(0, end)), part.first_file);
      text.remove_prefix(end);
    }
    made += '\n';
  }

  std::string latest_version() const {
    const auto number = [](const std::string& version) { return std::atof(version.c_str()); };
    return std::ranges::max_element(parts_, {},
                                    [&](const Part& part) { return number(part.version); })
        ->version;
  }

  std::string newest_target() const {
    const auto number = [](const std::string& target) {
      const std::size_t digits = target.find_first_of("0123456789");
      return digits == std::string::npos ? 0 : std::atoi(target.c_str() + digits);
    };
    return std::ranges::max_element(parts_, {},
                                    [&](const Part& part) { return number(part.target); })
        ->target;
  }

  std::vector<Part> parts_;
  std::map<std::string, std::set<const Part*>> users_;
  std::map<std::string, Definition> defined_;
  std::set<std::string> shared_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string link(const std::vector<LinkInput>& inputs) {
  if (inputs.empty()) throw NotLinked{{"nothing to link"}};
  return Linked(inputs).text();
}

}  // namespace harness::ptx
