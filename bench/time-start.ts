import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Runtime } from '../src/engines/runtimes/runtime.ts';
import { connectEngine } from '../src/platform/net/engine-connection.ts';
import { chatRequest } from './client/chat-request.ts';
import type { Endpoint } from './client/endpoint.ts';
import { streamRequest } from './client/stream-request.ts';
import type { Bench } from './measurements/measurement.ts';
import { startBareServer } from './subjects/bare-server.ts';
import { bareSpec, starterModelPath } from './subjects/bare-subject.ts';
import { startHearth, type HearthProcessOptions } from './subjects/hearth-process.ts';

type Settings = HearthProcessOptions & { readonly threads: number; readonly parallel: number };
type EqualSettings = Omit<Settings, 'home' | 'profile'>;

interface Started {
  readonly chat: Endpoint;
  readonly stop: () => Promise<unknown>;
}

/** The starter model's full context, which Hearth uses by default. */
const starterContext = 4096;

/** Measures the time from starting processes to the first token of the starter model, for both servers. */
export function timeStart(
  runtime: Runtime,
  settings: EqualSettings,
  model: string,
  signal: AbortSignal,
): Bench['timeStart'] {
  return {
    hearth: () => time(() => startFreshHearth(settings, model, signal), signal),
    bare: () => time(() => startBare(runtime, settings, signal), signal),
  };
}

async function time(start: () => Promise<Started>, signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const { chat, stop } = await start();
  try {
    const requestedAt = performance.now();
    const { firstTokenMs } = await streamRequest(chat, chatRequest('Hello!', 8), signal);
    return requestedAt - startedAt + firstTokenMs;
  } finally {
    await stop();
  }
}

async function startFreshHearth(
  settings: EqualSettings,
  model: string,
  signal: AbortSignal,
): Promise<Started> {
  const home = await mkdtemp(join(tmpdir(), 'hearth-bench-'));
  const removeHome = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 3 });
  try {
    const hearth = await startHearth({ ...settings, home, profile: undefined }, signal);
    const connection = connectEngine({ address: { origin: hearth.url }, maxConnections: 1 });
    return {
      chat: { connection, path: '/api/v0/chat/completions', model },
      stop: () => connection.close().then(hearth.stop).then(removeHome),
    };
  } catch (error) {
    await removeHome();
    throw error;
  }
}

async function startBare(
  runtime: Runtime,
  { threads, parallel }: EqualSettings,
  signal: AbortSignal,
): Promise<Started> {
  const server = await startBareServer(
    bareSpec(runtime, threads, {
      path: starterModelPath('chat'),
      purpose: 'generation',
      config: { context_length: starterContext, parallel },
    }),
    signal,
  );
  const { connection } = server;
  return {
    chat: { connection, path: '/v1/chat/completions', model: '' },
    stop: () => server.stop(),
  };
}
