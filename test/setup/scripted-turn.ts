import { runTurn } from '../../src/chat/turn.ts';
import type { TurnEvent } from '../../src/chat/turn-event.ts';
import type { TurnRequest } from '../../src/chat/turn-request.ts';
import type { ChatResult } from '../../src/contract/v1/chat.ts';
import type { GenerationEvent, GenerationRequest } from '../../src/engine/engine.ts';
import { createLogger } from '../../src/observability/logger.ts';
import type { Tool } from '../../src/tools/toolbox.ts';
import { modelEntry } from './model-entry.ts';
import { libraryOf, scriptedPoolWith, type ScriptedPoolOptions } from './scripted-pool.ts';
import { scriptedTools } from './scripted-tools.ts';
import { temporaryStore } from './temporary-store.ts';
import { testContext } from './test-context.ts';

const usage = {
  promptTokens: 7,
  cachedTokens: 0,
  completionTokens: 5,
  promptMs: 1,
  generationMs: 2,
};

/** The last event of a generation that said all it wanted. */
export const generationEnd: GenerationEvent = {
  type: 'generation.end',
  stopReason: 'eosFound',
  isMalformed: false,
  usage,
};

const never = new AbortController().signal;

type Script = (generation: number) => AsyncIterable<GenerationEvent>;

/** Turns of the real code over an engine that follows a script, once for each generation. */
export async function scriptedTurns(script: Script, ...tools: readonly Tool[]) {
  return scriptedTurnsWith({}, script, ...tools);
}

export async function scriptedTurnsWith(
  poolOptions: Partial<ScriptedPoolOptions>,
  script: Script,
  ...tools: readonly Tool[]
) {
  const requests: GenerationRequest[] = [];
  const { pool, launcher } = scriptedPoolWith({
    library: libraryOf(modelEntry(), modelEntry({ key: 'test/vision', type: 'vlm' })),
    ...poolOptions,
  });
  launcher.onGenerate = (_, request) => {
    requests.push(request);
    return script(requests.length - 1);
  };
  const store = await temporaryStore();
  const services = {
    pool,
    store,
    tools: scriptedTools(...tools),
    maxToolRounds: 3,
    maxImagePixels: 1_000_000,
    logger: createLogger('silent'),
  };
  const start = (changes: Partial<TurnRequest> = {}, signal = never) =>
    runTurn(
      services,
      {
        model: 'test/model',
        input: [{ type: 'text', content: 'Hello' }],
        sampling: {},
        integrations: [],
        toolCaller: { tokenId: null, hasPermission: () => true },
        isStored: true,
        ownerId: null,
        waitsForLoad: true,
        ...changes,
      },
      testContext({ signal }),
    );
  const run = async (changes: Partial<TurnRequest> = {}, signal = never) => {
    const events: TurnEvent[] = [];
    for await (const event of start(changes, signal)) events.push(event);
    return events;
  };
  return { start, run, requests, store, pool, launcher };
}

/** The result that the last event carries. */
export function resultOf(events: readonly TurnEvent[]): ChatResult {
  const last = events.at(-1);
  if (last?.type !== 'chat.end') throw new Error(`The last event is ${last?.type}`);
  return last.result;
}
