// SPDX-License-Identifier: Apache-2.0
#include "harness/device_code/nvrtc/own_headers.h"

extern "C" {
/// Names and texts in turn, each ended by a zero; at the end an empty name.
__attribute__((visibility("hidden"))) extern const char afterlife_nvrtc_headers[];
}

namespace harness::nvrtc {

std::vector<std::pair<std::string_view, std::string_view>> own_headers() {
  std::vector<std::pair<std::string_view, std::string_view>> all;
  for (const char* place = afterlife_nvrtc_headers; *place != '\0';) {
    const std::string_view name = place;
    const std::string_view text = place + name.size() + 1;
    all.emplace_back(name, text);
    place += name.size() + text.size() + 2;
  }
  return all;
}

}  // namespace harness::nvrtc
