import * as z from 'zod';
import { connectEngine } from '../../src/platform/net/engine-connection.ts';
import { maxConnections } from './hearth-subject.ts';
import { plainConversation } from './plain-conversation.ts';
import type { Subject } from './subject.ts';

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/**
 * A running server with an OpenAI-compatible API.
 *
 * @param base Base URL, the part before `/chat/completions`.
 * @param model Name of the model on that server; defaults to the first of its list.
 * @throws Error if it can't be reached or lists no models.
 */
export async function createForeignSubject(
  base: string,
  model: string | undefined,
  signal: AbortSignal,
): Promise<Subject> {
  const { origin, pathname, host } = new URL(base);
  const apiKey = process.env['BENCH_API_KEY'];
  const connection = connectEngine({
    address: { origin },
    maxConnections,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  const prefix = pathname.replace(/\/$/, '');
  const list = { connection, path: `${prefix}/models`, model: '' };
  const reply = await connection.getJson(list.path, signal);
  const first = modelListSchema.parse(reply.body).data[0]?.id ?? '';
  const chat = { connection, path: `${prefix}/chat/completions`, model: model ?? first };
  return {
    name: host,
    chat,
    embeddings: undefined,
    modelLists: { v0: list, v1: list },
    processes: undefined,
    converse: (systemPrompt, maxTokens, until) =>
      plainConversation(chat, maxTokens, until, [{ role: 'system', content: systemPrompt }]),
    close: () => connection.close(),
  };
}
