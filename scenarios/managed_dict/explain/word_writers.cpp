// SPDX-License-Identifier: Apache-2.0
// How it works. A store to the word is legal, or classified by three properties that follow from
// the instruction and the former content: its width, whether the word was read, changed slightly
// and written back, and whether its bytes are those of another word, whole or in part. If two
// classes of writer agree in all three, both are named.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "scenarios/managed_dict/explain/suspicion.h"

namespace scenarios::managed_dict {
namespace {

bool is_whole(const WordWrite& write) { return write.width == kWordBytes && write.offset == 0; }

/// Returns whether this is a store of the interpreter, which writes values once, then a dict or 0.
bool is_legal(const WordWrite& write) {
  const bool ours = write.writer == Writer::interpreter || write.writer == Writer::allocator;
  const bool covers = write.offset <= 0 && write.offset + write.width >= std::int32_t{kWordBytes};
  if (!ours || !(covers || write.width == 0)) return false;
  return write.before == 0 || write.after == 0 || write.before == write.after ||
         may_be_dict(write.after);
}

/// Returns a mask of the bytes of the word that the store covers.
std::uint64_t covered(const WordWrite& write) {
  std::uint64_t mask = 0;
  for (std::int32_t byte = 0; byte < static_cast<std::int32_t>(kWordBytes); ++byte)
    if (byte >= write.offset && byte < write.offset + write.width)
      mask |= std::uint64_t{0xff} << (8 * byte);
  return mask;
}

/// Returns whether the word differs only by a flag or a small count: it was read, changed and
/// written back. The difference is computed in the store's own bytes: one less than 0x00 is 0xff.
bool is_derived(const WordWrite& write) {
  constexpr std::uint64_t kSmall = 3;
  const std::uint64_t mask = covered(write);
  if (mask == 0) return false;
  const std::uint64_t one = mask & -mask;  // Lowest bit that it covers.
  const std::uint64_t up = (write.after - write.before) & mask;
  const std::uint64_t down = (write.before - write.after) & mask;
  return up / one <= kSmall || down / one <= kSmall;
}

/// Returns the words that instances had before this store, from the probes and from legal stores.
std::vector<std::uint64_t> words_before(const Evidence& evidence, const WordWrite& write) {
  std::vector<std::uint64_t> words;
  for (const Sighting& seen : evidence.sightings)
    if (seen.order < write.order && seen.place != 0) words.push_back(seen.word);
  for (const WordWrite& other : evidence.word_writes)
    if (other.order < write.order && is_legal(other)) words.push_back(other.after);
  std::erase(words, std::uint64_t{0});
  return words;
}

/// Returns whether all stored bytes are those of a former word.
bool is_former(const WordWrite& write, const std::vector<std::uint64_t>& words) {
  const std::uint64_t mask = covered(write);
  return std::any_of(words.begin(), words.end(),
                     [&](std::uint64_t word) { return ((word ^ write.after) & mask) == 0; });
}

/// Returns whether the low bytes are from one word, or 0, and the high ones from another.
bool is_torn(const WordWrite& write, std::vector<std::uint64_t> words) {
  words.push_back(write.before);
  words.push_back(0);
  for (std::uint32_t low = 1; low < kWordBytes; ++low) {
    const std::uint64_t mask = (std::uint64_t{1} << (8 * low)) - 1;
    const auto has = [&](std::uint64_t part) {
      return std::any_of(words.begin(), words.end(),
                         [&](std::uint64_t word) { return ((word ^ write.after) & part) == 0; });
    };
    if (has(mask) && has(~mask)) return true;
  }
  return false;
}

/// Returns whether the store writes the same byte repeatedly, over more than a word.
bool is_filled(const WordWrite& write) {
  const std::uint64_t mask = covered(write);
  const std::uint64_t first = write.after >> (8 * std::max<std::int32_t>(write.offset, 0)) & 0xff;
  return write.width > kWordBytes && write.after == (first * 0x0101010101010101 & mask);
}

struct Reading {
  const char* kind;
  const char* how;
};

Reading reading_of_whole(const WordWrite& write, const std::vector<std::uint64_t>& words) {
  if (is_former(write, words)) {
    if (write.writer == Writer::jit)
      return {"c|e", "the whole word, as another instance had it: a stale pointer or a stale word"};
    return {"c", "the whole word, as another instance had it"};
  }
  if (write.writer == Writer::jit && write.after == 0)
    return {"b|c|e", "the whole word, which is nothing now"};
  if (write.writer == Writer::jit && is_torn(write, words))
    return {"e", "the whole word, of bytes of two others: one that was half replaced"};
  return {"b|c", "the whole word, by something that has nothing to do with it"};
}

Reading reading_of(const WordWrite& write, const std::vector<std::uint64_t>& words) {
  if (write.width == 0) return {"a|b|c|e", "by an instruction that was not decoded"};
  if (is_derived(write)) {
    if (write.width == 1) return {"a", "one byte, and no more"};
    return {"b", "wider than the tag that it clears"};
  }
  if (is_whole(write)) return reading_of_whole(write, words);
  if (write.width == 1)
    return is_former(write, words) ? Reading{"c", "one byte, as another instance had it"}
                                   : Reading{"a|c", "one byte, which has nothing to do with it"};
  if (is_filled(write)) return {"c", "one byte again and again: what someone cleared"};
  if (is_former(write, words)) return {"c", "a part of it, as another instance had it"};
  return {"b|c", "a part of it, by something that has nothing to do with it"};
}

}  // namespace

Suspected from_writes(const Evidence& evidence) {
  for (const WordWrite& write : evidence.word_writes) {
    if (is_legal(write)) continue;
    const Reading reading = reading_of(write, words_before(evidence, write));
    return Suspicion{
        write.order, reading.kind,
        fmt::format("write watch: {} stored {} bytes at {:+} of the word of instance #{}, {:#x} -> "
                    "{:#x}: {}",
                    to_label(write.writer).view(), write.width, write.offset, write.instance,
                    write.before, write.after, reading.how)};
  }
  return {};
}

}  // namespace scenarios::managed_dict
