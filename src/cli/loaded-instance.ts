import { getStatus, type InstanceStatus } from '../api/v1/server/status-schema.ts';
import type { LoadConfig } from '../api/v1/models/load-config-schema.ts';
import { getModel, loadModel, type LoadRequest } from '../api/v1/models/model-schema.ts';
import { printable } from '../kernel/printable.ts';
import { ApiError } from './client/client-error.ts';
import type { Client } from './client/client.ts';
import { loadOptions } from './model/settings-options.ts';

interface LoadedInstance {
  readonly instance: InstanceStatus;
  /** The instance's settings that differ from the requested ones, such as `context_length 1024`. */
  readonly differences: readonly string[];
}

const { ttl: _ttl, ...configOptions } = loadOptions;
const configKeys = Object.keys(configOptions) as (keyof typeof configOptions)[];

/** Values that apply if an instance's configuration lacks a setting. */
const defaults: Partial<LoadConfig> = {
  speculation: 'off',
  offload_kv_cache_to_gpu: true,
};

/**
 * Finds the ready instance of a model whose settings differ least from the requested ones. Settings that the request
 * does not name may have any value. Undefined if the model has no ready instance.
 */
export async function findLoadedInstance(
  client: Client,
  body: LoadRequest,
  signal: AbortSignal,
): Promise<LoadedInstance | undefined> {
  try {
    const model = await client.call(getModel, { params: { model: body.model } }, signal);
    // The status of an instance does not contain its variant.
    if (body.model.includes('@') && (model.variants?.length ?? 0) > 1) return undefined;
    const { instances } = await client.call(getStatus, {}, signal);
    const ids = new Set(model.loaded_instances.map(({ id }) => id));
    const ready = instances.filter(({ id }) => ids.has(id));
    if (ready.length === 0) return undefined;
    // An estimate returns the settings as the server completes them: contexts rounded and names resolved.
    const estimate = { ...body, estimate_only: true, echo_load_config: true };
    const { load_config: config } = await client.call(loadModel, { body: estimate }, signal);
    if (config === undefined) return undefined;
    return ready
      .map((instance) => ({ instance, differences: differencesOf(body, config, instance) }))
      .toSorted((one, other) => one.differences.length - other.differences.length)[0];
  } catch (error) {
    // Lets the load report the problem; a token may also allow loads but not reading models.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function differencesOf(
  body: LoadRequest,
  wanted: LoadConfig,
  { config, ttl_seconds: ttl }: InstanceStatus,
): readonly string[] {
  const named = configKeys.filter((key) => body[key] != null);
  const valueOf = (of: LoadConfig, key: (typeof configKeys)[number]) => {
    const value = of[key] ?? defaults[key];
    return Array.isArray(value) ? value.join(',') : value;
  };
  const differing = named.filter((key) => valueOf(wanted, key) !== valueOf(config, key));
  const differences = differing.map((key) => describe(key, valueOf(config, key)));
  // Adapters change the answers, so a request without adapters must not get an instance that applies some.
  const adapters = writtenAdapters(config);
  if (writtenAdapters(wanted) !== adapters) differences.push(describe('adapter', adapters));
  if (body.ttl != null && body.ttl !== ttl) differences.push(describe('ttl', ttl));
  return differences;
}

function describe(key: string, value: string | number | boolean | undefined): string {
  const text = typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
  const option = `--${key.replaceAll('_', '-')}`;
  return text === undefined ? `no ${option}` : `${option} ${printable(String(text))}`;
}

function writtenAdapters({ adapters = [] }: LoadConfig): string | undefined {
  return adapters.map(({ adapter, scale }) => `${adapter}=${scale}`).join(', ') || undefined;
}

/** Describes why the load does not use an existing instance. */
export function describeDifferences({ instance, differences }: LoadedInstance): string {
  return `${printable(instance.model)} is loaded as ${printable(instance.id)} with ${differences.join(', ')}; loading another instance.`;
}
