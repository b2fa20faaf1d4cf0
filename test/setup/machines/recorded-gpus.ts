import {
  gpuBudgets,
  parseDeviceList,
  type GpuBudget,
} from '../../../src/platform/machine/gpu-devices.ts';

/** Output of `llama-server --list-devices` on real machines. */
const recorded = {
  /** ggml-org/llama.cpp, issue 14966. */
  none: 'Available devices:\n',
  /** ggml-org/llama.cpp, pull request 15793. */
  laptop8: `ggml_vulkan: Found 1 Vulkan devices:
ggml_vulkan: 0 = NVIDIA GeForce RTX 4060 Laptop GPU (NVIDIA) | uma: 0 | fp16: 1 | bf16: 1 | warp size: 32 | shared memory: 49152 | int dot: 1 | matrix cores: NV_coopmat2
Available devices:
  Vulkan0: NVIDIA GeForce RTX 4060 Laptop GPU (7957 MiB, 7189 MiB free)
`,
  /** ollama/ollama, issue 16508. */
  twoUnequal: `ggml_cuda_init: found 2 CUDA devices (Total VRAM: 35936 MiB):
  Device 0: NVIDIA GeForce RTX 3080 Ti, compute capability 8.6, VMM: yes, VRAM: 11909 MiB
  Device 1: NVIDIA RTX PRO 4000 Blackwell SFF Edition, compute capability 12.0, VMM: yes, VRAM: 24026 MiB
Available devices:
  CUDA0: NVIDIA GeForce RTX 3080 Ti (11909 MiB, 11650 MiB free)
  CUDA1: NVIDIA RTX PRO 4000 Blackwell SFF Edition (24026 MiB, 23795 MiB free)
`,
  /** ikawrakow/ik_llama.cpp, pull request 394; its log has the free memory. The totals are from nvidia-smi. */
  fourUnequal: `Available devices:
  CUDA0: NVIDIA GeForce RTX 5090 (32607 MiB, 29249 MiB free)
  CUDA1: NVIDIA GeForce RTX 4090 (24564 MiB, 23633 MiB free)
  CUDA2: NVIDIA GeForce RTX 4090 (24564 MiB, 23698 MiB free)
  CUDA3: NVIDIA RTX A6000 (49140 MiB, 48280 MiB free)
`,
  /** 16 GB of memory, of which Metal may use two thirds; from a report with llama.cpp b10488. */
  apple16: `Available devices:
  MTL0: Apple M2 Pro (10922 MiB, 10922 MiB free)
  BLAS: Accelerate (0 MiB, 0 MiB free)
`,
  /** From a guide to llama.cpp in containers; the discrete GPU ran another model. */
  integratedAndDiscrete: `Available devices:
  Vulkan0: AMD Ryzen 9 7950X3D 16-Core Processor (RADV RAPHAEL_MENDOCINO) (72540 MiB, 71657 MiB free)
  Vulkan1: AMD Radeon RX 6950 XT (RADV NAVI21) (16368 MiB, 1798 MiB free)
`,
  /** AMD Strix Halo, from a guide of lemonade-sdk/llamacpp-rocm. */
  strixHalo: `ggml_cuda_init: found 1 ROCm devices:
  Device 0: AMD Radeon(TM) Graphics, gfx1151 (0x1151), VMM: no, Wave Size: 32
Available devices:
  ROCm0: AMD Radeon(TM) Graphics (110511 MiB, 110357 MiB free)
`,
} as const;

/** The GPUs of a machine, with the bytes that a first load may use. */
export function recordedGpus(machine: keyof typeof recorded): readonly GpuBudget[] {
  return gpuBudgets(parseDeviceList(recorded[machine]), new Map());
}

/** The lines with the devices of a machine. */
export function recordedDevices(machine: keyof typeof recorded): readonly string[] {
  return recorded[machine].split('\n').filter((line) => /^ {2}\w+\d: .* MiB free\)$/.test(line));
}
