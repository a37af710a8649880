// Windows: the places where the race can happen; scenario.cpp says each in a sentence.
#pragma once

#include "harness/scenario.h"

namespace scenarios::managed_dict {

enum class Window : std::uint8_t {
  word_read,
  word_counted,
  chunk_freed,
  instance_recycled,
  order_appended,
  type_modified,
  value_counted,
  dict_published,
};
inline constexpr std::size_t kWindowCount = 8;

inline void reach(harness::Scene& scene, Window window) { scene.reach(harness::raw(window)); }

}  // namespace scenarios::managed_dict
