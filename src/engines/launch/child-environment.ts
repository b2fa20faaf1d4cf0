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
  // Groups of variables, which drivers and loaders of GPUs read.
  'HSA_*',
  'ROCR_*',
  'HIP_*',
  'VK_*',
  'XDG_*',
  'ONEAPI_*',
] as const;

/**
 * The environment of an engine process: the few variables that it needs, the setting
 * `engine.environment`, and its API key, since other users could read it in the arguments.
 */
export function childEnvironment(
  parent: NodeJS.ProcessEnv,
  apiKey: string,
  extraVariables: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    ...filterEnvironment(parent, inheritedVariables),
    // Threads wait for each other thousands of times a second: a short spin saves them from sleeping, and a long one
    // starves them on a busy machine (docs/adr/0009-engine-threads.md).
    GOMP_SPINCOUNT: '1000',
    ...extraVariables,
    LLAMA_API_KEY: apiKey,
    // On an abort the engine would start a debugger, whose output hides the cause.
    GGML_NO_BACKTRACE: '1',
    // As the child of a llama.cpp router, the server reports how far it has loaded on its standard
    // output and ends when its standard input closes; the port itself is not used.
    LLAMA_SERVER_ROUTER_PORT: '1',
  };
}

/** The environment in which a runtime answers questions, with the same GPUs as its engines. */
export function engineEnvironment(
  parent: NodeJS.ProcessEnv,
  extraVariables: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...filterEnvironment(parent, inheritedVariables), ...extraVariables };
}
