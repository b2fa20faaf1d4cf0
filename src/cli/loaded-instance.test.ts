import { afterEach, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { runCommand } from '../../test/setup/cli/run-command.ts';
import { sendJson, startLoopbackServer } from '../../test/setup/net/loopback-server.ts';
import { getStatus, serverStatusSchema } from '../api/v1/server/status-schema.ts';
import type { LoadConfig } from '../api/v1/models/load-config-schema.ts';
import { v1ModelSchema } from '../api/v1/models/model-schema.ts';

const examplesOf = (schema: z.ZodType): readonly unknown[] =>
  (schema.meta()?.['examples'] ?? []) as readonly unknown[];
const [model] = examplesOf(v1ModelSchema);
const [status] = examplesOf(serverStatusSchema) as readonly [z.infer<typeof serverStatusSchema>];
const config: LoadConfig = { context_length: 4096, parallel: 4 };

let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/**
 * Runs `hearth load` for the example model, which is already loaded with `loaded`. The server completes the requested
 * settings with `completed`.
 */
async function load(
  options: readonly string[],
  { loaded = config, completed = config }: { loaded?: LoadConfig; completed?: LoadConfig } = {},
) {
  const loads: unknown[] = [];
  const base = { type: 'llm', load_config: completed };
  server = await startLoopbackServer(({ method, path, body }, response) => {
    if (path === getStatus.path) {
      const instances = status.instances.map((each) => ({ ...each, config: loaded }));
      return sendJson(response, { ...status, instances });
    }
    if (method === 'GET') return sendJson(response, model);
    if (JSON.parse(body).estimate_only === true) {
      const bytes = { total: 1, weights: 1, kv_cache: 1, compute: 1, projector: 1, process: 1 };
      const sizes = Object.entries({ ...bytes, usable: 1 }).map(([name, size]) => [
        `${name}_bytes`,
        size,
      ]);
      const estimate = { ...Object.fromEntries(sizes), fits: true };
      return sendJson(response, { ...base, status: 'estimated', estimate });
    }
    loads.push(JSON.parse(body));
    const done = { status: 'loaded', instance_id: 'other', load_time_seconds: 1 };
    return sendJson(response, { ...base, ...done });
  });
  const line = ['load', 'starter-chat', ...options, '--host', server.url];
  const { stderr } = await runCommand(line);
  return { loadCount: loads.length, stderr };
}

const reused = { loadCount: 0, stderr: 'To load another instance, add --another.\n' };

describe('hearth load of a model that is loaded', () => {
  it('uses the instance if the load names no setting', async () => {
    expect(await load([])).toEqual(reused);
  });

  it('compares the settings as the server completes them', async () => {
    const speculation = 'off';
    const completed = { ...config, speculation } as const;
    expect(await load(['--speculation', 'off'], { completed })).toEqual(reused);
    expect(await load(['--context-length', '4000'])).toEqual(reused);
    const kept = { ...config, offload_kv_cache_to_gpu: true };
    expect(await load(['--offload-kv-cache-to-gpu', 'on'], { completed: kept })).toEqual(reused);
  });

  it('says which settings differ, and loads another', async () => {
    const loaded = { ...config, speculation: 'ngram', offload_kv_cache_to_gpu: false } as const;
    const completed = { ...config, speculation: 'off', flash_attention: true } as const;
    const options = ['--speculation', 'off', '--offload-kv-cache-to-gpu', 'on'];
    const more = ['--flash-attention', 'on', '--ttl', '5'];
    const { loadCount, stderr } = await load([...options, ...more], { loaded, completed });
    expect(loadCount).toBe(1);
    expect(stderr).toContain(
      'hearth/starter-chat is loaded as hearth/starter-chat with no --flash-attention, --offload-kv-cache-to-gpu off, --speculation ngram, --ttl 3600; loading another instance.\n',
    );
  });
});
