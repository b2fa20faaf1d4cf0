import { once } from 'node:events';
import { AudioReader } from '../../../src/chat/audio/audio-reader.ts';
import type { FetchImage } from '../../../src/chat/message-media.ts';
import { runTurn } from '../../../src/chat/run-turn.ts';
import type { TurnEvent, TurnResult } from '../../../src/chat/turn-event.ts';
import type { TurnRequest } from '../../../src/chat/turn-request.ts';
import type { GenerationEvent, GenerationRequest } from '../../../src/engines/engine.ts';
import type { RequestContext } from '../../../src/kernel/request/request-context.ts';
import type { Tool, ToolServers } from '../../../src/tools/toolbox.ts';
import { HearthError } from '../../../src/kernel/errors/errors.ts';
import { deferred } from '../deferred.ts';
import { modelEntry } from '../models/model-entry.ts';
import {
  openFrom,
  libraryOf,
  scriptedPoolWith,
  type ScriptedPoolOptions,
} from '../instances/scripted-pool.ts';
import { scriptedTools } from './scripted-tools.ts';
import { temporaryStore } from '../store/temporary-store.ts';
import { testContext } from '../test-context.ts';

const usage = {
  promptTokens: 7,
  cachedTokens: 3,
  completionTokens: 5,
  promptMs: 1,
  generationMs: 2,
};

/** A stored turn with the message "hello". */
export function turnRequest(changes: Partial<TurnRequest> = {}): TurnRequest {
  return {
    model: 'test/model',
    messages: userMessage('Hello'),
    sampling: {},
    integrations: [],
    isStored: true,
    waitsForLoad: true,
    ...changes,
  };
}

/** The last event of a complete generation. */
export const generationEnd: Extract<GenerationEvent, { readonly type: 'generation.end' }> = {
  type: 'generation.end',
  stopReason: 'eosFound',
  isMalformed: false,
  usage,
};

const never = new AbortController().signal;

type Script = (generation: number, signal: AbortSignal) => AsyncIterable<GenerationEvent>;

/** Runs turns with the real code and an engine that follows a script, with one entry per generation. */
export async function scriptedTurns(script: Script, ...tools: readonly Tool[]) {
  return scriptedTurnsWith({}, script, ...tools);
}

interface ScriptedTurnOptions extends Partial<ScriptedPoolOptions> {
  /** Fetches images by URL; by default, none exist. */
  readonly fetchImage?: FetchImage;
  /** Used in place of the script's tool server. */
  readonly toolServers?: ToolServers;
}

export async function scriptedTurnsWith(
  {
    toolServers,
    fetchImage = () => Promise.reject(new Error('no image')),
    ...poolOptions
  }: ScriptedTurnOptions,
  script: Script,
  ...tools: readonly Tool[]
) {
  const requests: GenerationRequest[] = [];
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry(), modelEntry({ key: 'test/vision', type: 'vlm' })),
    ...poolOptions,
  });
  launcher.onGenerate = (signal, request) => {
    requests.push(request);
    return script(requests.length - 1, signal);
  };
  const store = await temporaryStore();
  const services = {
    pool,
    store,
    tools: toolServers ?? scriptedTools(...tools),
    settings: { live: { current: { 'chat.maxToolRounds': 3 } } },
    maxImagePixels: 1_000_000,
    fetchImage,
    audio: new AudioReader('no-script.js'),
  };
  // Turns without tools do not open a tool server.
  const integrations: TurnRequest['integrations'] =
    tools.length > 0 ? [{ type: 'plugin', id: 'mcp/scripted' }] : [];
  const startWith = (context: RequestContext, changes: Partial<TurnRequest> = {}) =>
    runTurn(services, turnRequest({ integrations, ...changes }), context);
  const start = (changes: Partial<TurnRequest> = {}, signal = never) =>
    startWith(testContext({ signal }), changes);
  const run = async (changes: Partial<TurnRequest> = {}, signal = never) => {
    const events: TurnEvent[] = [];
    for await (const event of start(changes, signal)) events.push(event);
    return events;
  };
  /** Called in a generation: the engine is lost because another request takes too much memory. */
  const loseEngine = async (): Promise<never> => {
    const begun = deferred<void>();
    const cause = await openFrom(pool, 'test/model');
    const work = cause.withPlace(async (_, { signal }) => {
      begun.resolve();
      await once(signal, 'abort');
    });
    await begun.promise;
    launcher.processes[0]?.outgrow('too large');
    await work;
    throw new HearthError('crashed', 'The connection was lost.');
  };
  return { start, startWith, run, requests, store, services, pool, launcher, loseEngine };
}

/** A user message with these texts. */
export function userMessage(...texts: readonly string[]): TurnRequest['messages'] {
  return [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }];
}

/** The result in the last event. */
export function resultOf(events: readonly TurnEvent[]): TurnResult {
  const last = events.at(-1);
  if (last?.type !== 'turn.end') throw new Error(`The last event is ${last?.type}`);
  return last.result;
}
