#include "harness/history/trail.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace harness {

Label lasting_label(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::lock_guard lock(mutex);
  return Label::of(texts.insert(text).first->c_str());
}

void Trail::add_handle(std::uint8_t argument, const void* handle) {
  auto known = std::find(handles_.begin(), handles_.end(), handle);
  if (known == handles_.end()) known = handles_.insert(handles_.end(), handle);
  add(argument, static_cast<std::uint64_t>(known - handles_.begin()));
}

}  // namespace harness
