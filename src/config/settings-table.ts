import * as z from 'zod';

/**
 * Every setting, declared once: its key in `config.json`, what it may be and what it is by default.
 * The environment variable (`HEARTH_MODELS_TTL_SECONDS`) and the flag of `hearth serve`
 * (`--models-ttl-seconds`) follow from the key.
 */

interface SettingDeclaration {
  readonly schema: z.ZodType;
  readonly description: string;
  /** A second environment variable, for people who know it by that name. */
  readonly otherVariable?: string;
  /** Never shown: neither in a message nor in a list of the settings. */
  readonly isSecret?: boolean;
}

const notEmpty = 'It must be a text that is not empty.';

const setting = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  otherVariable?: string,
) =>
  ({
    schema,
    description,
    ...(otherVariable === undefined ? {} : { otherVariable }),
  }) satisfies SettingDeclaration;

const secret = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  ...setting(schema, description),
  isSecret: true,
});

/** Kinds of settings; the message of each says what it may be. Flags and variables give texts, the file JSON. */
const count = (minimum: number, maximum: number) => {
  const allowed = `It must be a whole number from ${minimum} to ${maximum}.`;
  const digits = z.string().regex(/^\d+$/).transform(Number);
  return z
    .union([z.number(), digits], allowed)
    .pipe(z.int(allowed).min(minimum, allowed).max(maximum, allowed));
};
const flag = z.union([z.boolean(), z.stringbool()], 'It must be true or false.');
const text = z.string(notEmpty).min(1, notEmpty);
const list = z.union(
  [
    z.array(z.string().min(1)),
    z.string().transform((joined) =>
      joined
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean),
    ),
  ],
  'It must be a list of texts, or one text with commas between.',
);
const choice = <const Choice extends string>(choices: readonly Choice[]) =>
  z.enum(choices, `It must be one of ${choices.join(', ')}.`);

const kvTypes = ['f32', 'f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0', 'iq4_nl'] as const;
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export const settingsTable = {
  'server.host': setting(text.default('127.0.0.1'), 'Address to listen on.'),
  'server.port': setting(count(0, 65_535).default(1234), 'Port to listen on; 0 takes a free one.'),
  'server.cors': setting(
    list.default([]),
    'Origins that pages may call from, such as http://localhost:3000; * for any; none by default.',
  ),
  'server.allowedHosts': setting(
    list.default([]),
    'Names by which clients may call the server, beside its own address and localhost.',
  ),
  'auth.required': setting(flag.default(false), 'Whether every request needs a token.'),
  'chat.maxToolRounds': setting(
    count(1, 1000).default(16),
    'Rounds of tool calls in one turn; after them the model must answer without.',
  ),
  'mcp.allowPlugins': setting(
    flag.default(false),
    'Whether requests may use the plugins of mcp.json; their token needs the permission plugins.',
  ),
  'mcp.allowEphemeral': setting(
    flag.default(false),
    'Whether requests may name tool servers of their own.',
  ),
  'mcp.allowedHosts': setting(
    list.default([]),
    'Hosts (name or name:port) with private or loopback addresses that those servers may have.',
  ),
  'mcp.connectTimeoutSeconds': setting(
    count(1, 600).default(30),
    'Longest time that connecting to a tool server may take, and listing its tools.',
  ),
  'mcp.callTimeoutSeconds': setting(
    count(1, 3600).default(60),
    'Longest time that one call of a tool may take.',
  ),
  'mcp.maxProcesses': setting(
    count(1, 1000).default(32),
    'Plugin processes that may run at once; the next request is answered 429.',
  ),
  'models.dir': setting(text.optional(), 'Folder of the models; <home>/models by default.'),
  'models.extraDirs': setting(
    list.default([]),
    'Folders of other programs to read models from in place, such as ~/.ollama/models.',
  ),
  'models.jit': setting(flag.default(true), 'Whether a request loads the model that it names.'),
  'models.ttlSeconds': setting(
    count(1, 365 * 24 * 3600).default(3600),
    'Idle time after which a model that a request loaded is unloaded.',
  ),
  'models.autoEvict': setting(
    flag.default(true),
    'Whether a model that a request loads takes the place of the one before, chat and embedding models apart.',
  ),
  'models.maxLoaded': setting(
    count(1, 10_000).optional(),
    'Most loaded instances at once; any number by default.',
  ),
  'models.pinned': setting(
    list.default([]),
    'Keys of models that stay loaded, once they are, whatever else is needed.',
  ),
  'models.memoryLimitBytes': setting(
    count(1, Number.MAX_SAFE_INTEGER).optional(),
    'Most memory that loaded models may need together; what the machine has free by default.',
  ),
  'engine.llamaServer': setting(
    text.optional(),
    'A llama-server binary to use instead of an installed runtime.',
    'HEARTH_LLAMA_SERVER',
  ),
  'engine.runtimesDir': setting(
    text.optional(),
    'Folder of the installed runtimes; <home>/runtimes by default.',
  ),
  'engine.releaseUrl': setting(
    z.url({ protocol: /^https?$/, error: 'It must be an http or https URL.' }).optional(),
    'Mirror of the llama.cpp releases to install runtimes from.',
  ),
  'engine.contextLength': setting(
    count(16, 2 ** 31 - 1).default(8192),
    'Context of a model loaded without one, where the model has that much.',
  ),
  'engine.parallel': setting(
    count(1, 256).default(4),
    'Requests that one instance works on at once.',
  ),
  'engine.threads': setting(
    count(1, 1024).optional(),
    'CPU threads of one instance; physical cores − 1 by default.',
  ),
  'engine.gpuLayers': setting(
    count(0, 10_000).optional(),
    'Layers on the GPU; as many as fit by default.',
  ),
  'engine.kvTypeK': setting(
    choice(kvTypes).default('f16'),
    `Type of the keys in the KV cache: ${kvTypes.join(', ')}.`,
  ),
  'engine.kvTypeV': setting(
    choice(kvTypes).default('f16'),
    `Type of the values in the KV cache: ${kvTypes.join(', ')}.`,
  ),
  'engine.promptCacheMiB': setting(
    count(0, 1024 * 1024).default(512),
    'Most memory of one instance for prompts kept beside those in work.',
  ),
  'engine.loadTimeoutSeconds': setting(
    count(1, 24 * 3600).default(600),
    'Longest time that loading a model may take.',
  ),
  'hub.endpoint': setting(
    z
      .url({ protocol: /^https?$/, error: 'It must be an http or https URL.' })
      .default('https://huggingface.co'),
    'Model hub to download from, such as a mirror.',
  ),
  'hub.token': secret(
    z
      .string(notEmpty)
      .regex(/^[\x21-\x7e]+$/, 'It must be a token: ASCII characters without spaces.')
      .optional(),
    'Token of an account on the hub, sent to it alone; for repositories that ask for one.',
  ),
  'store.url': setting(
    text.regex(/^(?!.*:\/\/)/s, 'Only SQLite files are supported by this version.').optional(),
    'File of the SQLite database; <home>/hearth.db by default.',
  ),
  'limits.bodyBytes': setting(
    count(1024, 2 ** 31).default(64 * 1024 * 1024),
    'Largest request body.',
  ),
  'limits.queuedRequests': setting(
    count(0, 100_000).default(256),
    'Requests that may wait for one instance; the next is answered 429.',
  ),
  'limits.loadWaitSeconds': setting(
    count(1, 24 * 3600).default(300),
    'Longest time that a load waits for memory, and a request for a load; streams of v1 wait on.',
  ),
  'limits.loadQueue': setting(
    count(0, 1000).default(32),
    'Loads that may wait for memory; the next is answered 429.',
  ),
  'limits.imagePixels': setting(
    count(1, 2 ** 31 - 1).default(40_000_000),
    'Largest image, width × height.',
  ),
  'limits.shutdownSeconds': setting(
    count(0, 3600).default(10),
    'Time that running requests have to finish when the server stops.',
  ),
  'log.level': setting(
    choice(logLevels).default('info'),
    `Least severity that is logged: ${logLevels.join(', ')}.`,
  ),
} as const satisfies Record<string, SettingDeclaration>;

export type SettingKey = keyof typeof settingsTable;
export type Settings = {
  readonly [Key in SettingKey]: z.output<(typeof settingsTable)[Key]['schema']>;
};

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

export function isSecretSetting(key: SettingKey): boolean {
  const declaration: SettingDeclaration = settingsTable[key];
  return declaration.isSecret === true;
}

/** Environment variables of a setting: `models.ttlSeconds` → `HEARTH_MODELS_TTL_SECONDS`. */
export function environmentVariables(key: SettingKey): readonly string[] {
  const declaration: SettingDeclaration = settingsTable[key];
  const { otherVariable } = declaration;
  const variable = `HEARTH_${words(key).join('_').toUpperCase()}`;
  return otherVariable === undefined ? [variable] : [variable, otherVariable];
}

/** `models.ttlSeconds` → `models-ttl-seconds`. */
export function flagName(key: SettingKey): string {
  return words(key).join('-').toLowerCase();
}

/** `promptCacheMiB` is three words: prompt, cache, mib. */
function words(key: SettingKey): string[] {
  return key
    .replace('MiB', 'Mib')
    .replace(/([a-z])([A-Z])/g, '$1.$2')
    .split('.');
}
