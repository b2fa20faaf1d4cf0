import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { EngineMessage, EngineSlots, GenerationRequest, Prompt } from '../../engine.ts';
import { connectionFailure, replyFailure } from './engine-failure.ts';
import { requestRenderedPrompt } from './rendered-prompt.ts';
import { requestPromptTokens } from './tokenization.ts';

const savedBody = z.object({ n_saved: z.int().nonnegative() });
const erasedBody = z.object({ n_erased: z.int().nonnegative() });
const restoredBody = z.object({ n_restored: z.int().nonnegative() });
const readBody = z.object({ timings: z.object({ cache_n: z.number(), prompt_ms: z.number() }) });

/**
 * The slots of llama-server: states through `/slots/{id}?action=save|restore`, reading through a completion of no
 * tokens.
 */
export function createEngineSlots(connection: EngineConnection): EngineSlots {
  async function act<Body>(
    path: string,
    body: object,
    schema: z.ZodType<Body>,
    signal: AbortSignal,
  ): Promise<Body> {
    const reply = await connection.postJson(path, body, signal).catch(throwConnectionFailure);
    if (reply.status !== 200) throw replyFailure(reply);
    const parsed = schema.safeParse(reply.body);
    if (parsed.success) return parsed.data;
    throw new HearthError('internal', 'The engine did not report the state of a slot.', {
      cause: parsed.error,
    });
  }
  return {
    save: async (slot, filename, signal) =>
      (await act(`/slots/${slot}?action=save`, { filename }, savedBody, signal)).n_saved,
    restore: async (slot, filename, signal) =>
      (await act(`/slots/${slot}?action=restore`, { filename }, restoredBody, signal)).n_restored,
    erase: async (slot, signal) => {
      await act(`/slots/${slot}?action=erase`, {}, erasedBody, signal);
    },
    tokenize: async (request, signal) => {
      const prompt = await renderText(connection, request, signal).catch(throwConnectionFailure);
      if (typeof prompt !== 'string') return prompt;
      return requestPromptTokens(connection, prompt, signal).catch(throwConnectionFailure);
    },
    read: async ({ slot, reusesSlot }, tokens, signal) => {
      const body = {
        prompt: tokens,
        n_predict: 0,
        id_slot: slot,
        cache_prompt: reusesSlot,
        response_fields: ['timings'],
      };
      const { timings } = await act('/completion', body, readBody, signal);
      return { cachedTokens: timings.cache_n, promptMs: timings.prompt_ms };
    },
  };
}

/** The text that the engine reads; undefined if there is more than text. */
async function renderText(
  connection: EngineConnection,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<Prompt | undefined> {
  if (request.kind === 'completion') {
    return request.suffix === undefined ? request.prompt : undefined;
  }
  if (request.messages.some(hasImage)) return undefined;
  return requestRenderedPrompt(connection, request, signal);
}

function hasImage({ content }: EngineMessage): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image');
}

function throwConnectionFailure(error: unknown): never {
  throw connectionFailure(error);
}
