import { filterEnvironment } from '../../platform/processes/filter-environment.ts';

/** Environment variables that engines inherit: libraries, temporary folder, GPU. */
const inheritedVariables = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SystemRoot',
  'LD_LIBRARY_PATH',
  'DYLD_LIBRARY_PATH',
  'CUDA_VISIBLE_DEVICES',
  'CUDA_DEVICE_ORDER',
  'GGML_VK_VISIBLE_DEVICES',
  // Groups of variables, which GPU drivers and loaders read.
  'HSA_*',
  'ROCR_*',
  'HIP_*',
  'VK_*',
  'XDG_*',
  'ONEAPI_*',
] as const;

/**
 * The environment of an engine process: the few variables that it needs, the setting `engine.environment`, and the
 * API key, which other users could read if it were an argument.
 */
export function childEnvironment(
  parent: NodeJS.ProcessEnv,
  apiKey: string,
  extraVariables: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...filterEnvironment(parent, inheritedVariables),
    // Threads wait for each other thousands of times a second. A short spin keeps them from sleeping; a long spin
    // would starve them on a busy machine (docs/adr/0009-engine-threads.md).
    GOMP_SPINCOUNT: '1000',
    ...extraVariables,
    LLAMA_API_KEY: apiKey,
    // Without this, an abort would start a debugger, whose output hides the cause.
    GGML_NO_BACKTRACE: '1',
    // Makes the server act as the child of a llama.cpp router: it reports its load progress on its standard output,
    // and exits when its standard input closes. The port itself is not used.
    LLAMA_SERVER_ROUTER_PORT: '1',
  };
}

/** The environment for running a runtime's binary to query it, with the same GPUs as the engines. */
export function engineEnvironment(
  parent: NodeJS.ProcessEnv,
  extraVariables: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...filterEnvironment(parent, inheritedVariables), ...extraVariables };
}
