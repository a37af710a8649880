// SPDX-License-Identifier: Apache-2.0
#include "harness/client/inside/libcudart/tests/runtime_stage.h"

#include <fatbinary_section.h>

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, std::size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, std::size_t, int, int);
char __cudaInitModule(void**);
}

namespace harness::testing {

Host host;

namespace {

alignas(8) constexpr char kPtx[] = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .const .align 4 .b8 factor[16];
.visible .global .attribute(.managed) .align 4 .u32 managed = 5;
.visible .entry add(.param .u64 values, .param .u32 count, .param .u32 value)
{
  .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r1, [count];
  ld.param.u32 %r2, [value];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.s32 %p1, %r6, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r6, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r7, [%rd4];
  add.s32 %r8, %r7, %r2;
  st.global.u32 [%rd4], %r8;
DONE:
  ret;
}
.visible .entry scale(.param .u64 values, .param .u32 count)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [values];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x;
  setp.ge.s32 %p1, %r2, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r2, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r3, [%rd4];
  ld.const.u32 %r4, [factor];
  mul.lo.s32 %r5, %r3, %r4;
  st.global.u32 [%rd4], %r5;
DONE:
  ret;
}
.visible .entry count_up()
{
  .reg .b32 %r<3>;
  ld.global.u32 %r1, [managed];
  add.s32 %r2, %r1, 1;
  st.global.u32 [managed], %r2;
  ret;
}
.visible .entry sample(.param .u64 out, .param .u64 texture)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [texture];
  cvta.to.global.u64 %rd3, %rd1;
  mov.u32 %r5, 1;
  tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd2, {%r5}];
  st.global.u32 [%rd3], %r1;
  ret;
}
.visible .entry wait_all()
{
  bar.sync 0;
  ret;
}
)";

const __fatBinC_Wrapper_t kWrapper{FATBINC_MAGIC, FATBINC_VERSION,
                                   reinterpret_cast<const unsigned long long*>(kPtx), nullptr};

void** module() {
  static void** const handle = [] {
    void** made = __cudaRegisterFatBinary(const_cast<__fatBinC_Wrapper_t*>(&kWrapper));
    const auto add_kernel = [&](const char* address, const char* name) {
      __cudaRegisterFunction(made, address, const_cast<char*>(name), name, -1, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
    };
    add_kernel(&host.add, "add");
    add_kernel(&host.scale, "scale");
    add_kernel(&host.count_up, "count_up");
    add_kernel(&host.sample, "sample");
    add_kernel(&host.wait_all, "wait_all");
    __cudaRegisterVar(made, reinterpret_cast<char*>(&host.counter), nullptr, "counter", 0,
                      sizeof host.counter, 0, 0);
    __cudaRegisterVar(made, reinterpret_cast<char*>(&host.factor), nullptr, "factor", 0,
                      sizeof host.factor, 1, 0);
    __cudaRegisterManagedVar(made, reinterpret_cast<void**>(&host.managed), nullptr, "managed", 0,
                             sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(made);
    return made;
  }();
  return handle;
}

[[maybe_unused]] void** const kRegistered = module();  // Before main(), as nvcc's host code does.

}  // namespace

bool initialize_module() { return __cudaInitModule(module()) != 0; }

}  // namespace harness::testing
