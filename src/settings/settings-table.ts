import { kvCacheTypes } from '../kernel/field.ts';
import {
  addressWithPort,
  aliases,
  boolean,
  bucketUrl,
  choice,
  database,
  formatValue,
  httpUrl,
  integer,
  list,
  mirrors,
  notEmpty,
  publicUrl,
  setting,
  type SettingDeclaration,
  text,
  variables,
} from './setting-kinds.ts';
import * as z from 'zod';
import { upstreams } from './upstreams-setting.ts';

/** The settings of engine processes, which are part of `settingsTable`. */
export const engineSettings = {
  'engine.llamaServer': setting(
    text.optional(),
    'Path or name of a llama-server binary to use instead of an installed runtime.',
    { alias: 'HEARTH_LLAMA_SERVER', computedDefault: 'an installed runtime', path: 'name' },
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
    'Number of model layers to offload to the GPU; 0 for the CPU only.',
    { computedDefault: 'as many as fit' },
  ),
  'engine.kvType': setting(
    choice(kvCacheTypes).default('f16'),
    `Data type of the KV cache: ${kvCacheTypes.join(', ')}.`,
  ),
  'engine.environment': setting(
    variables.default({}),
    'Environment variables of engine processes, such as {"HIP_VISIBLE_DEVICES": "0"}, in addition to those that they inherit.',
  ),
} as const satisfies Record<string, SettingDeclaration>;

/**
 * All settings: key in `config.json`, schema with default, description. Environment variables
 * (`HEARTH_MODELS_TTL_SECONDS`), flags of `hearth serve` (`--models-ttl-seconds`), `docs/settings.md` and
 * `docs/config.schema.json` are derived from this table.
 */

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export const settingsTable = {
  'server.host': setting(text.default('127.0.0.1'), 'Address to listen on.'),
  'server.port': setting(
    integer(0, 65_535).default(1234),
    'Port to listen on; 0 picks a free port.',
  ),
  'server.cors': setting(
    list.default([]),
    'Origins of web pages that may call the API, such as http://localhost:3000; * allows every origin.',
  ),
  'server.allowedHosts': setting(
    list.default([]),
    'Additional host names that requests may use in the Host header, besides the address of the server and localhost.',
  ),
  'server.listenAlso': setting(
    integer(1, 65_535).optional(),
    'Second port, on the same host, such as 11434 for Ollama clients whose port cannot be changed.',
  ),
  'server.linkAddress': setting(
    addressWithPort.default('0.0.0.0:1235'),
    'Address and port to listen on for linked machines, once `hearth link offer` has made a code.',
  ),
  'server.publicUrl': setting(
    publicUrl.optional(),
    'Address by which browsers reach the server through a reverse proxy, such as https://hearth.example.com or https://example.com/hearth. The server accepts its host in the Host and Origin headers, and its path before every path; `hearth open` prints links with it.',
  ),
  'server.tls.cert': setting(
    text.optional(),
    'File with the certificate chain (PEM). With it and `server.tls.key` the server accepts HTTPS only. Changed files are read again.',
    { path: 'path' },
  ),
  'server.tls.key': setting(text.optional(), 'File with the private key (PEM).', {
    path: 'path',
  }),
  'auth.required': setting(
    boolean.default(false),
    'Require an API token for every request, except for health checks and the files of the web app.',
  ),
  'chat.maxToolRounds': setting(
    integer(1, 1000).default(16),
    'Maximum rounds of tool calls in one turn. After them the model must answer without tools.',
    { isLive: true },
  ),
  'surfaces.openai': setting(boolean.default(true), 'Serve the API of OpenAI at /v1.'),
  'surfaces.anthropic': setting(
    boolean.default(true),
    'Serve the API of Anthropic at /v1/messages.',
  ),
  'surfaces.ollama': setting(boolean.default(true), 'Serve the API of Ollama at /api.'),
  'surfaces.mcp': setting(
    boolean.default(true),
    'Serve models as tools of the Model Context Protocol at /mcp.',
  ),
  upstreams: setting(
    upstreams.default({}),
    'Remote servers whose models are served like local ones: {"lab": {"url": "http://lab:8000/v1", "kind": "vllm"}}.',
  ),
  'images.urlHosts': setting(
    list.default([]),
    'Hosts from which images that requests name by http or https URL are read: * allows every public address; name or name:port allows that host, also with private or loopback addresses. Without it, images must be data URLs.',
    { isLive: true },
  ),
  'mcp.allowPlugins': setting(
    boolean.default(false),
    'Allow requests to use the plugins of mcp.json. Their token needs the permission "plugins".',
    { isLive: true },
  ),
  'mcp.allowEphemeral': setting(
    boolean.default(false),
    'Allow requests to name MCP servers by URL (ephemeral servers).',
    { isLive: true },
  ),
  'mcp.allowedHosts': setting(
    list.default([]),
    'Hosts (name or name:port) of ephemeral servers that may have private or loopback addresses.',
    { isLive: true },
  ),
  'models.dir': setting(text.optional(), 'Folder of the model library.', {
    path: 'path',
    computedDefault: '<home>/models',
  }),
  'models.extraDirs': setting(
    list.default([]),
    'Model folders of other programs, such as ~/.ollama/models. Hearth reads them in place and never writes to them.',
    { path: 'path' },
  ),
  'models.aliases': setting(
    aliases.default({}),
    'Other names for models: {"claude-*": "publisher/model"}, or a list of models that are tried in order: {"coder": ["publisher/model", {"model": "publisher/other", "when": "loaded", "maxWaitSeconds": 10}]}. One * stands for any characters; the name of a model takes precedence over an alias. `hearth alias` changes them while the server runs.',
    { isLive: true },
  ),
  'models.jit': setting(boolean.default(true), 'Load models on request (just in time).', {
    isLive: true,
  }),
  'models.ttlSeconds': setting(
    integer(1, 365 * 24 * 3600).default(3600),
    'Idle time after which a model that a request loaded (just in time) is unloaded.',
    { isLive: true },
  ),
  'models.autoEvict': setting(
    boolean.default(true),
    'Unload the previous just-in-time model when a request loads another. Chat and embedding models are independent.',
    { isLive: true },
  ),
  'models.maxLoaded': setting(
    integer(1, 10_000).optional(),
    'Maximum number of loaded instances.',
    {
      computedDefault: 'no limit',
      isLive: true,
    },
  ),
  'models.preload': setting(
    list.default([]),
    'Models to load when the server starts; they stay loaded. A load that fails is logged, and the server starts without it.',
  ),
  'models.memoryLimitBytes': setting(
    integer(1, Number.MAX_SAFE_INTEGER).optional(),
    'Memory limit for all loaded instances together.',
    { computedDefault: 'the free memory of the machine', isLive: true },
  ),
  ...engineSettings,
  'warm.maxBytes': setting(
    integer(0, Number.MAX_SAFE_INTEGER).default(8 * 1024 ** 3),
    'Maximum disk space for the saved KV caches of stored conversations, with which they continue quickly after a restart or an unload. The least recently used ones are deleted; 5 % of the disk always stay free. 0 saves none.',
  ),
  'hub.endpoint': setting(
    httpUrl.default('https://huggingface.co'),
    'Model hub to download from; a mirror must offer the same API.',
  ),
  'hub.token': setting(
    z
      .string(notEmpty)
      .regex(/^[\x21-\x7e]+$/, 'It must be a token: ASCII characters without spaces.')
      .optional(),
    'Access token of the hub for gated and private repositories. It is sent to the hub only.',
    { isSecret: true },
  ),
  'hub.mirrors': setting(
    mirrors.default({}),
    'Other addresses of model sources: {"ollama": "https://registry.example.com", "docker": "https://registry.example.com", "modelscope": "https://www.modelscope.ai"}. A source without one has its own: https://registry.ollama.ai, https://registry-1.docker.io or https://modelscope.cn. Registries must offer the API of the OCI distribution specification.',
  ),
  'store.url': setting(
    database.optional(),
    'File of the SQLite database, or a PostgreSQL database as postgres://USER@HOST/DATABASE.',
    { computedDefault: '<home>/hearth.db', path: 'path' },
  ),
  'store.blobsUrl': setting(
    bucketUrl.optional(),
    'Bucket of S3, or of a storage with its API, that keeps the images of conversations, as https://HOST/BUCKET or https://HOST/BUCKET/PREFIX. Credentials and region come from the variables AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and AWS_REGION.',
    { computedDefault: 'the database' },
  ),
  'store.retentionDays': setting(
    integer(1, 36_500).optional(),
    'Delete conversations this many days after their newest response; pinned ones stay.',
    { computedDefault: 'no limit' },
  ),
  'store.maxBytes': setting(
    integer(1024 * 1024, Number.MAX_SAFE_INTEGER).optional(),
    'Maximum size of the database, without the files of batches: the least recently used conversations beyond it are deleted; pinned ones stay.',
    { computedDefault: 'no limit' },
  ),
  'limits.bodyBytes': setting(
    integer(1024, 2 ** 31).default(64 * 1024 * 1024),
    'Maximum size of a request body.',
  ),
  'limits.requestsPerMinute': setting(
    integer(1, 1_000_000_000).optional(),
    'Maximum number of requests of a token that generate, in a minute, over all servers of the database. Further ones fail with 429. A token may have its own limit.',
  ),
  'limits.tokensPerMinute': setting(
    integer(1, 1_000_000_000).optional(),
    'Maximum number of prompt and answer tokens that an API token may use in a minute, over all servers of the database. Requests fail with 429 while more were used. A token may have its own limit.',
  ),
  'limits.requestsPerDay': setting(
    integer(1, 1_000_000_000).optional(),
    'Maximum number of requests of a token that generate, in a day (UTC), over all servers of the database. Further ones fail with 429 until the next day. A token may have its own limit.',
  ),
  'limits.tokensPerDay': setting(
    integer(1, 1_000_000_000_000).optional(),
    'Maximum number of prompt and answer tokens that an API token may use in a day (UTC), over all servers of the database. Once more were used, requests fail with 429 until the next day. A token may have its own limit.',
  ),
  'limits.shutdownSeconds': setting(
    integer(0, 3600).default(30),
    'Time that requests in flight have to finish when the server stops.',
  ),
  'log.level': setting(
    choice(logLevels).default('info'),
    `Minimum severity to log: ${logLevels.join(', ')}.`,
  ),
  'log.prompts': setting(
    boolean.default(false),
    'Write the exact prompt and the output of each generation to the log, and keep them and the request bodies in memory for `GET /api/v1/requests/{id}`.',
  ),
  'tracing.endpoint': setting(
    httpUrl.optional(),
    'Base URL of an OpenTelemetry collector (OTLP over HTTP), such as http://127.0.0.1:4318. Traces are off without it.',
    { alias: 'OTEL_EXPORTER_OTLP_ENDPOINT', computedDefault: 'no traces' },
  ),
  'tracing.prompts': setting(
    boolean.default(false),
    'Add prompts and outputs to the traces. Requires `log.prompts`.',
  ),
} as const satisfies Record<string, SettingDeclaration>;

export type SettingKey = keyof typeof settingsTable;
export type Settings = {
  readonly [Key in SettingKey]: z.output<(typeof settingsTable)[Key]['schema']>;
};

export const settingKeys = Object.keys(settingsTable) as readonly SettingKey[];

/** The declaration of a setting. */
export function settingDeclaration(key: SettingKey): SettingDeclaration {
  return settingsTable[key];
}

export function isSecretSetting(key: SettingKey): boolean {
  return settingDeclaration(key).isSecret === true;
}

/** Type of a setting's value in `config.json` with its bounds, derived from the schema. */
export interface SettingType {
  readonly name: 'boolean' | 'integer' | 'string' | 'url' | 'list' | 'object';
  readonly minimum?: number;
  readonly maximum?: number;
  readonly choices?: readonly string[];
}

export function settingType(key: SettingKey): SettingType {
  const schema = z.toJSONSchema(settingsTable[key].schema, { io: 'output' });
  const { type, minimum, maximum, enum: choices, format } = schema;
  if (choices !== undefined) return { name: 'string', choices: choices.map(String) };
  switch (type) {
    case 'integer':
      return { name: 'integer', minimum: minimum ?? 0, maximum: maximum ?? 0 };
    case 'boolean':
      return { name: 'boolean' };
    case 'array':
      return { name: 'list' };
    case 'object':
      return { name: 'object' };
    default:
      return { name: format === 'uri' ? 'url' : 'string' };
  }
}

/** Default of a setting; undefined if there is none or it is computed. */
export function defaultValue(key: SettingKey): unknown {
  return settingsTable[key].schema.safeParse(undefined).data;
}

/** Default of a setting as text for users; empty if there is none. */
export function describeDefault(key: SettingKey): string {
  const { computedDefault } = settingDeclaration(key);
  const value = defaultValue(key);
  return value === undefined ? (computedDefault ?? '') : formatValue(value);
}
