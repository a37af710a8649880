// SPDX-License-Identifier: Apache-2.0
#include "targets/managed_dict/writer.h"

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

std::uint32_t Writer::fires(std::uint32_t kinds, harness::Site site) {
  const std::uint32_t kind = core_.scheduler().picker().pick(site, kinds + 1);
  if (kind != 0) core_.scheduler().note(harness::EventKind::note, "the writer acts", 0, kind);
  return kind;
}

Memory& Writer::memory() { return core_.memory; }

bool Writer::has_tagged_word(Address object) {
  return core_.setup.version == Version::cpython312 && is_values(core_.attributes.word(object));
}

}  // namespace targets::managed_dict
