// The headers of device/, as they are: the driver hands them to the compiler before each module.
        .section .rodata
        .globl  afterlife_ptx_device
        .hidden afterlife_ptx_device
afterlife_ptx_device:
        .incbin "harness/ptx/device/types.h"
        .incbin "harness/ptx/device/integer.h"
        .incbin "harness/ptx/device/rounding.h"
        .incbin "harness/ptx/device/driver.h"
        .incbin "harness/ptx/device/floating.h"
        .incbin "harness/ptx/device/convert.h"
        .incbin "harness/ptx/device/float8.h"
        .incbin "harness/ptx/device/video.h"
        .incbin "harness/ptx/device/thread.h"
        .incbin "harness/ptx/device/mbarrier.h"
        .incbin "harness/ptx/device/stack.h"
        .incbin "harness/ptx/device/matrix.h"
        .incbin "harness/ptx/device/fragment.h"
        .incbin "harness/ptx/device/sparse.h"
        .byte   0
        .section .note.GNU-stack, "", @progbits
