import * as z from 'zod';
import { HearthError } from '../../../contract/errors.ts';
import type { EngineConnection } from '../../../net/engine-connection.ts';
import type { ChatGeneration } from '../../engine.ts';
import { chatBody } from './chat-body.ts';
import { replyFailure } from './engine-failure.ts';

const promptBody = z.object({ prompt: z.string() });

/** Applies the chat template through `/apply-template`; undefined for a server without it. */
export async function requestRenderedPrompt(
  connection: EngineConnection,
  request: ChatGeneration,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reply = await connection.postJson('/apply-template', chatBody(request), signal);
  if (reply.status === 404) return undefined;
  if (reply.status !== 200) throw replyFailure(reply);
  const parsed = promptBody.safeParse(reply.body);
  if (parsed.success) return parsed.data.prompt;
  throw new HearthError('internal', 'The engine sent no prompt.', { cause: parsed.error });
}
