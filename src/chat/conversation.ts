import { HearthError } from '../contract/errors.ts';
import type { ContentPart, EngineMessage } from '../engine/engine.ts';
import type { Store, StoredInputItem, StoredResponse } from '../store/store.ts';
import { storedImage } from './stored-image.ts';
import { readStoredOutput } from './stored-output.ts';
import { answerMessages, type CallNumbers } from './tool-messages.ts';
import type { ToolOutputReader } from './tool-output.ts';

/**
 * The earlier turns of a conversation, oldest first; empty for a new one.
 *
 * @throws HearthError `invalid_value` where the response is not stored (any more), or is another token's.
 */
export async function loadHistory(
  store: Store,
  previousResponseId: string | undefined,
  ownerId: string | null,
): Promise<readonly StoredResponse[]> {
  if (previousResponseId === undefined) return [];
  const chain = await store.responses.chain(previousResponseId, ownerId);
  if (chain !== undefined) return chain;
  throw new HearthError(
    'invalid_value',
    `previous_response_id "${previousResponseId}" is not stored. It may have been deleted or made with "store": false; start a new conversation, or continue another response.`,
    { param: 'previous_response_id' },
  );
}

/** The system prompt in force: the newest one that was given. */
export function systemPromptOf(
  history: readonly StoredResponse[],
  given: string | undefined,
): string | undefined {
  return (
    given ??
    history.findLast(({ systemPrompt }) => systemPrompt !== null)?.systemPrompt ??
    undefined
  );
}

/**
 * Messages for the engine: system prompt, earlier turns with their tool calls and without their reasoning,
 * this turn's input.
 */
export async function toMessages(
  store: Store,
  systemPrompt: string | undefined,
  history: readonly StoredResponse[],
  input: readonly ContentPart[],
  reader: ToolOutputReader,
  numbers: CallNumbers,
): Promise<readonly EngineMessage[]> {
  const messages: EngineMessage[] = [];
  if (systemPrompt !== undefined) messages.push({ role: 'system', content: systemPrompt });
  for (const response of history) {
    const parts = await Promise.all(response.input.map((item) => toPart(store, item)));
    messages.push({ role: 'user', content: simplified(parts) });
    messages.push(...(await answerMessages(readStoredOutput(response.output), reader, numbers)));
  }
  messages.push({ role: 'user', content: simplified(input) });
  return messages;
}

async function toPart(store: Store, item: StoredInputItem): Promise<ContentPart> {
  if (item.type === 'text') return { type: 'text', text: item.content };
  return { type: 'image', dataUrl: await storedImage(store, item.sha256) };
}

/** Texts alone become one string, which every chat template takes. */
function simplified(parts: readonly ContentPart[]): string | readonly ContentPart[] {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : parts;
}
