# SPDX-License-Identifier: Apache-2.0
"""Plants points in a small source, and sees that each becomes the mutants that it should."""
import re

from mutation import mutation_points

SOURCE = '''
namespace a {
class Keeper {
 public:
  bool keeps() const override { return true; }
  ~Keeper() { release(); }

 private:
  int count_ = 0;
};
Status Keeper::hold(Thing& thing) {  // A comment; with a mark.
  const LockGuard guard(lock_);
  shadow.sees(thing);
  if (thing.gone || (count_ > 2 && !open_)) return Status::closed;
  std::array<int, sizeof(Thing) / 4> words;
  ++count_;
  thing.attach(this);
  thing.tell(count_);
  for (Thing* other : others_) if (other != nullptr) other->retain();
  const bool ready = is_ready(thing);
  visit([&](int value) { drop(value); });
  return thing.finish();
}
}  // namespace a
'''

EXPECTED = [
    "k.h Keeper::keeps false: true",
    "k.h Keeper::~Keeper drop: release()",
    "k.h Keeper::hold unguard: const LockGuard guard(lock_)",
    "k.h Keeper::hold without: thing.gone",
    "k.h Keeper::hold without: (count_ > 2 && !open_)",
    "k.h Keeper::hold without: count_ > 2",
    "k.h Keeper::hold without: !open_",
    "k.h Keeper::hold false: thing.gone || (count_ > 2 && !open_)",
    "k.h Keeper::hold true: thing.gone || (count_ > 2 && !open_)",
    "k.h Keeper::hold drop: ++count_",
    "k.h Keeper::hold drop: thing.attach(this)",
    "k.h Keeper::hold swap: ++count_; thing.attach(this);",
    "k.h Keeper::hold drop: thing.tell(count_)",
    "k.h Keeper::hold swap: thing.attach(this); thing.tell(count_);",
    "k.h Keeper::hold false: other != nullptr",
    "k.h Keeper::hold true: other != nullptr",
    "k.h Keeper::hold drop: for (Thing* other : others_)",
    "k.h Keeper::hold false: is_ready(thing)",
    "k.h Keeper::hold true: is_ready(thing)",
    "k.h Keeper::hold drop: visit([&](int value) { drop(value); })",
    "k.h Keeper::hold drop: drop(value)",
    "k.h Keeper::hold default: return thing.finish()",
]


def complaints():
    source = mutation_points.Source("k.h", SOURCE, lambda name: True, re.compile("shadow"), 0)
    found = [point.id for point in source.points]
    yield from (f"no mutant {name}" for name in EXPECTED if name not in found)
    yield from (f"a mutant too many: {name}" for name in found if name not in EXPECTED)
    text = source.mutated()
    for point in source.points:
        asked = text.count(f"({point.number})") + text.count(f"({point.number},")
        if asked != (2 if point.kind == "swap" else 1):
            yield f"mutant {point.id} is asked for {asked} times"
    if not mutated_pieces_are_in(text):
        yield "the mutated text is not as it should be:\n" + text
    moved = mutation_points.Source("k.h", "\n\nint other() { return 1; }\n" + SOURCE, lambda name: True,
                                   re.compile("shadow"), 0)
    if not set(found) <= {point.id for point in moved.points}:
        yield "an edit elsewhere gives mutants other names"
    scoped = mutation_points.Source("k.h", SOURCE, lambda name: name == "Keeper::keeps", re.compile("shadow"), 0)
    if len(scoped.points) != 1:
        yield "functions that are not asked for are mutated"


def mutated_pieces_are_in(text):
    flat = " ".join(text.split())
    return all(piece in flat for piece in (
        "std::optional<LockGuard> guard; if (!mutation::on(", ")) guard.emplace(lock_);", "{ shadow.sees(thing); } } if (",
        ")) return {}; return thing.finish(); }", "{ ++count_; } else {"))


def run():
    found = list(complaints())
    for complaint in found:
        print(f"mutation points: {complaint}")
    if not found:
        print(f"mutation points: {len(EXPECTED)} mutants of a small source are as they should be")
    return 1 if found else 0
