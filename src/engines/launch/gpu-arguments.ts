import type { LaunchSpec } from './launch.ts';

type GpuSpec = Pick<LaunchSpec, 'gpus' | 'projectorPath' | 'speculation'>;

/** The arguments of llama-server that choose its GPUs and divide the layers among them. */
export function gpuArguments({ gpus, projectorPath, speculation }: GpuSpec) {
  if (gpus === undefined) return {};
  const { devices, splitMode, mainGpu } = gpus;
  const ids = devices.map(({ id }) => id);
  // Even without layers on GPUs, the engine would use a GPU for long prompts and images.
  const list = ids.join(',') || 'none';
  return {
    '--device': list,
    '--spec-draft-device': speculation?.kind === 'draft' ? list : undefined,
    '--no-mmproj-offload': projectorPath !== undefined && ids.length === 0,
    '--split-mode': splitMode,
    '--tensor-split': ids.length > 1 ? devices.map(({ layers }) => layers).join(',') : undefined,
    '--main-gpu': mainGpu === undefined ? undefined : ids.indexOf(mainGpu),
  };
}

/** Names the projector's GPU. The engine ignores `--device` for the projector and would use the first GPU. */
export function buildGpuVariables({ gpus, projectorPath }: GpuSpec): Record<string, string> {
  const first = gpus?.devices[0];
  if (first === undefined || projectorPath === undefined) return {};
  return { MTMD_BACKEND_DEVICE: first.id };
}
