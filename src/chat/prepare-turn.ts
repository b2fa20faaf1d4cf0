import type { ConversationMessage } from '../conversation/content.ts';
import type { EngineMessage } from '../engine/engine.ts';
import type { ModelTarget } from '../instances/acquire-request.ts';
import type { InstancePool } from '../instances/pool.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Store } from '../store/store.ts';
import type { ToolServers } from '../tools/toolbox.ts';
import { assertToolResults, loadHistory, systemTextOf } from './history.ts';
import { ImageAllowance } from './image-allowance.ts';
import { assertVision, toDataUrl, type PreparedImage } from './image.ts';
import { prepareMessages } from './prepare-messages.ts';
import { CallNumbers, toPromptMessages, type PromptContext } from './prompt-messages.ts';
import { assertReasoning } from './reasoning.ts';
import { storedImage } from './stored-image.ts';
import type { TurnRequest } from './turn-request.ts';

export interface TurnServices {
  readonly pool: InstancePool;
  readonly store: Store;
  readonly tools: ToolServers;
  readonly maxToolRounds: number;
  readonly maxImagePixels: number;
}

export interface PreparedTurn {
  readonly target: ModelTarget;
  readonly prompt: readonly EngineMessage[];
  /** For the messages that the turn itself adds to the prompt. */
  readonly promptContext: PromptContext;
  /** The messages of the request as the store keeps them, and the images that they reference. */
  readonly messages: readonly ConversationMessage[];
  readonly images: readonly PreparedImage[];
  /** To be called when the turn has ended: its images no longer count. */
  readonly release: () => void;
}

/**
 * Checks a turn against its model, the store and the tool servers, and builds its prompt. Does not load or
 * connect anything yet.
 *
 * @throws HearthError `model_not_found`, `wrong_model_type`, `unsupported_reasoning`, `vision_unsupported`,
 *   `invalid_image`, `invalid_value`, and the errors of `ToolServers.validate`.
 */
export async function prepareTurn(
  services: TurnServices,
  request: TurnRequest,
  context: RequestContext,
): Promise<PreparedTurn> {
  const { pool, store, tools, maxImagePixels } = services;
  const { signal, caller } = context;
  const target = await pool.resolve(request.model, 'generation');
  const { model } = target.selection;
  assertReasoning(model, request.reasoning);
  const history = await loadHistory(store, request.previousResponseId, caller.tokenId);
  const turns = history.map(({ turn }) => turn);
  if (turns.some(({ messages }) => messages.some(hasImage))) {
    assertVision(model, 'previousResponseId');
  }
  assertToolResults(history, request.messages);
  const allowance = new ImageAllowance(model, maxImagePixels);
  try {
    const prepared = await prepareMessages(request.messages, model, allowance, signal);
    const messages =
      request.previousResponseId === undefined
        ? prepared.messages
        : resultsFirst(prepared.messages);
    const { images } = prepared;
    const promptContext: PromptContext = {
      readImage: async (sha256) => {
        const image = images.find((each) => each.sha256 === sha256);
        if (image !== undefined) return toDataUrl(image);
        const dataUrl = await storedImage(store, sha256);
        allowance.hold(dataUrl.length, 'previousResponseId');
        return dataUrl;
      },
      toolOutput: { model, allowance, signal },
      numbers: new CallNumbers(),
    };
    const systemText = systemTextOf(history, request);
    const prompt = await toPromptMessages(systemText, turns, messages, promptContext);
    await tools.validate(request.integrations, context);
    return { target, prompt, promptContext, messages, images, release: () => allowance.release() };
  } catch (error) {
    allowance.release();
    throw error;
  }
}

function hasImage({ content }: ConversationMessage): boolean {
  return content.some(({ type }) => type === 'image');
}

/** Chat templates expect the results of tools right after the calls, which ended the previous turn. */
function resultsFirst(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const firstOther = messages.findIndex(({ role }) => role === 'assistant');
  const end = firstOther === -1 ? messages.length : firstOther;
  return messages
    .slice(0, end)
    .toSorted((one, other) => Number(other.role === 'tool') - Number(one.role === 'tool'))
    .concat(messages.slice(end));
}
