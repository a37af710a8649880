// SPDX-License-Identifier: Apache-2.0
// Conclusions of the instruments from planted records, one for each class of writer. The records
// are blind by construction: diagnose() gets nothing else.
#include <gtest/gtest.h>

#include "scenarios/managed_dict/explain/evidence.h"

namespace scenarios::managed_dict {
namespace {

using harness::InstrumentSet;

constexpr std::uint64_t kValues = 0x7f3a24000098;
constexpr std::uint64_t kWord = kValues - 1;
constexpr std::uint64_t kDict = 0x7f3a24008040;
constexpr InstrumentSet kAll = (InstrumentSet{1} << kInstruments.size()) - 1;

InstrumentSet only(Instrument instrument) { return kAll & ~instrument_bit(instrument); }

/// Builds a record event by event.
class Planted {
 public:
  Planted() { evidence_.counters.compiled_stores = 2; }

  /// Adds an instance as stock CPython makes it.
  Planted& born(std::uint32_t id, std::uint64_t word = kWord) {
    write(Writer::interpreter, 8, 0, id, 0, 0);
    return write(Writer::interpreter, 8, 0, id, 0, word);
  }
  Planted& died(std::uint32_t id, std::uint64_t word = kWord) {
    ++evidence_.checked_frees;
    return write(Writer::interpreter, 8, 0, id, word, 0);
  }
  Planted& write(Writer writer, std::uint16_t width, std::int16_t offset, std::uint32_t id,
                 std::uint64_t before, std::uint64_t after) {
    evidence_.word_writes.push_back({++order_, writer, width, offset, id, before, after});
    return *this;
  }
  Planted& probe(std::uint32_t place, std::uint32_t id, std::uint64_t word,
                 std::int32_t shift = 0) {
    evidence_.sightings.push_back({++order_, true, place, id, id + 100, word, shift});
    return *this;
  }
  Planted& find(BlockFinding::Kind kind, std::int32_t shift) {
    evidence_.findings.push_back({++order_, kind, shift, 7});
    return *this;
  }
  Planted& crash(std::uint64_t address = 0xab) {
    evidence_.crash = {++order_, address, false, false};
    return *this;
  }

  Evidence& evidence() { return evidence_; }
  const Evidence& evidence() const { return evidence_; }
  std::string kind(InstrumentSet without = 0) const { return diagnose(evidence_, without).kind; }

 private:
  Evidence evidence_;
  Order order_ = 0;
};

TEST(ManagedDictDiagnosePlanted, StockIsLegalRecycling) {
  const Planted stock =
      Planted().born(1).probe(1, 1, kWord).died(1).born(2).probe(1, 2, kWord).died(2);
  EXPECT_EQ(stock.kind(), "d");
  for (const Instrument left_out : {Instrument::write_watch, Instrument::debug_allocator,
                                    Instrument::allocation_counter, Instrument::path_counters})
    EXPECT_EQ(stock.kind(instrument_bit(left_out)), "d");
}

TEST(ManagedDictDiagnosePlanted, LegalMaterializationBetweenProbesIsLegal) {
  Planted seen = Planted().born(1).probe(1, 1, kWord);
  seen.write(Writer::interpreter, 8, 0, 1, kWord, kDict).probe(1, 1, kDict).died(1, kDict);
  EXPECT_EQ(seen.kind(), "d");
  EXPECT_EQ(seen.kind(only(Instrument::allocation_counter)), "-") << "the same instance";
}

TEST(ManagedDictDiagnosePlanted, AByteOfTheWordIsTheNarrowWriter) {
  for (const Writer writer : {Writer::jit, Writer::unknown, Writer::interpreter}) {
    const Planted seen = Planted()
                             .born(1)
                             .probe(1, 1, kWord)
                             .write(writer, 1, 0, 1, 0x97, 0x96)
                             .probe(1, 1, kWord - 1);
    EXPECT_EQ(seen.kind(), "a");
    EXPECT_EQ(seen.kind(instrument_bit(Instrument::write_watch)), "a|b|c|e")
        << "the counter knows that it is the same instance, and no more";
    EXPECT_NE(seen.kind(only(Instrument::debug_allocator)), "a");
  }
}

/// Diagnoses one store to the word of instance 2, at instance 1's address; `former` is 1's word.
std::string diagnosis_of(Writer writer, std::uint16_t width, std::int16_t offset,
                         std::uint64_t before, std::uint64_t after,
                         std::uint64_t former = kWord - 0x40) {
  Planted seen = Planted().born(1, former).probe(1, 1, former).died(1, former);
  return seen.born(2).probe(1, 2, kWord).write(writer, width, offset, 2, before, after).kind();
}

TEST(ManagedDictDiagnosePlanted, AWiderStoreThatClipsTheTagIsTheWideWriter) {
  const auto wide = [](Writer writer, std::uint16_t width, std::int16_t offset,
                       std::uint64_t after) {
    return diagnosis_of(writer, width, offset, kWord, after);
  };
  EXPECT_EQ(wide(Writer::interpreter, 8, 0, kWord - 1), "b") << "encoded twice";
  EXPECT_EQ(wide(Writer::jit, 8, 0, kWord - 1), "b") << "a misdirected decrement";
  EXPECT_EQ(wide(Writer::interpreter, 8, 0, kWord & ~std::uint64_t{1}), "b") << "a flag cleared";
  EXPECT_EQ(wide(Writer::unknown, 8, -4, kWord - 1), "b") << "it straddles byte 0";
  EXPECT_EQ(wide(Writer::jit, 16, -8, kWord - 1), "b") << "a vector store";
  EXPECT_EQ(diagnosis_of(Writer::jit, 4, 0, 0, 0xffffffff), "b")
      << "one less than nothing, 4 bytes";
  EXPECT_EQ(diagnosis_of(Writer::jit, 2, 0, 0x97, 0x96), "b");
}

TEST(ManagedDictDiagnosePlanted, AByteNotReadBeforeMayBeOfAStalePointer) {
  EXPECT_EQ(diagnosis_of(Writer::jit, 1, 0, 0x97, 0x57), "c") << "the byte that another had";
  EXPECT_EQ(diagnosis_of(Writer::jit, 1, 0, 0x37, 0x96), "a|c");
  EXPECT_EQ(diagnosis_of(Writer::jit, 1, 0, 0x00, 0xff), "a") << "one less";
}

TEST(ManagedDictDiagnosePlanted, AnUnrelatedWordIsAWildOrAWideWrite) {
  const std::uint64_t wild = kWord + 0x123456;
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, wild), "b|c");
  EXPECT_EQ(diagnosis_of(Writer::unknown, 4, 0, kWord & 0xffffffff, wild & 0xffffffff), "b|c");
  EXPECT_EQ(diagnosis_of(Writer::unknown, 8, 0, kWord, kWord - 0x40), "c")
      << "the former instance's";
  EXPECT_EQ(diagnosis_of(Writer::unknown, 16, -8, kWord, 0), "c") << "cleared";
}

TEST(ManagedDictDiagnosePlanted, AWordMixedFromTwoWordsIsTorn) {
  const std::uint64_t former = 0x7f3a24008040;  // A dict.
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, 0x7f3a24000040, former), "e") << "its low byte";
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, 0x7f3a24008097, former), "e") << "all but that";
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, 0x24000097, former), "e") << "half of nothing";
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, former, former), "c|e") << "whole, so not torn";
  EXPECT_EQ(diagnosis_of(Writer::unknown, 8, 0, kWord, 0x7f3a24008097, former), "b|c")
      << "nothing is baked into what no one compiled";
  EXPECT_EQ(diagnosis_of(Writer::jit, 8, 0, kWord, 0, former), "b|c|e")
      << "as much of nothing as can be";
}

TEST(ManagedDictDiagnosePlanted, AWriteAroundABlockOrADoubleFreeIsAWildWrite) {
  for (const auto kind : {BlockFinding::Kind::overrun, BlockFinding::Kind::freed_again}) {
    const Planted seen = Planted().born(1).find(kind, 0).probe(1, 1, kWord);
    EXPECT_EQ(seen.kind(), "c");
    EXPECT_EQ(seen.kind(instrument_bit(Instrument::debug_allocator)), "d") << "wrong, as in B7";
  }
}

TEST(ManagedDictDiagnosePlanted, AStaleCacheIsIdentifiedByThePathCounters) {
  Planted seen = Planted().born(1).probe(1, 1, kWord).died(1);
  seen.evidence().counters.stale_cache_lines = 1;
  EXPECT_EQ(seen.kind(), "h");
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::path_counters)), "d");
}

/// A reference was counted once through the tagged word; the chunk is freed one byte early and
/// reused, and a legal initialisation stores a word that looks impossible.
Planted counted_through_the_word() {
  Planted seen = Planted().born(1).probe(1, 1, kWord);
  seen.find(BlockFinding::Kind::freed_beside, -1);
  return seen.died(1).born(2, kWord - 1).probe(1, 2, kWord - 1).crash();
}

TEST(ManagedDictDiagnosePlanted, StrayCountsThroughTheWordNeedTheDebugAllocator) {
  const Planted seen = counted_through_the_word();
  EXPECT_EQ(seen.kind(), "f");
  EXPECT_EQ(seen.kind(only(Instrument::debug_allocator)), "f");
}

TEST(ManagedDictDiagnosePlanted, WithoutTheDebugAllocatorTheDiagnosisIsWrong) {
  const Planted seen = counted_through_the_word();
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::debug_allocator)), "d") << "recycling artefact";
  EXPECT_EQ(seen.kind(only(Instrument::write_watch)), "d") << "only legal writers";
  EXPECT_EQ(seen.kind(only(Instrument::allocation_counter)), "d") << "different ids";
  const auto by_crash = diagnose(seen.evidence(), only(Instrument::crash_report));
  EXPECT_EQ(by_crash.kind, "a|b|e|f");
  EXPECT_NE(by_crash.conclusion.find("not a use after free"), std::string::npos);
}

TEST(ManagedDictDiagnosePlanted, AnEvenCountThatNeverCrashesIsCaught) {
  Planted seen = Planted().born(1).probe(1, 1, kWord).find(BlockFinding::Kind::freed_beside, -2);
  seen.died(1).born(2, kWord - 2).probe(1, 2, kWord - 2);
  EXPECT_EQ(seen.kind(), "f");
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::debug_allocator)), "d");
  EXPECT_EQ(seen.kind(only(Instrument::crash_report)), "-") << "clean";
}

TEST(ManagedDictDiagnosePlanted, ACountedValueIsIdentifiedByTheAllocationCounter) {
  const Planted seen = Planted().born(1).probe(1, 1, kWord).probe(1, 1, kWord, 1);
  EXPECT_EQ(seen.kind(), "g");
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::allocation_counter)), "d");
}

TEST(ManagedDictDiagnosePlanted, TheFirstObservationDecides) {
  Planted narrow = Planted().born(1).write(Writer::jit, 1, 0, 1, 0x97, 0x96);
  EXPECT_EQ(narrow.find(BlockFinding::Kind::freed_beside, -1).kind(), "a");
  Planted counted = Planted().born(1).find(BlockFinding::Kind::freed_beside, 1);
  EXPECT_EQ(counted.write(Writer::jit, 1, 0, 1, 0x97, 0x96).kind(), "f");
}

TEST(ManagedDictDiagnosePlanted, APointerFarOutsideItsBlockWasNotMovedByCounts) {
  EXPECT_EQ(Planted().born(1).find(BlockFinding::Kind::freed_beside, 0x5e).kind(), "c|f");
}

TEST(ManagedDictDiagnosePlanted, AValueThatPointsToNoObjectWasOverwritten) {
  EXPECT_EQ(Planted().born(1).probe(1, 1, kWord, kAtNoObject).kind(), "c");
}

TEST(ManagedDictDiagnosePlanted, AnUnexplainedCrashNamesNoWriter) {
  const Planted seen = Planted().born(1).probe(1, 1, kWord).crash(0x7f3a24000031);
  EXPECT_EQ(seen.kind(), "-");
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::debug_allocator)), "d") << "what people concluded";
}

TEST(ManagedDictDiagnosePlanted, AVacuousRunExplainsNothing) {
  Planted seen = Planted().born(1).probe(1, 1, kWord).died(1);
  seen.evidence().counters = {};
  EXPECT_EQ(seen.kind(), "vacuous");
  EXPECT_EQ(seen.kind(instrument_bit(Instrument::path_counters)), "d")
      << "the pass that hides nothing";
}

}  // namespace
}  // namespace scenarios::managed_dict
