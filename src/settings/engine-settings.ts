import { choice, integer, text, variables } from './setting-kinds.ts';
import { setting, type SettingDeclaration } from './setting-declaration.ts';

const kvTypes = ['f32', 'f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0', 'iq4_nl'] as const;

/** The settings of engine processes; a part of `settingsTable`. */
export const engineSettings = {
  'engine.llamaServer': setting(
    text.optional(),
    'Path or name of a llama-server binary to use instead of an installed runtime.',
    { alias: 'HEARTH_LLAMA_SERVER', computedDefault: 'an installed runtime', path: 'name' },
  ),
  'engine.runtimesDir': setting(text.optional(), 'Folder of the installed runtimes.', {
    path: 'path',
    computedDefault: '<home>/runtimes',
  }),
  'engine.contextLength': setting(
    integer(16, 2 ** 31 - 1).optional(),
    'Context length of loads that do not set one, capped at the context length of the model.',
    { computedDefault: '4,096 to 131,072 tokens, by the free memory' },
  ),
  'engine.parallel': setting(
    integer(1, 256).default(4),
    'Number of requests that one instance processes at the same time.',
  ),
  'engine.cacheContexts': setting(
    integer(1, 256).optional(),
    'Number of whole contexts in the cache that the requests of one instance share, at most engine.parallel. A request waits until its prompt and its longest answer fit beside the others.',
    { computedDefault: 'as many as engine.parallel, fewer if memory is short' },
  ),
  'engine.threads': setting(integer(1, 512).optional(), 'CPU threads of one instance.', {
    computedDefault: 'physical cores, at most 64',
  }),
  'engine.gpuLayers': setting(
    integer(0, 10_000).optional(),
    'Number of model layers to offload to the GPU.',
    { computedDefault: 'as many as fit' },
  ),
  'engine.cpuExpertLayers': setting(
    integer(0, 10_000).optional(),
    'Number of layers of a mixture-of-experts model whose experts stay in the memory of the machine.',
    { computedDefault: 'none' },
  ),
  'engine.kvType': setting(
    choice(kvTypes).default('f16'),
    `Data type of the KV cache: ${kvTypes.join(', ')}.`,
  ),
  'engine.promptCacheMiB': setting(
    integer(0, 1024 * 1024).default(512),
    'Maximum memory of one instance for cached prompts besides those in its slots.',
  ),
  'engine.environment': setting(
    variables.default({}),
    'Environment variables of engine processes, such as {"HIP_VISIBLE_DEVICES": "0"}, in addition to those that they inherit.',
  ),
  'engine.loadTimeoutSeconds': setting(
    integer(1, 24 * 3600).default(600),
    'Timeout for loading a model. A load waits at most half as long for memory, and so does a request for a load; streams keep waiting for a load in progress.',
  ),
} as const satisfies Record<string, SettingDeclaration>;
