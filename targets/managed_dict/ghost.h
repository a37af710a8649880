// Ghost: what the program did, whatever became of the bytes: for the judges.
//
// No code of the interpreter reads it. Per live instance: which chunk it was given, and what was
// last stored to each attribute.
#pragma once

#include <memory_resource>
#include <vector>

#include "targets/managed_dict/types.h"

namespace targets::managed_dict {

/// What an attribute was last set to.
struct Stored {
  Attribute attribute;
  harness::BirthId id;  ///< Of the value's life; none for what lives for ever.
  Address address;
  std::int64_t number;
};

struct GhostInstance {
  static constexpr std::size_t kStoredLimit = kAttributeLimit;

  harness::BirthId id;
  Address object;
  Address values;  ///< Where values[0] should be; 0 once a dict took them over.
  harness::BirthId values_id;
  Address dict;  ///< What was published; 0 for none.
  bool judged;   ///< Its word was found wrong.
  std::uint32_t stored_count;
  std::array<Stored, kStoredLimit> stored;

  const Stored* find(Attribute attribute) const;
  void set(const Stored& value);
  void erase(Attribute attribute);
};

class Ghost {
 public:
  GhostInstance& born(harness::BirthId id, Address object);
  void died(Address object);
  /// Whoever lives at `object`, or null.
  GhostInstance* find(Address object);
  std::span<GhostInstance* const> live() const { return live_; }

 private:
  std::pmr::vector<GhostInstance*> live_;
  std::pmr::vector<GhostInstance*> free_;
};

}  // namespace targets::managed_dict
