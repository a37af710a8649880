// The report's program with nothing of ours around it: the same kernel, compiled by default, on
// memory of a stream-ordered pool. Built with ASan by graph_argument_recycled_test.cpp.
//
// With "freed" the storage goes back to the system instead of to the pool, and ASan sees the use.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "harness/devices/sim/kernel.h"

// What harness/devices/sim/kernel.h needs of a runner: one thread at a time, and no waiting.
extern "C" {
thread_local std::uint32_t afterlife_special_registers[12];
std::uint32_t afterlife_special_register(int index) { return afterlife_special_registers[index]; }
int afterlife_sync_threads(int) { std::abort(); }
void afterlife_set_conditional(std::uint64_t, std::uint32_t) { std::abort(); }
extern const harness::KernelImage afterlife_kernels_graph_argument;
}

namespace {

struct Block {
  int in[64], mid[64], out[64];
  const Block* next;
};

/// A pool: what was freed is given out again.
class Pool {
 public:
  Block* allocate() {
    if (free_.empty()) return static_cast<Block*>(std::calloc(1, sizeof(Block)));
    Block* block = free_.back();
    free_.pop_back();
    return block;
  }
  void free(Block* block, bool to_system) {
    if (to_system)
      std::free(block);
    else
      free_.push_back(block);
  }

 private:
  std::vector<Block*> free_;
};

void launch(const harness::KernelEntry& kernel, void* const* parameters) {
  for (std::uint32_t block = 0; block < 2; ++block)
    for (std::uint32_t thread = 0; thread < 32; ++thread) {
      afterlife_special_registers[0] = thread;
      afterlife_special_registers[3] = block;
      afterlife_special_registers[6] = 32;
      kernel.call(parameters);
    }
}

}  // namespace

int main(int count, char** arguments) {
  const bool to_system = count > 1 && std::strcmp(arguments[1], "freed") == 0;
  Pool pool;
  Block* buffer = pool.allocate();
  void* parameters[] = {&buffer};  // g.launch(config, add_one, buffer): the address, by value
  Block* const address = buffer;
  pool.free(buffer, to_system);                          // del buf; gc.collect()
  Block* other = to_system ? nullptr : pool.allocate();  // another owner's, in its storage
  buffer = address;
  launch(afterlife_kernels_graph_argument.entries[0], parameters);
  std::printf("%s\n", other == address ? "recycled" : "fresh");
  std::free(other);
}
