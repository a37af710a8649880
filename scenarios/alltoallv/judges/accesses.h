// SPDX-License-Identifier: Apache-2.0
// Accesses: says what ranks do to what they share as events of the story, under the names of UCC's
// functions and fields, without their prefix ucc_tl_cuda_. It judges nothing.
//
// A note is what a reader of the race needs, and a story always tells it: a claim and a release,
// where a source is, who is past the completion, a key of another collective. The rest are steps.
#pragma once

#include "scenarios/alltoallv/judges/slots.h"

namespace scenarios::alltoallv {

/// Ownership: the job's; borrows the scene and the slots. Threads: the run's.
class Accesses {
 public:
  Accesses(harness::Scene& scene, const Slots& slots) : scene_(scene), slots_(slots) {}

  // ---- slots ----
  void number_lost(Request request);
  void posting_again(const targets::alltoallv::Reposting& posting);
  void claimed(const targets::alltoallv::Taking& taking);
  void entered(const targets::alltoallv::Entering& entering);
  /// `memory`: the source, none if nothing is sent.
  void source_written(Request request, harness::BirthId memory);
  void arrived(const targets::alltoallv::Arrival& arrival);
  void passed(const targets::alltoallv::Passage& passage);
  void gave_up(Request request);
  void went_on(Request request);
  void released(std::uint32_t slot);
  /// `memory`: what is under the key, where anything knows.
  void key_read(const targets::alltoallv::KeyReading& reading, harness::BirthId memory);

  // ---- mappings ----
  void opened(harness::BirthId region);
  void mapped(harness::BirthId region, std::uint64_t count);
  /// `own`: it is the mapping that the use was given.
  void let_go(const targets::alltoallv::Use& use, harness::BirthId met, std::uint64_t count,
              bool own);
  void evicting(const targets::alltoallv::Eviction& eviction);

 private:
  void tell(harness::EventKind kind, harness::Label label,
            harness::BirthId object = harness::BirthId::none);

  harness::Scene& scene_;
  const Slots& slots_;
};

}  // namespace scenarios::alltoallv
