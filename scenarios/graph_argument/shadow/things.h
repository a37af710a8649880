// SPDX-License-Identifier: Apache-2.0
// ShadowThings: the script's references to each thing, whether it is lost, and the window in which
// it ended.
#pragma once

#include "scenarios/graph_argument/shadow/users.h"
#include "scenarios/graph_argument/windows.h"

namespace scenarios::graph_argument {

/// Ownership: borrows all members.
class ShadowThings final : public targets::graph_argument::ThingWitness {
 public:
  using GraphId = targets::graph_argument::GraphId;
  using ThingId = targets::graph_argument::ThingId;
  using ThingKind = targets::graph_argument::ThingKind;

  ShadowThings(harness::Scene& scene, ShadowRecords& records, const ShadowUsers& users,
               Passages& passages)
      : scene_(scene), records_(records), users_(users), passages_(passages) {}

  /// Returns the window of the thing's end, by the name of its lifetime; none if it has not
  /// ended.
  std::optional<Window> window_of_end(harness::Name life) const;

  void thing_made(ThingId thing, ThingKind kind) override;
  void reference_taken(ThingId thing) override { ++records_.at(thing).references; }
  void reference_dropped(ThingId thing) override;
  void thing_closed(ThingId thing) override {
    ShadowThing& closed = records_.at(thing);
    lose(closed, closed.closed);
  }
  void attribute_set(ThingId buffer, GraphId definition) override {
    records_.at(buffer).attribute = &records_.at(definition);
  }
  /// Determines the window of the end, and adds to the site what only the script can know: that
  /// only a captured launch still had the thing.
  void thing_ends(ThingId thing) override;

 private:
  harness::BirthId newest(ThingKind kind) const;
  void lose(const ShadowThing& thing, bool& flag);
  void reach_in_flight(const ShadowThing& thing, Window window);

  harness::Scene& scene_;
  ShadowRecords& records_;
  const ShadowUsers& users_;
  Passages& passages_;
};

}  // namespace scenarios::graph_argument
