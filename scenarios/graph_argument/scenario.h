// What the graph_argument scenario is made of; scenario.cpp says how the pieces fit.
#pragma once

#include "harness/scenario.h"
#include "targets/graph_argument/graph_argument.h"

namespace scenarios::graph_argument {

/// The ops of a script: one call of targets::graph_argument each. Their names, which
/// are what tapes hold, are in kOps, in this order.
enum class Op : std::uint8_t {
  allocate,
  close_buffer,
  set_deallocation_stream,
  link,
  load_module,
  create_event,
  close_event,
  record,
  close_stream,
  create_definition,
  add_kernel,
  add_memcpy,
  add_memset,
  add_record,
  add_wait,
  add_callback,
  add_child,
  get_child,
  set_params,
  destroy_node,
  clone,
  set_attribute,
  instantiate,
  upload,
  launch,
  update_node,
  update,
  close_graph,
  alias,
  drop,
  make_cycle,
  plant,
  collect,
  synchronize,
  flood,
  begin_building,
  launch_captured,
  end_building,
  complete,
  synchronize_device,
  add_conditional,
  get_branch,
  add_alloc,
  add_free,
  add_scratch,
};
inline constexpr std::size_t kOpCount = 45;
inline constexpr std::array<harness::OpInfo, kOpCount> kOps{{
    {"allocate"},
    {"close_buffer"},
    {"set_deallocation_stream"},
    {"link"},
    {"load_module"},
    {"create_event"},
    {"close_event"},
    {"record"},
    {"close_stream"},
    {"create_definition"},
    {"add_kernel"},
    {"add_memcpy"},
    {"add_memset"},
    {"add_record"},
    {"add_wait"},
    {"add_callback"},
    {"add_child"},
    {"get_child"},
    {"set_params"},
    {"destroy_node"},
    {"clone"},
    {"set_attribute"},
    {"instantiate"},
    {"upload"},
    {"launch"},
    {"update_node"},
    {"update"},
    {"close_graph"},
    {"alias"},
    {"drop"},
    {"make_cycle"},
    {"plant"},
    {"collect"},
    {"synchronize"},
    {"flood"},
    {"begin_building"},
    {"launch_captured"},
    {"end_building"},
    {"complete"},
    {"synchronize_device"},
    {"add_conditional"},
    {"get_branch"},
    {"add_alloc"},
    {"add_free"},
    {"add_scratch"},
}};

/// Makes the path.
using Maker = targets::graph_argument::GraphArgument (*)(
    harness::Runtime& runtime, const targets::graph_argument::Setup& setup);

/// How many tasks take part and how many op slots each has. Slots are numbered; task 0 is the
/// script.
struct Shape {
  std::uint32_t mutator_count = 1;
  std::uint32_t script_slots = 16;
  std::uint32_t mutator_slots = 5;
  /// Makes the path instead of the variant's own maker: tests plant their defects by it.
  Maker make = nullptr;
};

/// The axes of a config, by index.
enum Axis : std::size_t { kDefaultStreamAxis, kCollectorAxis };

void drive(harness::Scene& scene);
void drive_shaped(harness::Scene& scene, const Shape& shape);

/// What a graph that keeps itself alive comes to.
void judge(harness::Scene& scene);

int window_of(const harness::Scene& scene, const harness::Fault& fault);

}  // namespace scenarios::graph_argument
