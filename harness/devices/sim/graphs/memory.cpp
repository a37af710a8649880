// Memory that graphs allocate and free, and the values that their conditions ask.
#include "harness/devices/sim/graphs/memory.h"

#include <algorithm>
#include <array>

#include "harness/devices/sim/sim_device.h"

namespace harness::devices {

// ---- addresses --------------------------------------------------------------------------------

/// Which address that no graph has any more is given out again; 0 for a fresh one (plain).
static std::uint32_t pick_address(SimDevice& sim, std::vector<std::uint32_t>& freed,
                                  std::uint64_t bytes) {
  constexpr std::size_t kOfferLimit = 4;
  std::array<std::uint32_t, kOfferLimit + 1> names{0};
  std::array<std::size_t, kOfferLimit + 1> places{};
  std::uint32_t count = 1;
  for (std::size_t i = freed.size(); i-- > 0 && count <= kOfferLimit;) {
    const Block& block = sim.memory.block(freed[i]);
    if (block.granules * Memory::kGranule < bytes || !sim.memory.storage_is_free(freed[i]))
      continue;
    names[count] = static_cast<std::uint32_t>(sim.ledger().life(block.birth).name) | 1;
    places[count++] = i;
  }
  const std::uint32_t choice = sim.world->picker.pick_value(Site::reuse, {names.data(), count});
  if (choice == 0) return 0;
  const std::uint32_t block = freed[places[choice]];
  freed.erase(freed.begin() + static_cast<std::ptrdiff_t>(places[choice]));
  return block;
}

GraphMemory* Graphs::reserve(const Graph& graph, std::uint64_t bytes) {
  const std::uint32_t index =
      sim_.memory.set_apart(bytes, pick_address(sim_, freed_memory_, bytes));
  if (index == 0) return nullptr;
  GraphMemory& memory = memories_.next();
  memory = {index, &graph, nullptr, 1};
  sim_.memory.block(index).graph = &memory;
  return &memory;
}

void Graphs::drop(GraphMemory& memory) {
  if (--memory.holders > 0) return;
  sim_.memory.give_up(memory.block);
  freed_memory_.push_back(memory.block);
}

// ---- lives ------------------------------------------------------------------------------------

void Graphs::begin_life(GraphMemory& memory) {
  ++memory.holders;
  sim_.memory.begin_life(memory.block);
  counters.used += sim_.memory.block(memory.block).granules * Memory::kGranule;
  counters.used_high = std::max(counters.used_high, counters.used);
  counters.reserved = std::max(counters.reserved, counters.used);
  counters.reserved_high = std::max(counters.reserved_high, counters.reserved);
}

void Graphs::life_ended(GraphMemory& memory) {
  counters.used -= sim_.memory.block(memory.block).granules * Memory::kGranule;
  drop(memory);
}

template <class Act>
static bool all_allocations(const ExecGraph& graph, Act act) {
  for (const ExecNode& node : graph.nodes)
    if (node.params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && !act(*node.params->memory))
      return false;
  for (const ExecGraph* body : graph.bodies)
    if (!all_allocations(*body, act)) return false;
  return true;
}

bool Graphs::may_launch(const GraphExec& exec) {
  if ((exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) != 0) return true;
  return all_allocations(*exec.root, [this](const GraphMemory& memory) {
    const Block& block = sim_.memory.block(memory.block);
    if (block.freed) return true;
    sim_.misuse("graph memory", "launched again before it was freed", block.story());
    return false;
  });
}

/// As if cuMemFreeAsync were called for what earlier launches have left.
void Graphs::free_unfreed(const ExecGraph& graph, Stream& stream) {
  all_allocations(graph, [&](const GraphMemory& memory) {
    Block& block = sim_.memory.block(memory.block);
    if (block.freed) return true;
    block.freed = true;
    Work& work = sim_.fresh_work(WorkKind::free, "free");
    work.block = memory.block;
    if (!harness::devices::done(block.given_at)) work.after.push_back(block.given_at);
    block.freed_at = sim_.submit(stream, work, Lag::never);
    return true;
  });
}

/// From this call on others may use what the launch allocates, and no longer what it frees.
void Graphs::announce_memory(const ExecGraph& graph, Work& work, const StreamPoint& point) {
  for (const ExecNode& node : graph.nodes) {
    const CUgraphNodeType type = node.params->type;
    if (type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE) continue;
    Block& block = sim_.memory.block(node.params->memory->block);
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
      if (!harness::devices::done(block.freed_at)) work.after.push_back(block.freed_at);
      block.given_at = point;
    } else {
      block.freed_at = point;
    }
    block.freed = type == CU_GRAPH_NODE_TYPE_MEM_FREE;
  }
  for (const ExecGraph* body : graph.bodies) announce_memory(*body, work, point);
}

// ---- conditions -------------------------------------------------------------------------------

static constexpr std::uint64_t kBase = handle_base(HandleKind::conditional);

Conditional& Graphs::add_conditional(const Graph& graph, unsigned default_value,
                                     bool assigns_default) {
  Conditional& made = conditional_storage_.next();
  conditionals_.push_back(&made);
  made = {kBase | conditionals_.size() << kHandleShift,
          &graph,
          nullptr,
          default_value,
          assigns_default,
          0};
  return made;
}

Conditional* Graphs::find_conditional(CUgraphConditionalHandle handle) {
  const std::uint64_t index = ((handle & ~kHandleMask) >> kHandleShift) - 1;
  const bool ours = (handle & kHandleMask) == kBase && index < conditionals_.size();
  return ours && conditionals_[index]->handle == handle ? conditionals_[index] : nullptr;
}

bool Graphs::has_unused_conditional(const Graph& graph) {
  return std::any_of(conditionals_.begin(), conditionals_.end(), [&](const Conditional* each) {
    return each->graph == &graph && each->node == nullptr;
  });
}

void SimDevice::set_conditional(CUgraphConditionalHandle handle, unsigned value) {
  if (Conditional* found = graphs.find_conditional(handle))
    found->value = value;
  else
    misuse("conditional handle", "not a handle that the driver gave out");
}

}  // namespace harness::devices
