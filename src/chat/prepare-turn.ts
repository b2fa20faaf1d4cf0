import type { ContentPart, EngineMessage } from '../engine/engine.ts';
import type { ModelTarget } from '../instances/acquire-request.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { Logger } from '../observability/logger.ts';
import type { Store, StoredInputItem } from '../store/store.ts';
import type { ToolServers } from '../tools/toolbox.ts';
import { loadHistory, systemPromptOf, toMessages } from './conversation.ts';
import { assertVision, prepareImage, toDataUrl, type PreparedImage } from './image.ts';
import { assertReasoning } from './reasoning.ts';
import { CallNumbers } from './tool-messages.ts';
import type { TurnRequest } from './turn-request.ts';

export interface TurnServices {
  readonly pool: InstancePool;
  readonly store: Store;
  readonly tools: ToolServers;
  readonly maxToolRounds: number;
  readonly maxImagePixels: number;
  readonly logger: Logger;
}

export interface PreparedTurn {
  readonly target: ModelTarget;
  readonly messages: readonly EngineMessage[];
  /** For the calls that this turn adds to those of its history. */
  readonly callNumbers: CallNumbers;
  /** The input as it is stored, and the images that it refers to. */
  readonly storedInput: readonly StoredInputItem[];
  readonly images: readonly PreparedImage[];
}

/**
 * Checks a turn against its model and the store, and puts its messages together. Nothing is loaded yet.
 *
 * @throws HearthError `model_not_found`, `wrong_model_type`, `unsupported_reasoning`, `vision_unsupported`,
 *   `invalid_image`, `invalid_value`.
 */
export async function prepareTurn(
  services: TurnServices,
  request: TurnRequest,
  signal: AbortSignal,
): Promise<PreparedTurn> {
  const { pool, store, maxImagePixels } = services;
  const target = await pool.resolve(request.model, 'generation');
  const { selection } = target;
  assertReasoning(selection.model, request.reasoning);
  const history = await loadHistory(store, request.previousResponseId, request.ownerId);
  const hasImage = ({ type }: { readonly type: string }): boolean => type === 'image';
  if (history.some(({ input }) => input.some(hasImage))) {
    assertVision(selection.model, 'previous_response_id');
  }

  const parts: ContentPart[] = [];
  const storedInput: StoredInputItem[] = [];
  const images: PreparedImage[] = [];
  for (const [index, item] of request.input.entries()) {
    if (item.type === 'text') {
      parts.push({ type: 'text', text: item.content });
      storedInput.push(item);
    } else {
      const param = `input[${index}].data_url`;
      assertVision(selection.model, param);
      signal.throwIfAborted();
      const image = await prepareImage(item.dataUrl, maxImagePixels, param);
      const { sha256, mediaType } = image;
      images.push(image);
      parts.push({ type: 'image', dataUrl: toDataUrl(image) });
      storedInput.push({ type: 'image', sha256, mediaType });
    }
  }
  const systemPrompt = systemPromptOf(history, request.systemPrompt);
  const callNumbers = new CallNumbers();
  const reader = { model: selection.model, maxImagePixels, signal };
  const messages = await toMessages(store, systemPrompt, history, parts, reader, callNumbers);
  return { target, messages, callNumbers, storedInput, images };
}
