// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/ptx/translation.h"

#include <fmt/format.h>

#include "harness/device_code/ptx/writer.h"

namespace harness::ptx {

/// Returns an entry in the form that the runner calls: the thread's environment comes after its
/// parameters.
static std::string entry_of(const Function& function) {
  const std::string name = function_name(function);
  return fmt::format(
      "static void enter_{0}(void* const* parameters) {{\n"
      "  {0}(*static_cast<const ptx::Thread*>(parameters[{1}]), parameters);\n}}\n",
      name, function.parameters.size());
}

std::string translate(const Layout& layout) {
  std::string declarations;
  std::string definitions;
  std::string wrappers;
  std::string entries;
  std::string functions;
  for (const Function& function : layout.module().functions) {
    if (!function.is_defined) continue;
    declarations += FunctionWriter::signature(function) + ";\n";
    definitions += FunctionWriter(layout, function).write();
    functions += fmt::format("reinterpret_cast<ptx::u64>(&{}), ", function_name(function));
    if (!function.is_entry) continue;
    wrappers += entry_of(function);
    entries += fmt::format("&enter_{}, ", function_name(function));
  }
  std::string made = "namespace ptx_module {\n";
  made += "static ptx::u64 ptx_function(ptx::u64 address);\n";
  made += declarations + fmt::format("#line 1 \"{}\"\n", kModuleFile) + definitions;
  made += "#line 1 \"afterlife.ptx\"\n" + wrappers;
  made += fmt::format(
      "extern \"C\" {{\n__attribute__((visibility(\"default\"))) ptx::Driver* {0} = "
      "&ptx::driver;\n"
      "__attribute__((visibility(\"default\"))) void (*{1}[])(void* const*) = "
      "{{{2}nullptr}};\n"
      "__attribute__((visibility(\"default\"))) ptx::u64 {3}[] = {{{4}0}};\n}}\n",
      kDriverSymbol, kEntriesSymbol, entries, kFunctionsSymbol, functions);
  made += fmt::format(
      "/// Calls by pointer go to functions of the module.\n"
      "static ptx::u64 ptx_function(ptx::u64 address) {{\n"
      "  for (const ptx::u64 known : {0})\n    if (known == address && known != 0) return "
      "address;\n"
      "  ptx::stop(\"a call of an address that is no function of the module\");\n}}\n",
      kFunctionsSymbol);
  return made + "}  // namespace ptx_module\n";
}

}  // namespace harness::ptx
