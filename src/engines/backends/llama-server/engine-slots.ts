import * as z from 'zod';
import type { EngineConnection } from '../../../platform/net/engine-connection.ts';
import { hasMedia, type EngineSlots, type GenerationRequest, type Prompt } from '../../engine.ts';
import type { WireDialect } from '../wire/dialect.ts';
import type { EngineClient } from '../wire/engine-client.ts';
import { createLlamaDialect, loraField, type AttachedAdapters } from './llama-dialect.ts';
import { createLlamaClient, requestRenderedPrompt, requestTokens } from './llama-engine.ts';

const savedBody = z.object({ n_saved: z.int().nonnegative() });
const erasedBody = z.object({ n_erased: z.int().nonnegative() });
const restoredBody = z.object({ n_restored: z.int().nonnegative() });
const readBody = z.object({ timings: z.object({ cache_n: z.number(), prompt_ms: z.number() }) });

/**
 * The slots of llama-server. States are saved, restored and erased through `/slots/{id}?action=...`. A prompt is read
 * by a completion that generates no tokens.
 */
export function createEngineSlots(
  connection: EngineConnection,
  adapters: AttachedAdapters,
): EngineSlots {
  const dialect = createLlamaDialect(adapters);
  const client = createLlamaClient(connection, dialect);

  async function act<Body>(
    path: string,
    body: object,
    schema: z.ZodType<Body>,
    signal: AbortSignal,
  ): Promise<Body> {
    const reply = await client.post(path, body, signal);
    return client.read(reply, schema, 'state of a slot');
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
      const prompt = await renderText(client, dialect, request, signal);
      if (typeof prompt !== 'string') return prompt;
      const body = { content: prompt, add_special: true, parse_special: true } as const;
      return requestTokens(client, body, signal);
    },
    read: async ({ slot, reusesSlot, adapters: chosen }, tokens, signal) => {
      const body = {
        prompt: tokens,
        n_predict: 0,
        id_slot: slot,
        cache_prompt: reusesSlot,
        ...loraField(adapters, chosen),
        response_fields: ['timings'],
      };
      const { timings } = await act('/completion', body, readBody, signal);
      return { cachedTokens: timings.cache_n, promptMs: timings.prompt_ms };
    },
  };
}

/** The prompt as text or token ids; undefined if it contains images or audio, or a suffix. */
async function renderText(
  client: EngineClient,
  dialect: WireDialect,
  request: GenerationRequest,
  signal: AbortSignal,
): Promise<Prompt | undefined> {
  if (request.kind === 'completion') {
    return request.suffix === undefined ? request.prompt : undefined;
  }
  if (hasMedia(request.messages)) return undefined;
  return requestRenderedPrompt(client, dialect, request, signal);
}
