import type { EngineHandle, GenerationEvent, GenerationRequest } from '../engine/engine.ts';
import type { RequestContext } from '../request/request-context.ts';
import { AnswerRecorder } from './answer-recorder.ts';
import { promptChain } from './prompt-chain.ts';
import type { PromptReader } from './prompt-reader.ts';
import type { WarmSlots } from './warm-slots.ts';

interface WarmEngineOptions {
  readonly slots: WarmSlots;
  readonly reader: PromptReader;
  /** Idle time after which the slots are saved to disk. */
  readonly idleMs: number;
  /** Time limit for saving them when the engine stops. */
  readonly stopSaveMs: number;
}

/** An engine whose generations use the slots that Hearth chooses; their states are saved and restored. */
export function withWarmSlots(
  handle: EngineHandle,
  { slots, reader, idleMs, stopSaveMs }: WarmEngineOptions,
): EngineHandle {
  const ended = new AbortController();
  let idleTimer: NodeJS.Timeout | undefined;
  let stopping: Promise<void> | undefined;

  async function* generate(
    request: GenerationRequest,
    context: RequestContext,
  ): AsyncGenerator<GenerationEvent> {
    const ownerId = context.caller.tokenId;
    const { responseId = null } = request;
    const chain = promptChain(ownerId, request);
    clearTimeout(idleTimer);
    const admission = await reader.admit(request, ownerId, chain, context.signal);
    const answer = new AnswerRecorder();
    try {
      for await (const event of reader.generate(handle.engine, admission, context)) {
        answer.accept(event);
        yield event;
      }
    } finally {
      const content = { ownerId, responseId, ...answer.content(request, chain) };
      admission.use.release(content, answer.usage?.cachedTokens);
      reader.finish(admission);
      saveWhenIdle();
    }
  }

  function saveWhenIdle(): void {
    clearTimeout(idleTimer);
    if (ended.signal.aborted || !slots.isIdle) return;
    idleTimer = setTimeout(() => void slots.saveAll(ended.signal), idleMs).unref();
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer);
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
