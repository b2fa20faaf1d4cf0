import { startFakeHub, type FakeHub } from './fake-hub.ts';
import { createHub } from '../../../src/library/hub/create-hub.ts';
import { hubEgressPolicy } from '../../../src/library/hub/hub-endpoint.ts';
import type { Hub } from '../../../src/library/hub/hub.ts';
import { createHttpClient } from '../../../src/platform/net/http-client.ts';

export const modelFile = Buffer.alloc(5000, 'large');
export const smallFile = Buffer.from('{}');

type Repository = Parameters<FakeHub['addRepository']>[0];

interface OpenHub {
  readonly hub: Hub;
  /** Delays between attempts in milliseconds; recorded instead of waited for. */
  readonly waits: readonly number[];
}

/** A fake hub with the repository `owner/Model-GGUF`, and hub clients; call `close` at the end. */
export function createHubBench() {
  const cleanups: (() => Promise<void>)[] = [];
  return {
    async start(repository: Partial<Repository> = {}, pageSize = 1000): Promise<FakeHub> {
      const files = {
        'sub/m-Q4_K_M.gguf': modelFile,
        'config.json': smallFile,
        '.gitattributes': smallFile,
      };
      const fake = await startFakeHub({
        repositories: [{ name: 'owner/Model-GGUF', files, ...repository }],
        pageSize,
      });
      cleanups.push(() => fake.close());
      return fake;
    },
    /** @param allowedHosts Allowed hosts in addition to the endpoint's host. */
    open(endpoint: string, token?: string, allowedHosts: readonly string[] = []): OpenHub {
      const own = hubEgressPolicy(endpoint).allowedHosts;
      const http = createHttpClient({
        environment: {},
        idleTimeoutMs: 2000,
        egress: { type: 'public', allowedHosts: [...own, ...allowedHosts] },
      });
      cleanups.push(() => http.close());
      const waits: number[] = [];
      const wait = async (ms: number): Promise<void> => {
        waits.push(ms);
      };
      return { hub: createHub({ endpoint, token, http, wait }), waits };
    },
    async close(): Promise<void> {
      for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
    },
  };
}
