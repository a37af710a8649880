// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcuda/guide/parties.h"

#include <fmt/format.h>

#include "harness/client/border/forced.h"
#include "harness/client/inside/libcuda/guide/call_failures.h"
#include "harness/client/inside/libcuda/native_place.h"
#include "harness/client/inside/libcuda/thread_options.h"
#include "harness/core/fault/kinds.h"

namespace harness::entries {
namespace {

const Life* find_life(const World& world, Name name) {
  for (std::size_t i = world.ledger.lives().size(); i-- > 1;)
    if (world.ledger.lives()[i].name == name) return &world.ledger.lives()[i];
  return nullptr;
}

/// Returns the stream, numbered among the streams that the program created.
std::string stream_of(const World& world, Name name) {
  if (name == 0) return {};
  const Life* stream = find_life(world, name);
  if (stream == nullptr) return "the default stream";
  int number = 0;
  for (const Life& life : world.ledger.lives()) {
    number += life.kind == stream->kind;
    if (life.name == name) break;
  }
  return fmt::format("stream {}", number);
}

}  // namespace

const client::Place& Parties::place_of(Name activation) const {
  static const client::Place kNowhere;
  const auto place = places_.find(askers_.origin_of(activation));
  return place != places_.end() ? place->second : kNowhere;
}

bool Parties::is_tried(const client::Trial& trial, client::Trial::Kind how, Name call) const {
  if (trial.kind != how) return false;
  if (trial.place == 0) return trial.call == call;
  const auto place = places_.find(call);
  return place != places_.end() && client::hash_of(place->second) == trial.place;
}

std::string Parties::thread_of(Name activation) const {
  const Asker* asker = askers_.find(activation);
  if (asker == nullptr) return {};
  if (asker->python != nullptr) return asker->python->shown;
  if (is_first_of_python(asker->thread)) return threads_.all().front().shown;
  return free_threads_.are_any() ? fmt::format("thread {}", asker->thread) : "";
}

bool Parties::is_first_of_python(std::size_t thread) const {
  return !threads_.all().empty() && askers_.thread(thread) == threads_.all().front().name;
}

client::Party Parties::party(std::string_view site, Name activation) const {
  if (const auto other = elsewhere_.find(activation); other != elsewhere_.end()) {
    client::Party told = other->second;
    told.site = site;
    return told;
  }
  const Name call = askers_.origin_of(activation);
  return {std::string(site), place_of(activation), thread_of(activation), "", call, 0, process_};
}

/// The place of a use in a graph is where its node was added.
client::Party Parties::party_of_use(const World& world, std::string_view site,
                                    const Fault::Source& source) const {
  client::Party party =
      this->party(site, source.captured != 0 ? source.captured : source.activation);
  if (elsewhere_.contains(source.activation)) return party;
  party.stream = stream_of(world, source.stream);
  party.on = source.stream;
  return party;
}

void Parties::find_wait(const World& world, const Fault::Source& first, const Fault::Source& second,
                        client::ToldFault& told) const {
  const std::optional<IdleWait> idle = waits_.without_effect(first, second, askers_);
  if (!idle) return;
  const auto party_of = [&](Name call, Name stream) {
    const Asker* asker = askers_.find(call);
    client::Party party = this->party(asker != nullptr ? asker->called() : "", call);
    party.stream = stream_of(world, stream);
    return party;
  };
  told.wait = party_of(idle->wait.call, idle->wait.stream);
  if (idle->record.call == 0) return;
  told.record = party_of(idle->record.call, idle->record.stream);
  told.record_error = idle->record.error;
  if (idle->again.call != 0) told.again = party_of(idle->again.call, idle->again.stream);
}

/// Returns whether the program made the second use, or the end, before the first use.
bool Parties::is_reversed(const Fault::Source& first, const Fault::Source& second) const {
  const Asker* const earlier = askers_.find(askers_.origin_of(first.activation));
  const Asker* const later = askers_.find(askers_.origin_of(second.activation));
  return earlier != nullptr && later != nullptr && later->order != 0 &&
         later->order < earlier->order;
}

void Parties::find(const World& world, const Fault& fault, bool locates,
                   client::ToldFault& told) const {
  const bool is_end = !fault.death_site.empty() && fault.other.activation != 0;
  const bool is_race =
      !is_end && fault.other.activation != 0 && fault.writer.site.view() != client::kAllocation;
  const Fault::Source last =
      fault.use.activation != 0 ? fault.use : Fault::Source{fault.activation};
  told.use = party_of_use(world, fault.use_site.view(), is_end ? fault.other : last);
  if (is_race) told.other = party_of_use(world, fault.writer.site.view(), fault.other);
  if (is_end || is_race) {
    find_wait(world, fault.other, last, told);
    told.is_reversed = is_reversed(fault.other, last);
  }
  if (locates && fault.code != 0) add_kernel_frame(told.use.place, fault.code, told.use.site);
  if (const Asker* taken = askers_.find(fault.captured); taken != nullptr)
    told.capture = party(taken->called(), fault.captured);
  told.birth.site = fault.birth_site.view();
  told.death.site = fault.death_site.view();
  const Life* life = find_life(world, fault.object);
  if (life == nullptr) return;
  told.birth = party(fault.birth_site.view(), life->birth_activation);
  if (const Name on = waits_.stream_of_allocation(life->birth_activation); on != 0) {
    told.birth.on = on;
    told.birth.stream = stream_of(world, on);
  }
  if (is_end)
    told.death = party_of_use(world, fault.death_site.view(), last);
  else if (!life->alive && (fault.kind != FaultKind::data_race || !fault.death_site.empty()))
    told.death = party(fault.death_site.view(), life->death_activation);
  for (const client::PartyInfo& info : client::kParties)
    told.key = mix(told.key, (told.*info.party).call);
}

std::string Parties::answer_of(const Decision& decision, const Asker* asker) const {
  const int site = site_of_tag(decision.site_tag);
  if (site < 0) return fmt::format("{}", decision.value);
  switch (static_cast<Site>(site)) {
    case Site::collect:
      return "the collector runs";
    case Site::lag:
      return asker != nullptr && asker->kind == Asker::Kind::before_call ? "the device catches up"
                                                                         : "the device lags behind";
    case Site::reuse:
      if (asker != nullptr && asker->function.starts_with("cuStreamCreate"))
        return "handles of destroyed streams are reused";
      if (asker != nullptr && asker->function.starts_with("cuEventCreate"))
        return "handles of destroyed events are reused";
      return "freed storage is reused";
    case Site::schedule:
      if (asker == nullptr || asker->kind == Asker::Kind::call) return "another stream runs";
      if (asker->kind == Asker::Kind::process_turn)
        return "the process is slow: the others go first";
      for (const BatonThread& thread : threads_.all())
        if (ThreadOptions::value_of(thread) == decision.value)
          return fmt::format("{} runs", thread.shown);
      return "another thread runs";
    case client::kTimeLimit:
      for (const BatonThread& thread : threads_.all())
        if (ThreadOptions::value_of(thread) == decision.value)
          return fmt::format("the time limit of {} passes", thread.shown);
      return "a time limit passes";
    case Site::watch:
      return "the allocation is watched";
    case Site::failure:
      return failure_words(asker != nullptr ? asker->function : std::string_view());
    default:
      return fmt::format("{} {}", kSites[static_cast<std::size_t>(site)].name, decision.value);
  }
}

client::ToldDecision Parties::told(const Decision& decision) const {
  const Asker* asker = askers_.find(decision.activation);
  const std::string forced = client::is_forced(decision) ? ", forced" : "";
  const std::string in = process_.empty() ? "" : " in " + process_;
  return {decision, (asker != nullptr ? words_of(*asker) : "the driver") + in,
          answer_of(decision, asker) + forced, place_of(decision.activation)};
}

}  // namespace harness::entries
