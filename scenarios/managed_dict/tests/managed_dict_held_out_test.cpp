// SPDX-License-Identifier: Apache-2.0
// Writers that explain was not developed with: random widths, places and values, each by the
// mechanism of one class. It may name several classes, or none, but must not name only wrong ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <regex>
#include <set>

#include "scenarios/managed_dict/explain/explain.h"
#include "scenarios/managed_dict/tests/managed_dict_interpreter.h"

namespace scenarios::managed_dict::testing {
namespace {

using md::Address;
using md::kWordOffset;

constexpr std::array<std::size_t, 5> kWidths{1, 2, 4, 8, 16};

/// One action of a writer of a class, on an interpreter with two instances. The first one died and
/// the second is at its address.
struct Scenery {
  Interpreter& on;
  std::mt19937_64& random;
  Address object;
  std::uint64_t former;  ///< Word of the former instance at the address.

  std::uint64_t draw(std::uint64_t count) { return random() % count; }
  std::size_t width() { return kWidths[draw(kWidths.size())]; }
  void store(Address place, std::span<const std::byte> bytes, md::Module module) {
    const md::ModuleScope scope(on.core.memory, module);
    on.core.memory.store_bytes(place, bytes);
  }
  md::Module any_module() { return draw(2) != 0 ? md::Module::jit : md::Module::unknown; }
};

using Bytes = std::array<std::byte, 16>;

Bytes read(Scenery& here, Address place) {
  Bytes bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = here.on.core.memory.load<std::byte>(place + i);
  return bytes;
}

// (a) One byte of the word: a cleared bit, a small difference, or any value.
void narrow(Scenery& here) {
  const Address place = here.object + kWordOffset;
  const auto old = static_cast<std::uint32_t>(read(here, place)[0]);
  const std::array<std::uint32_t, 4> values{old & 0xfe, old - 1, old + 1,
                                            static_cast<std::uint32_t>(here.draw(256))};
  const std::byte value{static_cast<std::uint8_t>(values[here.draw(values.size())])};
  here.store(place, {&value, 1}, md::Module::jit);
}

// (b) Two to 16 bytes over byte 0 of the word, by code that has read them: the low bit, a count, or
// any value that ends in the report's 0x96.
void wide(Scenery& here) {
  const std::size_t width = kWidths[1 + here.draw(kWidths.size() - 1)];
  const Address word = here.object + kWordOffset;
  const Address place = word - here.draw(std::min<std::size_t>(width, 9));
  Bytes bytes = read(here, place);
  const std::size_t at = word - place;
  const auto old = static_cast<std::uint32_t>(bytes[at]);
  const std::array<std::uint32_t, 3> values{old & 0xfe, old - 1, 0x96};
  const std::uint64_t kind = here.draw(values.size());
  if (kind == 2)
    for (std::byte& byte : bytes) byte = std::byte{static_cast<std::uint8_t>(here.random())};
  bytes[at] = std::byte{static_cast<std::uint8_t>(values[kind])};
  here.store(place, std::span(bytes).first(width), here.any_module());
}

// (c) The former instance's word, or any value, through a stale pointer, in any width.
void wild(Scenery& here) {
  const std::size_t width = here.width();
  Bytes bytes;
  for (std::byte& byte : bytes) byte = std::byte{static_cast<std::uint8_t>(here.random())};
  const std::uint64_t kind = here.draw(3);
  if (kind == 0) bytes.fill(std::byte{0});
  if (kind == 1) std::memcpy(bytes.data(), &here.former, sizeof here.former);
  const Address place = here.object + kWordOffset - (width == 16 ? 8 : 0);
  here.store(place, std::span(bytes).first(width), here.any_module());
}

// (e) Low bytes of one word and high bytes of another, split at any byte.
void torn(Scenery& here) {
  const std::uint64_t now = here.on.core.attributes.word(here.object);
  const std::uint64_t mask = (std::uint64_t{1} << (8 * (1 + here.draw(7)))) - 1;
  const std::uint64_t other = here.draw(3) != 0 ? here.former : 0;
  const std::uint64_t value =
      here.draw(2) != 0 ? (now & mask) | (other & ~mask) : (other & mask) | (now & ~mask);
  const md::ModuleScope scope(here.on.core.memory, md::Module::jit);
  here.on.core.memory.store<std::uint64_t>(here.object + kWordOffset, value);
}

// (f) One to four counts through the word, up or down.
void counted(Scenery& here) {
  const md::ModuleScope scope(here.on.core.memory, md::Module::jit);
  const std::uint64_t word = here.on.core.attributes.word(here.object);
  const bool up = here.draw(2) != 0;
  for (std::uint64_t i = 1 + here.draw(4); i > 0; --i)
    if (up)
      here.on.core.objects.increment(word);
    else
      here.on.core.objects.decrement(word);
}

struct Class {
  const char* letter;
  void (*act)(Scenery& here);
};
constexpr std::array<Class, 5> kClasses{
    {{"a", narrow}, {"b", wide}, {"c", wild}, {"e", torn}, {"f", counted}}};

struct Tally {
  std::size_t named = 0, among = 0, nothing = 0, wrong = 0, cases = 0;
  std::set<std::string> patterns;  ///< Deciding sentences, without their numbers.
  std::set<std::string> accused;   ///< Diagnoses with only wrong classes.
};

/// Returns whether the action changed anything. If not, it is not a case.
bool changes(const Evidence& evidence) {
  for (const WordWrite& write : evidence.word_writes)
    if (write.writer != Writer::interpreter && write.before != write.after) return true;
  return !evidence.findings.empty();
}

void add(Tally& tally, const harness::Diagnosis& diagnosis, const std::string& truth) {
  ++tally.cases;
  std::string letters = diagnosis.kind == "vacuous" ? "" : diagnosis.kind;
  std::erase_if(letters, [](char one) { return one == '|' || one == '-' || one == 'd'; });
  const bool right = letters.find(truth) != std::string::npos;
  ++(letters.empty()    ? tally.nothing
     : !right           ? tally.wrong
     : letters == truth ? tally.named
                        : tally.among);
  if (!letters.empty() && !right) tally.accused.insert(diagnosis.kind);
  static const std::regex number("0x[0-9a-f]+|[-+]?[0-9]+");
  tally.patterns.insert(std::regex_replace(diagnosis.evidence.front(), number, "N"));
}

void one_case(const Class& of, std::mt19937_64& random, Tally& tally) {
  Recorder recorder;
  run_interpreter(
      [&](Interpreter& on) {
        on.judge.code().set_observer(&recorder);
        const Address first = make_no_grad(on);
        const std::uint64_t former = on.core.attributes.word(first);
        on.judge.code().storing(first, true);
        // Another block may take its chunk's storage first, which gives the next another word.
        on.core.objects.decref(first);
        const bool moves = random() % 4 != 0;
        if (moves) on.core.allocator.malloc(24, md::BlockKind::noise);
        const Address second = make_no_grad(on);
        on.judge.code().storing(second, true);
        Scenery here{on, random, second, former};
        of.act(here);
        if (std::string(of.letter) == "f") on.core.objects.decref(second);
        recorder.ended({.compiled_stores = 2});
      },
      [&](md::Setup& setup) { setup.observers.memory = &recorder; });
  if (changes(recorder.evidence())) add(tally, diagnose(recorder.evidence()), of.letter);
}

TEST(ManagedDictHeldOut, RandomWritersAreNamedOrLeftOpen) {
  constexpr int kCases = 400;
  for (const Class& of : kClasses) {
    std::mt19937_64 random(1);
    Tally tally;
    for (int i = 0; i < kCases; ++i) one_case(of, random, tally);
    const std::string figures = fmt::format(
        "({}) {} cases: {} named, {} among others, {} nothing, {} wrong; {} evidence patterns",
        of.letter, tally.cases, tally.named, tally.among, tally.nothing, tally.wrong,
        tally.patterns.size());
    RecordProperty(std::string("class_") + of.letter, figures);
    std::string accused;
    for (const std::string& kind : tally.accused) accused += " " + kind;
    EXPECT_GE(tally.cases, 100U) << figures;
    EXPECT_LE(tally.wrong * 20, tally.cases) << figures << "; accused alone:" << accused;
    EXPECT_GE(tally.named * 4, tally.cases) << figures;
  }
}

}  // namespace
}  // namespace scenarios::managed_dict::testing
