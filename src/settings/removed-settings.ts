import { settingWords } from './setting-names.ts';

const fixed = (value: string): string => `It is fixed now: ${value}.`;

/**
 * Settings of earlier versions, and a sentence that names their replacement. They are ignored with
 * a warning.
 */
export const removedSettings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'images.allowUrls': 'Use images.urlHosts: * allows all public addresses.',
    'images.allowedHosts': 'Use images.urlHosts.',
    'mcp.connectTimeoutSeconds': fixed(
      '30, or timeoutSeconds of a server in mcp.json if it is less',
    ),
    'mcp.callTimeoutSeconds': 'Set timeoutSeconds of a server in mcp.json; the default is 60.',
    'mcp.maxProcesses': fixed('32'),
    'mcp.approvalSeconds': fixed('600'),
    'models.pinned': 'Pin a model in its settings: hearth model set MODEL --pinned on.',
    'models.minDimensions': 'The catalog of models says it.',
    'engine.releaseUrl':
      'Use HTTPS_PROXY, or install llama.cpp yourself and set engine.llamaServer.',
    'engine.runtimesDir':
      'Runtimes are in the folder "runtimes" of the home: move them there, or make it a link to their folder.',
    'engine.loadTimeoutSeconds':
      'It is computed now: 600 seconds, and one more for each 20 MB of the model.',
    'engine.cpuExpertLayers': 'Set cpu_moe_layers of a load, or in the settings of a model.',
    'engine.gpuSplitMode': 'Set split_mode of a load, or in the settings of a model.',
    'engine.gpuShares': 'Set tensor_split of a load, or in the settings of a model.',
    'engine.kvTypeK': 'Use engine.kvType.',
    'engine.kvTypeV': 'Use engine.kvType.',
    'engine.speculation': 'Set speculation when you load a model.',
    'engine.promptCacheMiB': 'It is computed now: a sixteenth of the memory, at least 512 MiB.',
    'engine.spareMemoryMiB': fixed('4096, or models.memoryLimitBytes if it is less'),
    'hub.ollamaRegistry': 'Use hub.mirrors, such as {"ollama": "https://registry.example.com"}.',
    'hub.dockerRegistry': 'Use hub.mirrors, such as {"docker": "https://registry.example.com"}.',
    'hub.modelScopeEndpoint':
      'Use hub.mirrors, such as {"modelscope": "https://www.modelscope.ai"}.',
    'warm.enabled': 'Set warm.maxBytes to 0 to save no states.',
    'warm.idleSeconds': fixed('5'),
    'warm.persistStateless': fixed('false'),
    'update.feed': 'Use the option --feed of hearth update.',
    'store.maxConnections': fixed('10'),
    'store.leaseSeconds': fixed('30'),
    'batches.concurrency': fixed('4'),
    'batches.maxFileBytes': fixed('100 MiB'),
    'batches.maxRequests': fixed('50000'),
    'batches.maxActive': fixed('32'),
    'batches.maxStorageBytes': fixed('4 GiB'),
    'batches.retentionDays': fixed('30'),
    'limits.queuedRequests': fixed('64 for each of engine.parallel'),
    'limits.loadWaitSeconds': fixed('300'),
    'limits.loadQueue': fixed('32'),
    'limits.backgroundResponses': fixed('16'),
    'limits.imagePixels': fixed('40 million'),
    'limits.stalledResponseSeconds': fixed('60'),
    'log.format': fixed('text on a terminal, JSON elsewhere'),
    'log.fileMiB': fixed('10'),
    'observability.requests': fixed('200'),
  }),
);

/** Environment variables of the removed settings, with the sentences that name the replacements. */
export const removedVariables: ReadonlyMap<string, string> = new Map(
  [...removedSettings].map(([key, advice]) => [
    `HEARTH_${settingWords(key).join('_').toUpperCase()}`,
    advice,
  ]),
);

/** Flags of the removed settings, without leading dashes, with the sentences that name the replacements. */
export const removedFlags: ReadonlyMap<string, string> = new Map(
  [...removedSettings].map(([key, advice]) => [settingWords(key).join('-').toLowerCase(), advice]),
);
