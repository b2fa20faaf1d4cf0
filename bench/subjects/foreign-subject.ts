import * as z from 'zod';
import { connectEngine } from '../../src/net/engine-connection.ts';
import { maxConnections } from './hearth-subject.ts';
import { plainConversation } from './plain-conversation.ts';
import type { Subject } from './subject.ts';

const modelListSchema = z.object({ data: z.array(z.object({ id: z.string() })).min(1) });

/**
 * A server that runs already, of whatever make, if it has OpenAI's API.
 *
 * @param base Its address, with what comes before `/chat/completions`.
 * @param model What it calls the model; the first that it lists by default.
 * @throws Error where it can't be reached or lists no models.
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
