// SPDX-License-Identifier: Apache-2.0
// Shadow: the program's actions on its instances, whatever happens to their bytes, for the judges.
//
// It receives facts and reads no byte. For each live instance it has its chunk, its dict, and the
// last value stored to each attribute, and for each object the number of references.
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "scenarios/managed_dict/references.h"

namespace scenarios::managed_dict {

/// Last value of an attribute.
struct Stored {
  targets::managed_dict::Attribute attribute;
  targets::managed_dict::Address address;
  std::int64_t number;
};

struct ShadowInstance {
  using Address = targets::managed_dict::Address;
  using Attribute = targets::managed_dict::Attribute;

  harness::BirthId id;
  Address object;
  Address values;  ///< Expected address of values[0]; 0 once a dict took them.
  Address given;   ///< Address of values[0] at its birth.
  harness::BirthId values_id;
  Address dict;  ///< Published dict; 0 if none.
  bool judged;   ///< Its word was found wrong.
  std::uint32_t stored_count;
  std::array<Stored, targets::managed_dict::kAttributeLimit> stored;

  const Stored* find(Attribute attribute) const;
  void set(const Stored& value);
  void erase(Attribute attribute);
};

/// Ownership: owned by the judge. Borrows the context.
class Shadow final : public targets::managed_dict::ProgramObserver {
 public:
  using Address = targets::managed_dict::Address;
  using Attribute = targets::managed_dict::Attribute;

  explicit Shadow(const JudgeContext& context) : context_(context), references_(context) {}

  /// Returns the live instance at `object`, or null.
  ShadowInstance* find(Address object);
  std::span<ShadowInstance* const> live() const { return live_; }
  References& references() { return references_; }

  // ---- facts ----
  void object_made(harness::BirthId object) override { references_.made(object); }
  void reference_taken(Address object) override { references_.add(object, 1); }
  void reference_dropped(Address object) override { references_.add(object, -1); }
  void instance_born(const targets::managed_dict::Birth& birth) override;
  void dict_published(Address object, Address dict) override;
  void dict_replaced(Address object, Address dict) override;
  void instance_emptied(Address object) override;
  void instance_died(Address object) override;
  void attribute_set(const targets::managed_dict::Assignment& assignment) override;
  void attribute_erased(Address object, Attribute attribute) override;
  void attributes_cleared(Address object) override;

 private:
  ShadowInstance& fresh();

  const JudgeContext& context_;
  References references_;
  std::pmr::vector<ShadowInstance*> live_;
  std::pmr::vector<ShadowInstance*> free_;
};

}  // namespace scenarios::managed_dict
