#include "targets/managed_dict/writer.h"

#include "targets/managed_dict/core.h"

namespace targets::managed_dict {

std::uint32_t Writer::fires(std::uint32_t kinds, harness::Site site) {
  return core_.scheduler().picker().pick(site, kinds + 1);
}

Memory& Writer::memory() { return core_.memory; }

bool Writer::has_tagged_word(Address object) {
  return core_.setup.version == Version::cpython312 && is_values(core_.attributes.word(object));
}

}  // namespace targets::managed_dict
