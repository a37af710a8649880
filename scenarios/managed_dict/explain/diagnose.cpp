// SPDX-License-Identifier: Apache-2.0
// How it works. Each instrument yields suspicions: observations that a sound interpreter never
// causes, and the class of writer that causes them. The first one in the order of the record
// decides, since later ones may be consequences. If there is none, there was no illegal write: what
// looked like corruption is several instances at one address, one after another.
//
// The classes are those of the report, (a)-(e), and three that it does not list: (f), (g), (h). If
// the record fits several, all are named; if the run crashed without an explanation, none is.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "scenarios/managed_dict/explain/suspicion.h"

namespace scenarios::managed_dict {
namespace {

using harness::Diagnosis;
using harness::InstrumentSet;

/// Returns the earlier suspicion.
Suspected first_of(Suspected one, Suspected other) {
  if (!one) return other;
  return !other || one->order <= other->order ? one : other;
}

// ---- the debug allocator ------------------------------------------------------------------------

// A debug allocator knows free()'s argument and the bytes around the block, but not the writer. A
// reference count moves a pointer by a few bytes; an overwritten byte by any number.
Suspicion suspect(const BlockFinding& finding) {
  constexpr std::int32_t kCounts = 4;
  if (finding.kind != BlockFinding::Kind::freed_beside)
    return {finding.order, "c",
            fmt::format("debug allocator: {}, block #{}", to_label(finding.kind).view(),
                        finding.block)};
  const bool counted = std::abs(finding.shift) <= kCounts;
  return {finding.order, counted ? "f" : "c|f",
          fmt::format("debug allocator: free() got a pointer {:+} beside block #{}: {}",
                      finding.shift, finding.block,
                      counted ? "what says where it begins was counted, as one counts references"
                              : "what says where it begins is another byte")};
}

Suspected from_blocks(const Evidence& evidence) {
  if (evidence.findings.empty()) return {};
  return suspect(evidence.findings.front());
}

// ---- the allocation counter ---------------------------------------------------------------------

/// Returns the previous sighting of the same place. Place 0 means that a chunk was examined, not an
/// instance.
const Sighting* previous(const Evidence& evidence, const Sighting& seen) {
  const Sighting* found = nullptr;
  if (seen.place == 0) return found;
  for (const Sighting& other : evidence.sightings)
    if (other.place == seen.place && other.order < seen.order) found = &other;
  return found;
}

Suspected from_values(const Evidence& evidence) {
  for (const Sighting& seen : evidence.sightings)
    if (seen.value_shift == kAtNoObject)
      return Suspicion{seen.order, "c",
                       fmt::format("allocation counter: a value in chunk #{} points at no object: "
                                   "it was overwritten",
                                   seen.chunk)};
    else if (seen.value_shift != 0)
      return Suspicion{
          seen.order, "g",
          fmt::format("allocation counter: a value in chunk #{} points {:+} beside the object "
                      "that it pointed at: it was counted as one",
                      seen.chunk, seen.value_shift)};
  return {};
}

/// Finds an instance whose word has changed and is not a dict. The counter does not know who did
/// it.
Suspected from_words(const Evidence& evidence) {
  for (const Sighting& seen : evidence.sightings) {
    const Sighting* before = previous(evidence, seen);
    if (before == nullptr || before->instance != seen.instance || seen.word == before->word)
      continue;
    if (may_be_dict(seen.word)) continue;
    return Suspicion{
        seen.order, "a|b|c|e",
        fmt::format("allocation counter: instance #{} is the one that was there, and its "
                    "word went {:#x} -> {:#x}: someone wrote to it",
                    seen.instance, before->word, seen.word)};
  }
  return {};
}

std::size_t recycled_places(const Evidence& evidence) {
  return static_cast<std::size_t>(std::count_if(
      evidence.sightings.begin(), evidence.sightings.end(), [&](const Sighting& seen) {
        const Sighting* before = previous(evidence, seen);
        return before != nullptr && before->instance != seen.instance;
      }));
}

// ---- the path counters --------------------------------------------------------------------------

Suspected from_paths(const Evidence& evidence) {
  if (evidence.counters.stale_cache_lines == 0) return {};
  return Suspicion{
      0, "h",
      fmt::format("path counters: {} cache lines went on answering for a type after it was "
                  "modified",
                  evidence.counters.stale_cache_lines)};
}

// ---- all together -------------------------------------------------------------------------------

struct Conclusion {
  std::string_view kind;
  const char* words;
};
constexpr std::array<Conclusion, 8> kConclusions{{
    {"a", "a narrow writer: one byte of the word was written"},
    {"b", "a wide writer: a store of several bytes changed the tag"},
    {"c", "a wild write: through a stale pointer, or past the end of its own block"},
    {"e", "a torn word: compiled code stored one that it holds, half of it replaced"},
    {"f", "stray reference counting through the tagged word"},
    {"g", "stray reference counting of the values themselves, the tag taken off"},
    {"h", "a stale cache: compiled code used what a class was at another time"},
    {"a|b|c|e", "someone wrote to the word of a live instance, and nothing here tells how wide"},
}};

const char* conclusion_of(std::string_view kind) {
  for (const Conclusion& conclusion : kConclusions)
    if (conclusion.kind == kind) return conclusion.words;
  return "one of these: what is recorded fits them all";
}

std::string crash_in_words(const CrashSeen& crash) {
  if (crash.of_freed_memory)
    return fmt::format("crash report: use of freed memory at {:#x}", crash.address);
  if (crash.beside_chunk)
    return fmt::format("crash report: at {:#x}, a few bytes below a chunk of values",
                       crash.address);
  constexpr std::uint64_t kDictCheck = 0xab, kNullPage = 4096;
  if (crash.address == kDictCheck)
    return "crash report: SIGSEGV at 0xab, where PyDict_Check reads the flags of a null type; no "
           "use "
           "after free, says AddressSanitizer";
  return fmt::format("crash report: SIGSEGV at {:#x}{}", crash.address,
                     crash.address < kNullPage ? ", in the null page" : "");
}

// A store outside every block is a crash, and leaves no other record.
Suspected from_crash(const Evidence& evidence) {
  if (!evidence.crash) return {};
  const CrashSeen& crash = *evidence.crash;
  const bool wild = crash.of_freed_memory || crash.beside_chunk;
  if (wild) return Suspicion{crash.order, "c", crash_in_words(crash)};
  // A null object has no field there: a null value was counted as an object.
  const bool counted = crash.address > 0 && crash.address < sizeof(crash.address);
  return counted ? Suspected(Suspicion{crash.order, "g", crash_in_words(crash)}) : Suspected();
}

/// Returns the conclusion without a suspicion, which depends on the available instruments.
Diagnosis all_clear(const Evidence& evidence, InstrumentSet without) {
  const auto has = [&](Instrument one) { return (without & instrument_bit(one)) == 0; };
  Diagnosis diagnosis{"-", "this shows nothing by itself", {}};
  if (has(Instrument::write_watch)) {
    const bool complete = evidence.lost_writes == 0;
    diagnosis.kind = complete ? "d" : "-";
    diagnosis.conclusion = complete ? "legal recycling: only legal writers wrote to the word"
                                    : "writes to words were lost: what is recorded is not all";
    diagnosis.evidence.push_back(
        fmt::format("write watch: all {} stores to words are the interpreter's own",
                    evidence.word_writes.size()));
  }
  if (has(Instrument::allocation_counter)) {
    const std::size_t recycled = recycled_places(evidence);
    if (recycled != 0 && evidence.lost_writes == 0) {
      diagnosis.kind = "d";
      diagnosis.conclusion = "legal recycling: another instance at the same address";
    } else if (diagnosis.kind == "-") {
      diagnosis.conclusion = "the same instance wherever a probe came twice, and nothing else";
    }
    diagnosis.evidence.push_back(fmt::format(
        "allocation counter: {} of {} probes met another instance at an address seen before",
        recycled, evidence.sightings.size()));
  }
  if (has(Instrument::debug_allocator)) {
    if (diagnosis.kind == "-")
      diagnosis.conclusion = "no wrong free: neither (c) nor (f), it seems";
    diagnosis.evidence.push_back(
        fmt::format("debug allocator: {} frees of chunks, all as allocated; no padding touched",
                    evidence.checked_frees));
  }
  if (has(Instrument::path_counters)) {
    const std::uint64_t stores = evidence.counters.compiled_stores;
    if (diagnosis.kind == "-" && !has(Instrument::allocation_counter) &&
        !has(Instrument::debug_allocator))
      diagnosis.conclusion = "the compiled store really ran: a pass would count";
    diagnosis.evidence.push_back(
        fmt::format("path counters: the compiled store ran {} times", stores));
    if (stores == 0 && evidence.counters.compiled_loads == 0) {
      diagnosis.kind = "vacuous";
      diagnosis.conclusion = "the compiled path never ran: there is nothing to explain";
    }
  }
  return diagnosis;
}

/// Returns the diagnosis if only the crash report is available.
Diagnosis by_crash_alone(const Evidence& evidence) {
  if (!evidence.crash) return {"-", "no crash, no report: nothing is wrong", {}};
  if (const Suspected wild = from_crash(evidence))
    return {wild->kind,
            std::string_view(wild->kind) == "c" ? "a wild access" : conclusion_of(wild->kind),
            {wild->evidence}};
  return {"a|b|e|f",
          "not a use after free: an even word was met, and what made it so no crash can tell",
          {crash_in_words(*evidence.crash)}};
}

// Only adds evidence: the diagnosis does not depend on the hardware.
void add_hardware(Diagnosis& diagnosis, const HardwareSeen& seen) {
  if (!seen.why_not.empty())
    diagnosis.evidence.push_back("hardware watch: skipped, " + seen.why_not);
  else if (seen.watched != 0)
    diagnosis.evidence.push_back(
        fmt::format("hardware watch: {} of {} instances, {} writes to their words, {} of them not "
                    "by instrumented "
                    "stores",
                    seen.watched, seen.instances, seen.writes, seen.unaccounted));
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence, InstrumentSet without) {
  const auto has = [&](Instrument one) { return (without & instrument_bit(one)) == 0; };
  const auto all = instrument_bit(Instrument::crash_report) - 1;
  if ((without & all) == all) return by_crash_alone(evidence);

  Suspected first;
  if (has(Instrument::write_watch)) first = first_of(first, from_writes(evidence));
  if (has(Instrument::debug_allocator)) first = first_of(first, from_blocks(evidence));
  if (has(Instrument::allocation_counter)) {
    first = first_of(first, from_values(evidence));
    if (!has(Instrument::write_watch)) first = first_of(first, from_words(evidence));
  }
  if (has(Instrument::path_counters)) first = first_of(first, from_paths(evidence));
  if (has(Instrument::crash_report)) first = first_of(first, from_crash(evidence));

  Diagnosis diagnosis = first
                            ? Diagnosis{first->kind, conclusion_of(first->kind), {first->evidence}}
                            : all_clear(evidence, without);
  // With all instruments on, such a crash remains unexplained.
  if (!first && without == 0 && evidence.crash) {
    diagnosis.kind = "-";
    diagnosis.conclusion = "it crashed, and no instrument saw who did it";
  }
  if (has(Instrument::crash_report) && evidence.crash &&
      (!first || first->order != evidence.crash->order))
    diagnosis.evidence.push_back(crash_in_words(*evidence.crash));
  if (has(Instrument::write_watch)) add_hardware(diagnosis, evidence.hardware);
  return diagnosis;
}

}  // namespace scenarios::managed_dict
