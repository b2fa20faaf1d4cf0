/** The compute backend of an engine build. */
export type Backend = 'cpu' | 'cuda' | 'metal' | 'vulkan';

/** The platform and hardware that an engine build supports. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** A value of `process.arch`, such as `x64`. */
  readonly architecture: string;
}

const platformNames: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };

/** `<platform>-<arch>-<backend>`, such as `macos-arm64-metal`; the key of a pinned build. */
export function targetOf(machine: Machine, backend: string): string {
  const platform = platformNames[machine.platform] ?? machine.platform;
  return `${platform}-${machine.architecture}-${backend}`;
}

/** The programs that run models. */
export type EngineName = 'llama.cpp' | 'mlx-lm';

/** The name of a runtime for a target. */
export function runtimeName(engine: EngineName, target: string): string {
  return `${engine}-${target}`;
}
