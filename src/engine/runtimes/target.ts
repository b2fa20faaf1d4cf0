/** What an engine build computes on. */
export type Backend = 'cpu' | 'cuda' | 'metal' | 'vulkan';

/** The kind of machine that an engine build is for. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** As `process.arch` names it, such as `x64`. */
  readonly architecture: string;
}

const platformNames: Readonly<Record<string, string>> = { darwin: 'macos', win32: 'windows' };

/** `<platform>-<arch>-<backend>`, such as `macos-arm64-metal`; the key of a pinned build. */
export function targetOf(machine: Machine, backend: string): string {
  const platform = platformNames[machine.platform] ?? machine.platform;
  return `${platform}-${machine.architecture}-${backend}`;
}

/** The name of a runtime for a target. */
export function runtimeName(target: string): string {
  return `llama.cpp-${target}`;
}
