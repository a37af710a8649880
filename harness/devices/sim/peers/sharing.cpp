// SPDX-License-Identifier: Apache-2.0
// How it works. Before a call, the process gets the uses of other processes, and after the call, it
// sends its own. Each use is thus compared with all earlier uses. Simultaneous calls of two
// processes are compared by both.
#include "harness/devices/sim/peers/sharing.h"

#include <unistd.h>

#include <utility>

#include "harness/core/fault/kinds.h"
#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

static Peers* peers = nullptr;

void share_by(Peers* those) { peers = those; }

std::uint64_t Sharing::run() { return peers != nullptr ? peers->run() : 0; }

std::uint32_t Sharing::own_number() { return peers != nullptr ? peers->process() : 0; }

bool Sharing::is_own(PeerObject object) {
  return peers != nullptr && object.process == peers->process();
}

void Sharing::begin() {
  is_on_ = false;
  blocks_.clear();
  events_.clear();
  names_.clear();
  lines_.clear();
  origins_.clear();
  uses_.clear();
  reported_.clear();
  undone_.clear();
}

/// A driver that was initialized before the fork cannot be used in the child.
void Sharing::forked() {
  Process& process = sim_.processes().current();
  process.is_forked = process.is_forked || process.initialized;
  process.initialized = false;
  begin();
}

UsesElsewhere Sharing::elsewhere() const { return UsesElsewhere(sim_.data_races()); }

/// Returns whether memory can be shared. After the first call, the device reports its uses.
bool Sharing::start() {
  if (peers == nullptr || peers->process() == 0) return false;
  is_on_ = true;
  elsewhere().listen(this);
  return true;
}

// ---- clocks -----------------------------------------------------------------------------------

LineIndex Sharing::line_of(std::uint32_t process, std::uint32_t line) {
  if (process == peers->process()) return line;
  const auto [known, is_new] = lines_.try_emplace({process, line}, kNoLine);
  if (is_new) {
    known->second = elsewhere().take_line();
    origins_[known->second] = known->first;
  }
  return known->second;
}

PeerPoint Sharing::to_peers(const OrderPoint& point) const {
  const auto origin = origins_.find(point.line);
  if (origin == origins_.end()) return {peers->process(), point.line, point.tick};
  return {origin->second.first, origin->second.second, point.tick};
}

PeerClock Sharing::to_peers(const Clock& clock) const {
  PeerClock all;
  for (LineIndex line = 0; line < elsewhere().line_count(); ++line)
    if (const std::uint32_t tick = clock.of(line); tick != 0) all.push_back(to_peers({line, tick}));
  return all;
}

Clock Sharing::from_peers(const PeerClock& clock) {
  Clock here;
  for (const PeerPoint& point : clock)
    here.include({line_of(point.process, point.line), point.tick});
  return here;
}

// ---- calls and lifetimes ----------------------------------------------------------------------

PeerCall Sharing::this_call() {
  return {sim_.scheduler().site(), {sim_.world().picker.current().name, 0, 0}};
}

PeerCall Sharing::birth_of(BirthId id) {
  const Life& life = sim_.ledger().life(id);
  return {life.birth_site, {life.birth_activation, 0, 0}};
}

BirthId Sharing::adopt(const PeerExport& exported, Label kind) {
  return sim_.ledger().adopted({.name = exported.life,
                                .kind = kind,
                                .birth_site = exported.born.site,
                                .birth_activation = exported.born.source.activation,
                                .address = exported.base,
                                .bytes = exported.bytes});
}

// ---- memory -----------------------------------------------------------------------------------

PeerObject Sharing::offer(std::uint32_t index) {
  Block& block = sim_.memory().block(index);
  if (block.is_shared) return names_[index];
  if (!start()) return {};
  const PeerObject name{peers->process(), raw(block.birth)};
  const SharedFile file = sim_.memory().foreign().share();
  const PeerExport exported{.object = name,
                            .life = sim_.ledger().life(block.birth).name,
                            .base = block.base,
                            .bytes = block.bytes,
                            .offset = block.base - file.low,
                            .born = birth_of(block.birth),
                            .outlives = block.origin == Origin::physical};
  if (!peers->offer(exported, file.number)) return {};
  block.is_shared = true;
  blocks_[key(name)] = index;
  names_[index] = name;
  tell_earlier_uses(index);
  return name;
}

/// Sends the uses that were made while no other process could know the block.
void Sharing::tell_earlier_uses(std::uint32_t block) {
  static const Clock kUnknown;
  elsewhere().visit(block, [&](const UsedRange& range, const OrderPoint& at, Label site,
                               const Fault::Source& source) {
    used(block, range, {at, kUnknown, site, 0, ~0u, source});
  });
  tell();
}

std::uint32_t Sharing::find(PeerObject object) {
  if (const auto known = blocks_.find(key(object)); known != blocks_.end())
    return sim_.memory().block(known->second).dead ? 0 : known->second;
  if (!start()) return 0;
  const PeerOpened opened = peers->open(object, PeerKind::memory, this_call());
  if (!opened.is_there || opened.file < 0) return 0;
  const std::uint32_t index = sim_.memory().foreign().enter(
      adopt(opened.exported, "device memory"),
      {opened.exported.base, opened.exported.bytes, opened.file, opened.exported.offset});
  blocks_[key(object)] = index;
  names_[index] = object;
  hear();
  return index;
}

std::uint32_t Sharing::map(std::uint32_t foreign) { return sim_.memory().foreign().map(foreign); }

void Sharing::closed(std::uint32_t mapping) { let_go(sim_.memory().block(mapping).exported); }

void Sharing::let_go(std::uint32_t foreign) {
  const auto name = names_.find(foreign);
  if (name == names_.end()) return;
  tell();
  peers->close(name->second);
  sim_.memory().foreign().forget(foreign);
  blocks_.erase(key(name->second));
  names_.erase(name);
}

void Sharing::check_free(std::uint32_t index) {
  const PeerMappings found = peers->mappings(names_[index]);
  if (found.count == 0) return;
  Fault fault = sim_.ledger().describe(FaultKind::api_misuse, sim_.memory().block(index).birth);
  fault.object_kind = "exported memory";
  fault.detail = "freed while another process has it open";
  fault.writer.site = found.opened.site;
  fault.other = found.opened.source;
  sim_.world().history.add(std::move(fault));
}

void Sharing::ended(std::uint32_t index) {
  const auto name = names_.find(index);
  if (name == names_.end()) return;
  tell();
  peers->end(name->second, this_call());
  sim_.memory().block(index).is_shared = false;
  blocks_.erase(key(name->second));
  names_.erase(name);
}

void Sharing::context_ended() {
  std::vector<std::uint32_t> blocks;
  for (const auto& [block, name] : names_)
    if (is_own(name) && sim_.memory().block(block).dead) blocks.push_back(block);
  for (const std::uint32_t block : blocks) ended(block);
  for (const std::uint32_t mapping : sim_.processes().current().mappings)
    if (sim_.memory().block(mapping).dead) closed(mapping);
  std::vector<Event*> events;
  for (const auto& [name, event] : events_)
    if (is_own(event->peer) && !event->alive) events.push_back(event);
  for (Event* event : events) ended(*event);
}

void Sharing::used(std::uint32_t block, const UsedRange& range, const OrderedUse& by) {
  constexpr std::size_t kRangeLimit = 64;
  const auto name = names_.find(block);
  if (name == names_.end()) return;
  const PeerPoint at = to_peers(by.at);
  if (!uses_.empty()) {
    PeerUse& last = uses_.back();
    const bool is_same = last.object == name->second && last.at.process == at.process &&
                         last.at.line == at.line && last.at.tick == at.tick;
    if (is_same) {
      if (last.ranges.size() < kRangeLimit) last.ranges.push_back(range);
      return;
    }
  }
  uses_.push_back({name->second, at, to_peers(by.after), {range}, {by.site, by.source}});
}

void Sharing::looked(std::uint32_t index, const OrderPoint& at) {
  const Block& block = sim_.memory().block(index);
  if (block.is_shared || (block.exported != 0 && sim_.memory().block(block.exported).is_shared))
    elsewhere().looked(at);
}

// ---- events -----------------------------------------------------------------------------------

PeerObject Sharing::offer(Event& event) {
  if (event.peer.process != 0) return event.peer;
  if (!start()) return {};
  const PeerObject name{peers->process(), raw(event.birth)};
  const PeerExport exported{.object = name,
                            .kind = PeerKind::event,
                            .life = sim_.ledger().life(event.birth).name,
                            .born = birth_of(event.birth)};
  if (!peers->offer(exported, -1)) return {};
  event.peer = name;
  events_[key(name)] = &event;
  if (event.record_count != 0) recorded(event);
  return name;
}

Event* Sharing::find_event(PeerObject object) {
  if (const auto known = events_.find(key(object)); known != events_.end())
    return known->second->alive ? known->second : nullptr;
  if (!start()) return nullptr;
  const PeerOpened opened = peers->open(object, PeerKind::event, this_call());
  if (!opened.is_there) return nullptr;
  Event& event = sim_.handles().events.add();
  event.birth = adopt(opened.exported, "event");
  event.flags = CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  event.peer = object;
  events_[key(object)] = &event;
  hear();
  return &event;
}

/// Another process may wait for it before this process calls again, so that the device advances as
/// far as it can.
void Sharing::recorded(Event& event) {
  const StreamPoint point = event.point;
  sim_.scheduler().wait_until({}, {}, [&point] { return done(point); });
  tell();
  const PeerRecord record{0, peers->process(), done(point), to_peers(event.clock)};
  event.record_count = peers->record(event.peer, record);
  if (!record.is_done) undone_.push_back({event.peer, event.record_count, point});
}

void Sharing::refresh(Event& event) {
  const PeerRecord record = peers->last_record(event.peer);
  if (record.count == 0 || record.process == peers->process()) return;
  if (event.elsewhere == nullptr)
    event.elsewhere = &sim_.streams().add_clock(*sim_.threads().context());
  event.elsewhere->submitted = record.count;
  if (record.is_done) event.elsewhere->completed = record.count;
  event.point = {event.elsewhere, record.count};
  event.record_count = record.count;
  event.clock = from_peers(record.clock);
  event.capture = nullptr;
}

void Sharing::ended(Event& event) {
  tell();
  peers->end(event.peer, this_call());
  events_.erase(key(event.peer));
  event.peer = {};
}

/// Lets work continue that waits for records of other processes, if they are done.
void Sharing::look_for_records() {
  bool has_moved = false;
  for (const auto& [name, event] : events_) {
    Stream* stream = event->elsewhere;
    if (stream == nullptr || stream->completed == stream->submitted) continue;
    const PeerRecord record = peers->last_record(event->peer);
    if (!record.is_done) continue;
    stream->submitted = stream->completed = record.count;
    has_moved = true;
  }
  if (has_moved) sim_.queues().settle();
}

// ---- exchanges with other processes -----------------------------------------------------------

void Sharing::hear() {
  if (!is_on_) return;
  apply(peers->exchange({}, {}), false);
  look_for_records();
}

void Sharing::tell() {
  if (!is_on_) return;
  const Clock& known = sim_.data_races().caller();
  if (!uses_.empty() || !reported_.includes(known)) {
    const PeerNews news = peers->exchange(uses_, to_peers(known));
    uses_.clear();
    reported_ = known;
    apply(news, true);
  }
  std::erase_if(undone_, [](const Undone& record) {
    if (!done(record.point)) return false;
    peers->recorded(record.object, record.count);
    return true;
  });
  look_for_records();
}

void Sharing::apply(const PeerNews& news, bool judges) {
  for (const PeerUse& use : news.uses) {
    const auto known = blocks_.find(key(use.object));
    if (known == blocks_.end()) continue;
    const Clock after = from_peers(use.after);
    const OrderPoint at{line_of(use.at.process, use.at.line), use.at.tick};
    for (const UsedRange& range : use.ranges)
      elsewhere().used(known->second, range,
                       {at, after, use.by.site, 0, ~0u, use.by.source, !judges});
  }
  for (const PeerEnd& end : news.ended) end_elsewhere(end);
  const Clock known = from_peers(news.known);
  sim_.data_races().host_saw(known);
  reported_.join(known);
}

/// The memory of a process that was killed stays valid in processes that have opened it.
void Sharing::end_elsewhere(const PeerEnd& end) {
  if (end.is_lost) return;
  if (const auto known = blocks_.find(key(end.object)); known != blocks_.end()) {
    Block& block = sim_.memory().block(known->second);
    if (block.origin != Origin::foreign || block.dead) return;
    sim_.ledger().ended_elsewhere(block.birth, end.by.site, end.by.source.activation);
    block.dead = block.freed = true;
    return;
  }
  const auto known = events_.find(key(end.object));
  if (known == events_.end() || !known->second->alive) return;
  sim_.ledger().ended_elsewhere(known->second->birth, end.by.site, end.by.source.activation);
  known->second->alive = false;
}

}  // namespace harness::devices
