import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { loopbackEndpoint } from '../../../src/engines/launch/endpoint.ts';
import { testRuntime } from './shared-runtimes.ts';
import { starterPath } from './test-engines.ts';

/** A separate llama-server of the installed runtime, with the starter chat model. */
export interface LlamaReplica {
  /** Base address, with `/v1`. */
  readonly url: string;
  /** SIGKILL. */
  kill(): Promise<void>;
}

const readyWithinMs = 30_000;

/**
 * @param modelId Name of the model in the replica's API.
 * @param options Further options of llama-server.
 */
export async function startLlamaReplica(
  modelId: string,
  options: Readonly<Record<string, string>> = {},
): Promise<LlamaReplica> {
  const { command, leadingArguments } = await testRuntime();
  const { port } = await loopbackEndpoint();
  const values = {
    '--model': starterPath('chat'),
    '--alias': modelId,
    '--host': '127.0.0.1',
    '--port': String(port),
    '--ctx-size': '4096',
    '--parallel': '2',
    '--threads': '1',
    ...options,
  };
  const child = spawn(
    command,
    [...leadingArguments, ...Object.entries(values).flat(), '--no-webui', '--offline'],
    { stdio: 'ignore' },
  );
  const root = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, `${root}/health`);
  return {
    url: `${root}/v1`,
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const endAt = Date.now() + readyWithinMs;
  while (Date.now() < endAt && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await delay(50);
  }
  child.kill('SIGKILL');
  throw new Error('llama-server is not ready');
}
