// SPDX-License-Identifier: Apache-2.0
// How a pack is made: T(...) builds a temporary, from which cast() makes the pack that the script
// gets. Nested packs are cast again, so that the new pack has private copies. Each of them is a
// separate C++ object.
#include "targets/argpack/script/packs.h"

namespace targets::argpack {

using harness::Label;
using harness::Ref;

// ---- making -------------------------------------------------------------------------------------

Status ScriptPacks::new_argpack(Variable into, std::uint32_t depth, std::int32_t value,
                                Variable array) {
  const Op op(core_);
  Ref member;
  if (array != kNothing)
    if (const Status status = globals_.load(array, kArrayType, member); status != Status::ok)
      return status;
  Ref made;
  const Status status = construct(depth, value, member, made);
  if (status == Status::ok) globals_.store(into, std::move(made));
  return status;
}

// ArgPackType.__call__, from the innermost pack outwards.
Status ScriptPacks::construct(std::uint32_t depth, std::int32_t value, const Ref& array,
                              Ref& made) {
  Ref child;
  if (depth > 1)
    if (const Status status = construct(depth - 1, value + 1, Ref(), child); status != Status::ok)
      return status;
  Ref temporary;
  const Status status = make_pack(depth, value, child, array, temporary);
  return status == Status::ok ? cast(temporary, made) : status;
}

Status ScriptPacks::cast(const Ref& pack, Ref& made) {
  const PackPayload& payload = pack->payload<PackPayload>();
  Ref child;
  if (const Ref nested = pack->get("c"); nested)
    if (const Status status = cast(nested, child); status != Status::ok) return status;
  return make_pack(payload.depth, payload.a, child, pack->get("x"), made);
}

Status ScriptPacks::make_pack(std::uint32_t depth, std::int32_t value, const Ref& child,
                              const Ref& array, Ref& made) {
  step("ArgPack.__init__");
  const ThingId thing = core_.facts.made(Kind::pack, value, depth);
  made = core_.runtime.heap.make<PackPayload>(kPackType,
                                              PackPayload{this, thing, depth, value, 0, {}});
  if (child) {
    core_.facts.tell(&Observer::attached, thing, 0, thing_of(*child));
    made->set("c", child);
  }
  if (array) {
    core_.facts.tell(&Observer::attached, thing, 1, thing_of(*array));
    made->set("x", array);
  }
  return c_call("create_argpack", [&](Program& program) {
    PackPayload& payload = made->payload<PackPayload>();
    payload.generation = program.generation();
    const PackBlock block{value, 0, child ? host_address(child) : 0};
    const Status status = program.create_argpack(depth, block, payload.argpack);
    if (status == Status::ok)
      core_.facts.tell(&Observer::built, thing, payload.argpack.birth(), payload.generation);
    return status;
  });
}

/// Returns the host address of the nested pack's object. An assignment writes it into the parent's
/// memory, where it stays until a launch writes the device address.
CUdeviceptr ScriptPacks::host_address(const Ref& pack) const {
  return policy_.writes_host_address() ? pack->payload<PackPayload>().argpack.address() : 0;
}

void ScriptPacks::finalize(PackPayload& payload) {
  core_.facts.tell(&Observer::ended, payload.thing);
  const std::uint32_t now = generation_now();
  if (now == 0 || !payload.argpack) return;
  const Label site = kDeleteArgpack.by(payload.generation != now);
  c_call(site, [&](Program& program) {
    program.delete_argpack(payload.argpack, payload.generation);
    return Status::ok;
  });
}

// ---- using --------------------------------------------------------------------------------------

Status ScriptPacks::load_pack(Variable variable, std::uint32_t level, Ref& pack) {
  if (const Status status = globals_.load(variable, kPackType, pack); status != Status::ok)
    return status;
  for (; level > 0; --level) {
    step("LOAD_ATTR");
    Ref nested = pack->get("c");
    if (!nested) return Status::type_error;
    pack = std::move(nested);
  }
  return Status::ok;
}

Status ScriptPacks::set_scalar(Variable variable, std::uint32_t level, std::int32_t value) {
  const Op op(core_);
  Ref pack;
  if (const Status status = load_pack(variable, level, pack); status != Status::ok) return status;
  step("ArgPack.__setitem__");
  PackPayload& payload = pack->payload<PackPayload>();
  payload.a = value;
  const ThingId thing = payload.thing;
  core_.facts.tell(&Observer::assigned, thing, value);
  return c_call(kWriteArgpack, [&](Program& program) {
    if (const Status status = admit(payload, program); status != Status::ok) return status;
    const Status status =
        program.write(payload.argpack->allocation(), offsetof(PackBlock, a), &value, sizeof value);
    if (status == Status::ok) core_.facts.tell(&Observer::written, thing, value);
    return status;
  });
}

// Assigns the entry first, which drops the old pack, and then writes the memory.
Status ScriptPacks::set_item(const Ref& parent, const Ref& child) {
  step("ArgPack.__setitem__");
  PackPayload& payload = parent->payload<PackPayload>();
  {
    const Ref old = parent->exchange("c", child);
    core_.facts.tell(&Observer::attached, payload.thing, 0, thing_of(*child));
  }
  return c_call(kWriteArgpack, [&](Program& program) {
    if (const Status status = admit(payload, program); status != Status::ok) return status;
    const CUdeviceptr address = host_address(child);
    if (!policy_.writes_host_address()) return Status::ok;
    return program.write(payload.argpack->allocation(), offsetof(PackBlock, c), &address,
                         sizeof address);
  });
}

Status ScriptPacks::replace(const Ref& parent, std::int32_t value) {
  const std::uint32_t depth = parent->payload<PackPayload>().depth;
  if (depth < 2) return Status::type_error;
  Ref child;
  const Status status = construct(depth - 1, value, Ref(), child);
  return status == Status::ok ? set_item(parent, child) : status;
}

Status ScriptPacks::replace_nested(Variable variable, std::uint32_t level, std::int32_t value) {
  const Op op(core_);
  if (level == 0) return Status::type_error;
  Ref parent;
  const Status status = load_pack(variable, level - 1, parent);
  return status == Status::ok ? replace(parent, value) : status;
}

Status ScriptPacks::set_nested(Variable variable, std::uint32_t level, Variable child) {
  const Op op(core_);
  if (level == 0) return Status::type_error;
  Ref parent;
  if (const Status status = load_pack(variable, level - 1, parent); status != Status::ok)
    return status;
  Ref nested;
  if (const Status status = globals_.load(child, kPackType, nested); status != Status::ok)
    return status;
  const bool fits =
      nested->payload<PackPayload>().depth + 1 == parent->payload<PackPayload>().depth;
  return fits ? set_item(parent, nested) : Status::type_error;
}

Status ScriptPacks::get_nested(Variable into, Variable variable, std::uint32_t level) {
  const Op op(core_);
  Ref pack;
  const Status status = load_pack(variable, level, pack);
  if (status == Status::ok) globals_.store(into, std::move(pack));
  return status;
}

}  // namespace targets::argpack
