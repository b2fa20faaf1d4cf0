import { choice, httpUrl, integer, shares, text, variables } from './setting-kinds.ts';
import { setting, type SettingDeclaration } from './setting-declaration.ts';

const gpuSplitModes = ['none', 'layer', 'row'] as const;
const speculationModes = ['off', 'ngram'] as const;
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
  'engine.releaseUrl': setting(
    httpUrl.optional(),
    'Mirror of the llama.cpp releases to install runtimes from.',
    { computedDefault: 'the releases on GitHub' },
  ),
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
  'engine.gpuSplitMode': setting(
    choice(gpuSplitModes).optional(),
    `How a model is divided among GPUs: ${gpuSplitModes.join(', ')}.`,
    { computedDefault: 'layer' },
  ),
  'engine.gpuShares': setting(
    shares.optional(),
    'Share of each GPU, in the order in which the runtime lists them, such as 3,1.',
    { computedDefault: 'by free memory' },
  ),
  'engine.cpuExpertLayers': setting(
    integer(0, 10_000).optional(),
    'Number of layers of a mixture-of-experts model whose experts stay in the memory of the machine.',
    { computedDefault: 'none' },
  ),
  'engine.kvTypeK': setting(
    choice(kvTypes).default('f16'),
    `Data type of the keys in the KV cache: ${kvTypes.join(', ')}.`,
  ),
  'engine.kvTypeV': setting(
    choice(kvTypes).default('f16'),
    `Data type of the values in the KV cache: ${kvTypes.join(', ')}.`,
  ),
  'engine.speculation': setting(
    choice(speculationModes).default('off'),
    'Speculation of loads that do not set it: off, or ngram, which drafts text that the prompt or the answer repeats.',
  ),
  'engine.promptCacheMiB': setting(
    integer(0, 1024 * 1024).default(512),
    'Maximum memory of one instance for cached prompts besides those in its slots.',
  ),
  'engine.spareMemoryMiB': setting(
    integer(0, 1024 * 1024).default(4096),
    'Memory that an instance may use beyond its prompt cache and twice its estimate. An engine that uses more is stopped.',
  ),
  'engine.environment': setting(
    variables.default({}),
    'Environment variables of engine processes, such as {"HIP_VISIBLE_DEVICES": "0"}, in addition to those that they inherit.',
  ),
  'engine.loadTimeoutSeconds': setting(
    integer(1, 24 * 3600).default(600),
    'Timeout for loading a model.',
  ),
} as const satisfies Record<string, SettingDeclaration>;
