#include "harness/entries/libcuda/guide/parties.h"

#include <fmt/format.h>

#include "harness/entries/libcuda/native_place.h"

namespace harness::entries {
namespace {

const Life* find_life(const World& world, Name name) {
  for (std::size_t i = world.ledger.lives().size(); i-- > 1;)
    if (world.ledger.lives()[i].name == name) return &world.ledger.lives()[i];
  return nullptr;
}

/// Returns the stream by its number among those that the program made.
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
  const Name call = askers_.origin_of(activation);
  return {std::string(site), place_of(activation), thread_of(activation), "", call, 0};
}

/// A use in a graph is told where its node was added.
client::Party Parties::party_of_use(const World& world, std::string_view site,
                                    const Fault::Source& source) const {
  client::Party party =
      this->party(site, source.captured != 0 ? source.captured : source.activation);
  party.stream = stream_of(world, source.stream);
  party.on = source.stream;
  return party;
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
  if (locates && fault.code != 0) add_kernel_frame(told.use.place, fault.code, told.use.site);
  if (const Asker* taken = askers_.find(fault.captured); taken != nullptr)
    told.capture = party(taken->function, fault.captured);
  told.birth.site = fault.birth_site.view();
  told.death.site = fault.death_site.view();
  const Life* life = find_life(world, fault.object);
  if (life == nullptr) return;
  told.birth = party(fault.birth_site.view(), life->birth_activation);
  if (is_end)
    told.death = party_of_use(world, fault.death_site.view(), last);
  else if (!life->alive)
    told.death = party(fault.death_site.view(), life->death_activation);
  for (const client::PartyInfo& info : client::kParties)
    told.key = mix(told.key, (told.*info.party).call);
}

}  // namespace harness::entries
