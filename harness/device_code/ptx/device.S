// The headers of device/, as they are: the driver hands them to the compiler before each module.
        .section .rodata
        .globl  afterlife_ptx_device
        .hidden afterlife_ptx_device
afterlife_ptx_device:
        .incbin "harness/device_code/ptx/device/types.h"
        .incbin "harness/device_code/ptx/device/integer.h"
        .incbin "harness/device_code/ptx/device/rounding.h"
        .incbin "harness/device_code/ptx/device/driver.h"
        .incbin "harness/device_code/ptx/device/floating.h"
        .incbin "harness/device_code/ptx/device/convert.h"
        .incbin "harness/device_code/ptx/device/float8.h"
        .incbin "harness/device_code/ptx/device/video.h"
        .incbin "harness/device_code/ptx/device/thread.h"
        .incbin "harness/device_code/ptx/device/mbarrier.h"
        .incbin "harness/device_code/ptx/device/stack.h"
        .incbin "harness/device_code/ptx/device/matrix.h"
        .incbin "harness/device_code/ptx/device/fragment.h"
        .incbin "harness/device_code/ptx/device/sparse.h"
        .byte   0
        .section .note.GNU-stack, "", @progbits
