import sharp from 'sharp';
import * as z from 'zod';
import type { EngineConnection } from '../../src/platform/net/engine-connection.ts';
import { post } from '../client/post.ts';
import type { LoadShape } from './load-shapes.ts';

export interface FilledModel extends LoadShape {
  readonly key: string;
  readonly isEmbedding: boolean;
  readonly seesImages: boolean;
}

const usageSchema = z.object({ usage: z.object({ prompt_tokens: z.int() }) });
/** Words of the sample whose tokens are counted. */
const sampleWords = 100;
/**
 * Share of the context to fill. The rest is for text that the engine adds, and for words that take more tokens than the
 * sample's.
 */
const usedShare = 0.95;
const answerTokens = 8;

/** Uses all slots of a loaded model concurrently, each with another text that fills its context. */
export async function fillSlots(
  connection: EngineConnection,
  { key, isEmbedding, seesImages, contextLength, parallel }: FilledModel,
  signal: AbortSignal,
): Promise<void> {
  const send = async (path: string, body: object): Promise<unknown> =>
    post({ connection, path, model: key }, body, signal);
  const read = async (text: string): Promise<number> => {
    const body = isEmbedding
      ? await send('/api/v0/embeddings', { input: text })
      : await send('/api/v0/completions', { prompt: text, max_tokens: answerTokens });
    return usageSchema.parse(body).usage.prompt_tokens;
  };
  const tokensOfWord = (await read(words(0, sampleWords))) / sampleWords;
  const room = (contextLength - answerTokens) * usedShare;
  const count = Math.max(1, Math.floor(room / tokensOfWord));
  await Promise.all(Array.from({ length: parallel }, (_, slot) => read(words(slot + 1, count))));
  if (seesImages) await send('/api/v0/chat/completions', await pictureRequest());
}

const names = ['ship', 'road', 'lamp', 'tree', 'wind', 'door', 'song', 'rain'];
const nextWord = (_: unknown, index: number): string | undefined => names[index % names.length];

/** Words of a text. Each text begins differently, so that no slot can reuse another's cache. */
function words(text: number, count: number): string {
  return [names[text % names.length], ...Array.from({ length: count - 1 }, nextWord)].join(' ');
}

async function pictureRequest(): Promise<object> {
  const create = { width: 336, height: 336, channels: 3, background: '#a04020' } as const;
  const picture = await sharp({ create }).png().toBuffer();
  const url = `data:image/png;base64,${picture.toString('base64')}`;
  const content = [
    { type: 'image_url', image_url: { url } },
    { type: 'text', text: 'What is it?' },
  ];
  return { messages: [{ role: 'user', content }], max_tokens: answerTokens };
}
