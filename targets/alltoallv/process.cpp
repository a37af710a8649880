// The process: what it opens, its memory, and what the managed heap makes of it.
#include "targets/alltoallv/process.h"

namespace targets::alltoallv {

using harness::Object;
using harness::Ref;
using harness::SiteScope;
using harness::TypeInfo;

namespace {

bool good(CUresult result) { return result == CUDA_SUCCESS; }

void free_tensor(Object& self) {
  const TensorPayload& payload = self.payload<TensorPayload>();
  payload.process->release(payload.base);
}

const TypeInfo kTensorType{.name = "tensor", .dealloc = free_tensor, .tracked = false};
const TypeInfo kCycleType{.name = "cycle"};

}  // namespace

Process::Process(Core& core, std::uint32_t rank)
    : core_(core), rank_(rank), element_count_(buffer_elements(core.setup.rank_count)) {
  for (std::uint32_t peer = 0; peer < core.setup.rank_count; ++peer)
    if (peer != rank) caches_[peer] = core.scheduler.arena().make<Cache>(core, rank, peer);
}

// ---- open and close -----------------------------------------------------------------------------

Status Process::open() {
  const SiteScope site(core_.scheduler, "open");
  CUdevice device = 0;
  const bool opened =
      (context_ != nullptr || (good(cuInit(0)) && good(cuDeviceGet(&device, 0)) &&
                               good(cuCtxCreate(&context_, nullptr, 0, device)))) &&
      (module_ != nullptr || good(cuModuleLoadData(&module_, core_.runtime.kernels))) &&
      good(cuModuleGetFunction(&pack_, module_, "pack")) &&
      good(cuModuleGetFunction(&check_, module_, "check")) &&
      good(cuModuleGetFunction(&reduce_, module_, "reduce")) &&
      (team_stream_ != nullptr || good(cuStreamCreate(&team_stream_, CU_STREAM_NON_BLOCKING))) &&
      (blocks_ != 0 || good(cuMemAlloc(&blocks_, core_.setup.request_count * kBlockBytes)));
  return opened ? Status::ok : Status::driver_error;
}

// As upstream: the caches are not destroyed, whatever is left in them.
void Process::close() {
  const SiteScope site(core_.scheduler, "close");
  closing_ = true;
  core_.ring();
  core_.scheduler.wait_until({core_.doorbell, harness::AccessKind::read}, "progress thread",
                             [this] { return thread_count_ == 0; });
  for (Ref& buffer : buffers_) buffer.reset();
  free_released();
  if (core_.policy->close_rule() == CloseRule::counted)
    for (Cache* cache : caches_)
      if (cache != nullptr) cache->destroy();
  cuCtxDestroy(context_);
}

void Process::start_progress_thread() {
  ++thread_count_;
  core_.scheduler.spawn("progress", [this] {
    cuCtxSetCurrent(context_);
    serve();
    --thread_count_;
    core_.ring();
  });
}

// ---- teams --------------------------------------------------------------------------------------

// Rank 0 makes the segment; the others learn of it, and of all scratch, out of band.
void Process::create_team(Topology topology) {
  const SiteScope site(core_.scheduler, "create_team");
  topology_ = topology;
  seq_ = 0;
  if (rank_ == 0)
    core_.segment = core_.scheduler.arena().make<Segment>(core_.scheduler, core_.setup.rank_count);
  if (core_.setup.scratch) make_scratch();
  core_.out_of_band.arrive_and_wait();
  map_scratch();
  if (core_.setup.scratch) core_.out_of_band.arrive_and_wait();
}

void Process::destroy_team() {
  const SiteScope site(core_.scheduler, "destroy_team");
  core_.out_of_band.arrive_and_wait();
  if (rank_ == 0) tell_slots();
  unmap_scratch();
  for (auto& events : peer_events_)
    for (CUevent& event : events)
      if (event != nullptr) cuEventDestroy(std::exchange(event, nullptr));
  core_.out_of_band.arrive_and_wait();
  for (CUevent& event : slot_events_)
    if (event != nullptr) cuEventDestroy(std::exchange(event, nullptr));
  if (scratch_ != 0) cuMemFree(std::exchange(scratch_, 0));
}

void Process::tell_slots() {
  core_.segment->for_each_used([&](std::uint32_t index, const Slot& slot) {
    core_.tell([&](Observer& observer) {
      observer.left({index, slot.state.peek(), slot.barrier.waiting()});
    });
  });
}

// A failure is tried again: a team that comes up on some ranks only is another story.
void Process::make_scratch() {
  while (!good(cuMemAlloc(&scratch_, kSlotLimit * kScratchBytes))) {
  }
  scratch_info_ = {};
  while (export_memory(scratch_, scratch_info_) != Status::ok) {
  }
}

void Process::map_scratch() {
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    if (peer == rank_ || !core_.setup.scratch) continue;
    const MemInfo& info = core_.processes[peer]->scratch_info_;
    const Use use{rank_, Use::kTeam, peer};
    while (caches_[peer]->map(info, use, scratch_mappings_[peer]) != Status::ok) {
    }
  }
}

void Process::unmap_scratch() {
  for (std::uint32_t peer = 0; peer < core_.setup.rank_count; ++peer) {
    Mapping& mapping = scratch_mappings_[peer];
    if (mapping.mapped == 0) continue;
    if (core_.policy->close_rule() == CloseRule::counted)
      caches_[peer]->unmap_region(mapping);
    else
      caches_[peer]->unmap(mapping.key, mapping, Cache::Missing::ignored, true);
    mapping = {};
  }
}

CUdeviceptr Process::scratch_of(const Task& task, std::uint32_t peer) const {
  const CUdeviceptr base = peer == rank_ ? scratch_ : scratch_mappings_[peer].mapped;
  return base + task.slot * kScratchBytes;
}

// ---- memory -------------------------------------------------------------------------------------

Status Process::export_memory(CUdeviceptr base, MemInfo& info) {
  if (base == 0) return Status::ok;
  std::size_t bytes = 0;
  if (!good(cuMemGetAddressRange(&info.ptr, &bytes, base))) return Status::driver_error;
  info.length = bytes;
  info.offset = base - info.ptr;
  CUipcMemHandle handle;
  if (!good(cuIpcGetMemHandle(&handle, info.ptr))) return Status::driver_error;
  info.handle = std::bit_cast<Handle>(handle);
  return Status::ok;
}

Status Process::make_tensor(Ref& tensor, CUdeviceptr& base) {
  free_released();
  if (!good(cuMemAlloc(&base, element_count_ * sizeof(std::int32_t)))) return Status::driver_error;
  tensor = core_.runtime.heap.make<TensorPayload>(kTensorType, this, base, nullptr);
  return Status::ok;
}

// The collector runs in whichever process happens to ask, and on a thread that may have no context:
// memory is freed by the process that owns it, in its own context.
void Process::release(CUdeviceptr memory) {
  if (core_.scheduler.process() != static_cast<harness::ProcessId>(rank_))
    return released_.push_back(memory);
  cuCtxPushCurrent(context_);
  cuMemFree(memory);
  CUcontext popped = nullptr;
  cuCtxPopCurrent(&popped);
}

void Process::free_released() {
  while (!released_.empty()) {
    const CUdeviceptr memory = released_.back();
    released_.pop_back();
    cuMemFree(memory);
  }
}

Status Process::stream_of(std::uint32_t number, CUstream& stream) {
  stream = nullptr;
  if (number == 0) return Status::ok;
  CUstream& made = user_streams_[number - 1];
  if (made == nullptr && !good(cuStreamCreate(&made, CU_STREAM_NON_BLOCKING)))
    return Status::driver_error;
  stream = made;
  return Status::ok;
}

Status Process::take_event(CUevent& event) {
  if (!spare_events_.empty()) {
    event = spare_events_.back();
    spare_events_.pop_back();
    return Status::ok;
  }
  return good(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING)) ? Status::ok : Status::driver_error;
}

// ---- buffers ------------------------------------------------------------------------------------

Status Process::fill(Buffer buffer, std::uint32_t fill, std::uint32_t number) {
  const SiteScope site(core_.scheduler, "fill");
  CUstream stream = nullptr;
  if (const Status status = stream_of(number, stream); status != Status::ok) return status;
  Ref tensor;
  CUdeviceptr base = 0;
  if (const Status status = make_tensor(tensor, base); status != Status::ok) return status;
  int first = element(rank_, fill, 0);
  int count = static_cast<int>(element_count_);
  void* parameters[] = {&base, &first, &count};
  const unsigned threads = block_threads(element_count_);
  if (!good(cuLaunchKernel(pack_, 1, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr)))
    return Status::driver_error;
  tensor->payload<TensorPayload>().stream = stream;
  buffers_[buffer] = std::move(tensor);
  return Status::ok;
}

void Process::drop(Buffer buffer) {
  const SiteScope site(core_.scheduler, "drop");
  buffers_[buffer].reset();
  free_released();
}

void Process::make_cycle(Buffer buffer) {
  const SiteScope site(core_.scheduler, "make_cycle");
  if (!buffers_[buffer]) return;
  const Ref cycle = core_.runtime.heap.make(kCycleType);
  cycle->set("tensor", buffers_[buffer]);
  cycle->set("self", cycle);
}

}  // namespace targets::alltoallv
