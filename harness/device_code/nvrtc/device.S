// The headers of device/, each by the name that a program includes, and in the end an empty name.
// Those that a program includes for what it has anyway are empty.
        .macro  header name, file
        .asciz  "\name"
        .incbin "harness/device_code/nvrtc/device/\file"
        .byte   0
        .endm
        .macro  part file
        header  "harness/device_code/nvrtc/device/\file", \file
        .endm
        .macro  nothing name
        .asciz  "\name"
        .asciz  ""
        .endm

        .section .rodata
        .globl  afterlife_nvrtc_headers
        .hidden afterlife_nvrtc_headers
afterlife_nvrtc_headers:
        part    language.cuh
        part    warps.cuh
        part    functions.cuh
        part    textures.cuh
        header  "cuda_fp16.h", halves.cuh
        nothing "cuda_runtime.h"
        nothing "cuda_runtime_api.h"
        nothing "device_launch_parameters.h"
        nothing "assert.h"
        nothing "cassert"
        .byte   0
        .section .note.GNU-stack, "", @progbits
