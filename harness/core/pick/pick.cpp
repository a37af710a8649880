// SPDX-License-Identifier: Apache-2.0
#include "harness/core/pick/pick.h"

namespace harness {
namespace {

constexpr bool site_tags_differ() {
  for (std::size_t i = 0; i < kSiteCount; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (site_tag(static_cast<Site>(i)) == site_tag(static_cast<Site>(j))) return false;
  return true;
}
static_assert(site_tags_differ(), "two sites share a tag: rename one");

class Values : public Options {
 public:
  explicit Values(std::span<const std::uint32_t> values) : values_(values) {}
  std::uint32_t value(std::uint32_t index) const override { return values_[index]; }

 private:
  std::span<const std::uint32_t> values_;
};

}  // namespace

std::uint32_t Question::index(std::uint32_t value) const {
  if (options == nullptr) return value < option_count ? value : 0;
  for (std::uint32_t i = 1; i < option_count; ++i)
    if (options->value(i) == value) return i;
  return 0;
}

std::uint32_t Picker::ask_out_of_line(Site site, std::uint32_t option_count,
                                      const Options* options) {
  return ask(site, option_count, options, [&](std::uint32_t index) {
    return options != nullptr ? options->value(index) : index;
  });
}

std::uint32_t Picker::pick_value(Site site, std::span<const std::uint32_t> values) {
  const Values options(values);
  return pick(site, static_cast<std::uint32_t>(values.size()), &options);
}

}  // namespace harness
