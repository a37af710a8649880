// SimDevice: the simulated driver. Holds what exists (contexts, modules, streams, events, pools,
// memory) and carries out the work that calls submit. What each call means is in calls_*.cpp.
//
// Work is done at submission unless a pick says that it stays queued; then its stream is an engine
// of the scheduler, and advances by one block of a kernel or one other piece of work at a time.
#pragma once

#include <memory>
#include <vector>

#include "harness/cuda.h"
#include "harness/cuda/open.h"
#include "harness/device.h"
#include "harness/devices/sim/graphs/capture.h"
#include "harness/devices/sim/graphs/graphs.h"
#include "harness/devices/sim/handles.h"
#include "harness/devices/sim/kernels/provenance.h"
#include "harness/devices/sim/kernels/runner.h"
#include "harness/devices/sim/memory/memory.h"
#include "harness/devices/sim/streams/data_race.h"
#include "harness/devices/sim/streams/stream.h"
#include "harness/devices/sim/streams/work.h"

namespace harness::devices {

struct Context : Object {
  bool primary = false;
  unsigned reference_count = 0;  ///< Of the primary context: retained so often.
  unsigned flags = 0;
  Stream* legacy = nullptr;
  std::vector<Stream*> streams;  ///< All but the legacy one.

  void reset() {
    primary = false;
    reference_count = 0;
    legacy = nullptr;
    streams.clear();
  }
};

struct Kernel;

struct Function : Object {
  Module* module = nullptr;
  const KernelEntry* entry = nullptr;
  Label label;  ///< The kernel's name.
  void reset() {}
};

struct Module : Object {
  Context* context = nullptr;
  const KernelImage* image = nullptr;
  std::vector<Function*> functions;  ///< Per entry of the image; null until asked for.
  void reset() { functions.clear(); }
};

/// Kernels that belong to no context. `module` is what is loaded of it, wherever it is.
struct Library : Object {
  Module* module = nullptr;
  std::vector<Kernel*> kernels;  ///< Per entry of the image; null until asked for.
  void reset() { kernels.clear(); }
};

struct Kernel : Object {
  Library* library = nullptr;
  Function* function = nullptr;
  void reset() {}
};

struct Event : Object {
  Context* context = nullptr;
  Event* exported = nullptr;  ///< What it was opened from, in another process: see ipc.h.
  unsigned flags = 0;
  StreamPoint point;                ///< What was last recorded.
  std::uint64_t record_count = 0;   ///< Calls so far,
  std::uint32_t noted = 0;          ///< and the last one in the history.
  Tick time = 0;                    ///< When the last record was reached.
  Clock clock;                      ///< What comes before the last record, and it.
  Capture* capture = nullptr;       ///< Where it was last recorded, if that was in one,
  std::vector<GraphEdge> captured;  ///< and which nodes it stands for there.
  void reset() {
    exported = nullptr;
    point = {};
    record_count = 0;
    time = 0;
    clock.clear();
    capture = nullptr;
    captured.clear();
  }
};

struct Pool : Object {
  bool is_default = false;
  std::vector<std::uint32_t> freed;  ///< Blocks that calls have freed, in that order.
  std::uint64_t release_threshold = 0;
  std::uint64_t limit = 0;  ///< Of what is in use; 0 for none.
  bool follow_events = true;
  bool opportunistic = true;
  bool internal_dependencies = true;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;
  void reset();
};

/// What the driver keeps for each process that uses it.
struct Process {
  bool initialized = false;
  Context* primary = nullptr;
  Pool* default_pool = nullptr;
  Pool* current_pool = nullptr;         ///< Null: the default one.
  TaskId function_task = TaskId::none;  ///< The task that runs host functions; it may not call.
  std::vector<HostCall> functions;      ///< What is to be called on the host, in order.
  std::vector<std::uint32_t> mappings;  ///< Blocks that it has imported.

  void reset() {
    initialized = false;
    primary = nullptr;
    default_pool = nullptr;
    current_pool = nullptr;
    function_task = TaskId::none;
    functions.clear();
    mappings.clear();
  }
};

/// Finds the kernels that an image stands for, when it is not a KernelImage itself. libcuda.so.1
/// has one: it knows fatbins by their content. Null unless set.
using ImageLookup = const KernelImage* (*)(const void* image);
void set_image_lookup(ImageLookup lookup);

/// When work may stay queued.
enum class Lag : std::uint8_t {
  ask,    ///< A pick says.
  never,  ///< Only when what it depends on does.
};

class SimDevice final : public Device {
 public:
  ~SimDevice() override;

  void begin(World& world) override;
  void end() override;
  const DriverTable& table() const override;
  bool runs_host_kernels() const override { return true; }

  /// The device of the current world, for the entry points.
  static SimDevice& current() { return static_cast<SimDevice&>(*World::current()->device); }

  Scheduler& scheduler() { return world->scheduler; }
  Ledger& ledger() { return world->ledger; }
  /// The place in the history of the call that runs.
  std::uint32_t last_noted() const {
    const std::size_t count = world->history.events().size();
    return static_cast<std::uint32_t>(count == 0 ? 0 : count - 1);
  }

  // ---- processes, threads and contexts ----

  /// Of the running task.
  Process& process() { return process(scheduler().process()); }
  Process& process(ProcessId id) {
    if (raw(id) >= processes_.size()) [[unlikely]]
      add_processes(id);
    return *processes_[raw(id)];
  }
  std::vector<Context*>& context_stack();
  Context* current_context();
  CUstreamCaptureMode& capture_mode();
  Stream& per_thread_stream(Context& context);
  /// Ends the context and everything that belongs to it.
  void destroy(Context& context);

  // ---- what handles name; an error and a fault when they name nothing that lives ----

  Stream& add_stream(Context& context, Label label);
  std::uint64_t next_stream_id() { return ++stream_count_; }
  template <class Table>
  auto find(const Table& table, const void* handle, Label kind) -> decltype(table.find(handle));

  // ---- work ----

  Work& fresh_work(WorkKind kind, Label label);
  /// The call found an error after all.
  void discard(Work& work) { spare_works_.push_back(&work); }
  /// The work is done, or queued.
  StreamPoint submit(Stream& stream, Work& work, Lag lag);
  /// Takes the first piece of work of a stream further.
  void advance(Stream& stream);
  void wait(const StreamPoint& point);
  /// Waits for all work that was submitted to this one stream.
  void drain(Stream& stream);
  /// Waits for all work that was submitted to the stream, and to those that it waits for.
  void synchronize(Stream& stream);
  void synchronize(Context& context);
  bool idle(const Stream& stream) const;
  /// Looks whether waits on memory are over, if there are any.
  void look_again() {
    if (memory_wait_count_ != 0) settle();
  }
  /// The block's life ends; its pool has less in use.
  void release(std::uint32_t block);
  /// The place that the next thing done on a stream has among all work.
  OrderPoint next_point(Stream& stream);
  void catch_up(Stream& stream);

  // ---- what the run of a graph asks ----

  /// The work that a kernel, copy or set node does. Its addresses mean what they meant when they
  /// were copied.
  Work& make_work(const NodeParams& params);
  /// Does one step: a block of a kernel, or all of any other work. Returns true when nothing is
  /// left.
  bool step(Stream& stream, Work& work);
  /// A wait for a value in memory comes next, and is not over.
  bool held_up(Work& work);
  /// A node's work is done.
  void finish_part(Stream& stream, Work& work);
  /// An event record node has been reached.
  void reach(Event& event, const StreamPoint& point);
  /// Has a host node called.
  void call_host(const HostCall& call);
  /// Something that has records of its own, but no work: what an event record node records.
  Stream& add_clock(Context& context);

  /// Of the running task's process.
  Pool& default_pool();
  Pool& current_pool();
  /// Pools give back what they hold beyond their thresholds: what a synchronisation does to them.
  void shrink_pools();

  // ---- memory that the host writes without a call ----

  static bool is_host_visible(const Block& block) {
    return block.origin == Origin::pinned || block.origin == Origin::managed;
  }
  void add_host_visible(std::uint32_t block) { host_visible_.push_back(block); }
  void adopt_host_words(std::uint64_t address, std::uint64_t bytes);
  void adopt_all_host_words();

  /// Gives the condition of a graph a value, as a kernel does.
  void set_conditional(CUgraphConditionalHandle handle, unsigned value);

  // ---- faults ----

  /// A call that the documentation forbids, or that met something dead; noted.
  void misuse(Label kind, const char* detail, BirthId id = BirthId::none);
  void used_dead(BirthId id);
  /// Work met dead memory: the run is over. Outside a run the context is unusable from now on.
  void die();

  World* world = nullptr;
  Memory memory;
  std::unique_ptr<Provenance> provenance;
  std::unique_ptr<KernelRunner> runner;
  std::unique_ptr<Order> order;

  HandleTable<Context, HandleKind::context> contexts;
  HandleTable<Module, HandleKind::module> modules;
  HandleTable<Function, HandleKind::function> functions;
  HandleTable<Stream, HandleKind::stream> streams;
  HandleTable<Event, HandleKind::event> events;
  HandleTable<Pool, HandleKind::pool> pools;
  HandleTable<Library, HandleKind::library> libraries;
  HandleTable<Kernel, HandleKind::kernel> kernels;
  Graphs graphs{*this};
  Captures captures{*this};

  OpenFailures open_failures;
  std::vector<std::uint32_t> freed;  ///< Blocks of no pool, in the order they were freed.
  CUresult broken = CUDA_SUCCESS;    ///< What calls return after work went wrong.
  bool in_function = false;          ///< Outside a run: a host function is running.

 private:
  struct Thread {
    std::vector<Context*> stack;
    CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    struct Own {
      Context* context;
      Stream* stream;
    };
    std::vector<Own> streams;
  };

  Thread& thread();
  void add_threads(std::size_t last);

  void depend(Stream& stream, Work& work);
  bool run_now(Stream& stream, Work& work, Lag lag);
  void enqueue(Stream& stream, Work& work);
  void complete_front(Stream& stream);
  void finish(Stream& stream, Work& work);
  void settle();
  bool pass_marker(Stream& stream);
  void set_ready(Stream& stream, bool ready);
  bool call_function(Stream& stream, Work& work);
  void call(Work& work);
  bool do_memory_op(Work& work);
  [[noreturn]] void serve_functions(ProcessId id);
  void add_processes(ProcessId last);

  static void acquire_before(Stream& stream, const Work& work);
  void start(Stream& stream, Work& work);
  bool run_graph_now(Stream& stream, Work& work, std::uint32_t stay);
  bool step_graph(Stream& stream, Work& work);
  bool pass_graph(Stream& stream, Work& work);
  void call_later(const HostCall& call);
  bool run_block(const Stream& stream, Work& work);
  void copy(Work& work);
  void copy_row(Work& work);
  void set(Work& work);
  void set_row(Work& work);
  bool met(const Work& work, const Place& place);
  void used(const Work& work, const Place& place, AccessMode mode);
  void used_by_kernel(const Work& work);
  void note_device(EventKind kind, const Stream& stream, const Work& work);

  std::vector<Thread> threads_;
  std::size_t thread_count_ = 0;
  std::uint64_t stream_count_ = 0;
  std::size_t memory_wait_count_ = 0;  ///< Queued works with memory operations.
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Work*> spare_works_;
  std::vector<Stream*> busy_;                ///< Streams with queued work.
  std::vector<std::uint32_t> host_visible_;  ///< Blocks.
  CapturedWords words_;
  std::vector<std::unique_ptr<Process>> processes_;  ///< By ProcessId.
};

template <class Table>
auto SimDevice::find(const Table& table, const void* handle, Label kind)
    -> decltype(table.find(handle)) {
  auto* object = table.find(handle);
  if (object == nullptr) {
    misuse(kind, "not a handle that the driver gave out");
    return nullptr;
  }
  if (object->alive) [[likely]]
    return object;
  used_dead(object->birth);
  return nullptr;
}

}  // namespace harness::devices
