// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/python/code.h"

#include <array>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace harness::entries {
namespace {

constexpr std::size_t kOpcodes = 256;

std::string text_of(PythonObject object, const char* attribute) {
  const PythonOwned value(python.PyObject_GetAttrString(object, attribute));
  const char* text = value ? python.PyUnicode_AsUTF8(value.get()) : nullptr;
  return text != nullptr ? text : "";
}

/// Returns whether the interpreter checks for pending work in an instruction of this name.
bool looks(std::string_view name) {
  if (name.starts_with("CALL_INTRINSIC")) return false;
  return name.starts_with("CALL") || name == "JUMP_ABSOLUTE" || name.starts_with("JUMP_BACKWARD") ||
         name.starts_with("POP_JUMP_BACKWARD");
}

/// Returns for each opcode of this version whether the interpreter checks for pending work.
std::array<bool, kOpcodes> find_opcodes() {
  std::array<bool, kOpcodes> found{};
  const PythonOwned module(python.PyImport_ImportModule("dis"));
  const PythonOwned names(module ? python.PyObject_GetAttrString(module.get(), "opname") : nullptr);
  const PythonOwned all(names ? python.PyObject_GetIter(names.get()) : nullptr);
  for (std::size_t i = 0; all && i < kOpcodes; ++i) {
    const PythonOwned name(python.PyIter_Next(all.get()));
    const char* text = name ? python.PyUnicode_AsUTF8(name.get()) : nullptr;
    if (text == nullptr) break;
    found[i] = looks(text);
  }
  python.PyErr_Clear();
  return found;
}

/// The result of find_opcodes().
std::array<bool, kOpcodes> known_opcodes{};

}  // namespace

bool PythonCode::comes_installed(std::string_view file) {
  return file.starts_with('<') || file.find("/site-packages/") != file.npos ||
         file.find("/dist-packages/") != file.npos || file.find("/lib/python3") != file.npos;
}

void PythonCode::prepare() { known_opcodes = find_opcodes(); }

/// Returns the name of the frame's module, or "".
static std::string module_of(PythonObject frame) {
  const PythonOwned globals(python.PyObject_GetAttrString(frame, "f_globals"));
  const PythonOwned name(globals ? python.PyMapping_GetItemString(globals.get(), "__name__")
                                 : nullptr);
  const char* text = name ? python.PyUnicode_AsUTF8(name.get()) : nullptr;
  if (text == nullptr) python.PyErr_Clear();
  return text != nullptr ? text : "";
}

PythonCode& PythonCode::of(PythonObject frame) {
  static auto* const known = new std::unordered_map<PythonObject, std::unique_ptr<PythonCode>>;
  PythonOwned code(python.PyFrame_GetCode(frame));
  std::unique_ptr<PythonCode>& found = (*known)[code.get()];
  if (found == nullptr) found = std::make_unique<PythonCode>(std::move(code), module_of(frame));
  return *found;
}

/// Returns the bytecode as a text. It distinguishes functions that have no name; before 3.11, code
/// objects have no qualified name at all.
static std::string instructions_of(PythonObject code) {
  const PythonOwned bytes(python.PyObject_GetAttrString(code, "co_code"));
  char* text = nullptr;
  long count = 0;
  if (!bytes || python.PyBytes_AsStringAndSize(bytes.get(), &text, &count) != 0) return {};
  return {text, static_cast<std::size_t>(count)};
}

/// Returns a name for the code that does not change when lines move.
static Name name_for(PythonObject code, const std::string& module, const std::string& function) {
  const std::string whole = text_of(code, "co_qualname");
  python.PyErr_Clear();
  const bool has_name = !whole.empty() && !whole.ends_with('>');
  const Name name = derive_name(hash_name(module), hash_name(has_name ? whole : function), 0);
  return has_name ? name : derive_name(name, hash_name(instructions_of(code)), 1);
}

PythonCode::PythonCode(PythonOwned code, const std::string& module)
    : code_(std::move(code)),
      file_(text_of(code_.get(), "co_filename")),
      function_(text_of(code_.get(), "co_name")),
      name_(name_for(code_.get(), module, function_)),
      is_library_(comes_installed(file_)) {}

const PythonCode::Line& PythonCode::line_at(int line) {
  static const Line kNone;
  if (!has_lines_) find_lines();
  const auto found = lines_.find(line);
  return found != lines_.end() ? found->second : kNone;
}

bool PythonCode::looks_in(int line) { return line_at(line).looks; }

std::uint32_t PythonCode::offset_of(int line) { return line_at(line).offset; }

/// Reads the bytecode of each line: an instruction has two bytes, the first of which is its opcode.
void PythonCode::find_lines() {
  has_lines_ = true;
  const PythonOwned bytes(python.PyObject_GetAttrString(code_.get(), "co_code"));
  const PythonOwned rows(python.PyObject_CallMethod(code_.get(), "co_lines", nullptr));
  const PythonOwned all(rows ? python.PyObject_GetIter(rows.get()) : nullptr);
  char* text = nullptr;
  long count = 0;
  if (!bytes || !all || python.PyBytes_AsStringAndSize(bytes.get(), &text, &count) != 0)
    return python.PyErr_Clear();
  for (PythonOwned row(nullptr); (row = PythonOwned(python.PyIter_Next(all.get())));) {
    const PythonObject line = python.PyTuple_GetItem(row.get(), 2);
    if (line == python.none) continue;
    Line& here = lines_[static_cast<int>(python.PyLong_AsLong(line))];
    const long begin = python.PyLong_AsLong(python.PyTuple_GetItem(row.get(), 0));
    if (here.offset == 0) here.offset = static_cast<std::uint32_t>(begin) + 1;
    const long end = python.PyLong_AsLong(python.PyTuple_GetItem(row.get(), 1));
    for (long i = begin; i < end && i < count; i += 2)
      here.looks = here.looks || known_opcodes[static_cast<unsigned char>(text[i])];
  }
  python.PyErr_Clear();
}

}  // namespace harness::entries
