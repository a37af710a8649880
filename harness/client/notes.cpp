#include "harness/client/notes.h"

#include <algorithm>

namespace harness::client {
namespace {

constexpr const char* kRuntimeNote =
    "the program uses the CUDA runtime (libcudart), or a library that asks the driver for an "
    "undocumented table as that does (cuGetExportTable): it is not simulated, and only programs of "
    "the driver API are judged";

}  // namespace

void add_note(SearchResult& result, const std::string& sentence) {
  if (result.note.find(sentence) != std::string::npos) return;
  result.note += (result.note.empty() ? "" : "; ") + sentence;
}

void take_notes(const std::vector<Report>& reports, SearchResult& result) {
  for (const Report& report : reports) {
    result.has_python = result.has_python || report.has_python;
    add_note(result, report.note);
  }
  if (std::ranges::none_of(reports, &Report::wants_table)) return;
  add_note(result, kRuntimeNote);
  result.needs_runtime = std::ranges::none_of(reports, &Report::has_work);
}

}  // namespace harness::client
