// SPDX-License-Identifier: Apache-2.0
#include "harness/client/outside/notes.h"

#include <algorithm>

namespace harness::client {
namespace {

constexpr const char* kRuntimeNote =
    "the program, or a library of it, uses NVIDIA's CUDA runtime, linked statically or older than "
    "13, which asks the driver for an undocumented table (cuGetExportTable): build it again with "
    "the runtime as a shared library, by the environment NVCC_APPEND_FLAGS=\"-cudart shared "
    "-gencode "
    "arch=compute_80,code=compute_80 --no-compress\", by CMake's "
    "CMAKE_CUDA_RUNTIME_LIBRARY=Shared with CMAKE_CUDA_ARCHITECTURES=80-virtual, or link it with "
    "Afterlife's libcudart_static.a";

}  // namespace

void add_note(SearchResult& result, const std::string& sentence) {
  if (result.note.find(sentence) != std::string::npos) return;
  result.note += (result.note.empty() ? "" : "; ") + sentence;
}

void take_notes(const std::vector<Report>& reports, SearchResult& result) {
  for (const Report& report : reports) {
    result.has_python = result.has_python || report.has_python;
    add_note(result, report.note);
    if (result.refusal.empty()) result.refusal = report.refusal;
  }
  if (std::ranges::none_of(reports, &Report::wants_table)) return;
  add_note(result, kRuntimeNote);
  result.needs_runtime = std::ranges::none_of(reports, &Report::has_work);
}

}  // namespace harness::client
