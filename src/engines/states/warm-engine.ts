import { linkAbort } from '../../concurrency/linked-abort.ts';
import type { EngineHandle, GenerationEvent, GenerationRequest } from '../engine.ts';
import type { RequestContext } from '../../request/request-context.ts';
import { AnswerRecorder } from './answer-recorder.ts';
import type { CachedPrompt } from './cached-prompt.ts';
import { promptChain } from './prompt-chain.ts';
import type { PromptReader } from './prompt-reader.ts';
import { settleAnswer } from './settle-answer.ts';
import type { Settle } from './slot-use.ts';
import type { WarmSlots } from './warm-slots.ts';

interface WarmEngineOptions {
  readonly slots: WarmSlots;
  readonly reader: PromptReader;
  /** Tokens to read at once in idle time. */
  readonly stepTokens: () => number;
  /** Idle time after which the slots are saved to disk. */
  readonly idleMs: number;
  /** Time limit for saving them when the engine stops. */
  readonly stopSaveMs: number;
}

/** An engine whose generations use the slots that Hearth chooses; their states are saved and restored. */
export function withWarmSlots(
  handle: EngineHandle,
  { slots, reader, stepTokens, idleMs, stopSaveMs }: WarmEngineOptions,
): EngineHandle {
  const ended = new AbortController();
  let idleTimer: NodeJS.Timeout | undefined;
  let stopping: Promise<void> | undefined;
  let settling = { abort: (): void => {}, done: Promise.resolve() };

  async function* generate(
    request: GenerationRequest,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent> {
    const ownerId = context.caller.tokenId;
    const { responseId = null } = request;
    const chain = promptChain(ownerId, request);
    clearTimeout(idleTimer);
    settling.abort();
    await settling.done;
    const admission = await reader.admit(request, ownerId, chain, context.signal);
    const answer = new AnswerRecorder();
    try {
      for await (const event of reader.generate(handle.engine, admission, context)) {
        answer.accept(event);
        yield event;
      }
    } finally {
      const content = { ownerId, responseId, ...answer.content(request, chain) };
      const settle = settleWith(admission.use.slotId, content, answer, request);
      admission.use.release(content, answer.usage?.cachedTokens, settle);
      reader.finish(admission);
      saveWhenIdle();
    }
  }

  function settleWith(
    slot: number,
    content: CachedPrompt,
    answer: AnswerRecorder,
    request: GenerationRequest,
  ): Settle | undefined {
    const history = answer.historyWithoutReasoning(request);
    if (handle.slots === undefined || history === undefined) return undefined;
    const engineSlots = handle.slots;
    return async (signal) => {
      const tokens = await settleAnswer(engineSlots, slot, history, stepTokens(), signal);
      if (tokens === 0) return content;
      return {
        ...content,
        chain: answer.chainWithoutReasoning(content.chain),
        tokens,
        heldTokens: tokens,
      };
    };
  }

  function saveWhenIdle(): void {
    clearTimeout(idleTimer);
    if (ended.signal.aborted || !slots.isIdle) return;
    idleTimer = setTimeout(() => void settleAndSave(), idleMs).unref();
  }

  async function settleAndSave(): Promise<void> {
    const request = linkAbort(ended.signal);
    settling = {
      abort: () => request.abort(new Error('a request came')),
      done: slots.settleIdle(request.signal),
    };
    await settling.done;
    request.dispose();
    await slots.saveAll(ended.signal);
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer);
    settling.abort();
    await settling.done;
    await slots.saveAll(AbortSignal.any([ended.signal, AbortSignal.timeout(stopSaveMs)]));
    ended.abort();
    await handle.stop();
  }

  const closed = handle.closed.then((exit) => {
    ended.abort();
    clearTimeout(idleTimer);
    return slots.isRestoring && exit.lackedMemory === undefined
      ? { ...exit, wasRestoring: true }
      : exit;
  });
  return {
    ...handle,
    engine: { ...handle.engine, generate },
    closed,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}
