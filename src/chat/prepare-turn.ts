import type { AudioReader } from './audio/audio-reader.ts';
import type { ConversationMessage } from '../store/turns/content.ts';
import type { ConversationTurn, ToolApproval } from '../store/turns/conversation-turn.ts';
import type { TurnItem } from '../store/turns/turn-item.ts';
import type { EngineMessage } from '../engines/engine.ts';
import type { ModelTarget } from '../engines/loads/open-request.ts';
import type { Engines } from '../engines/engines.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { NewBlob, Store } from '../store/store.ts';
import type { ToolServers } from '../tools/toolbox.ts';
import { type AnsweredCall, answeredCalls } from './approvals.ts';
import { ImageAllowance } from './image-allowance.ts';
import {
  admitMessages,
  type FetchImage,
  fetchImages,
  outlineMessages,
  prepareMessages,
} from './message-media.ts';
import { assertToolResults, type History, loadHistory, noHistory } from './history.ts';
import { assertHearing } from './audio/prepare-audio.ts';
import { assertVision, toDataUrl } from './image.ts';
import {
  approvalResults,
  CallNumbers,
  outlineContext,
  type PromptContext,
  putResults,
  systemTextOf,
  toPromptMessages,
} from './prompt-messages.ts';
import { storedImage } from './stored-image.ts';
import { decodeToolImage } from './tool-results.ts';
import type { TurnMessage, TurnRequest } from './turn-request.ts';
import { assertReasoning } from './reasoning.ts';
import type { Targeted } from './request-target.ts';

export interface TurnServices {
  readonly pool: Engines;
  readonly store: Store;
  readonly tools: ToolServers;
  /** The settings in force, whose values may change at any time. */
  readonly settings: {
    readonly live: { readonly current: { readonly 'chat.maxToolRounds': number } };
  };
  readonly maxImagePixels: number;
  readonly fetchImage: FetchImage;
  readonly audio: AudioReader;
}

/** A turn whose request is valid; its images are not decoded yet. */
export interface PreparedTurn {
  readonly target: ModelTarget;
  /** The prompt without its images and audio. */
  readonly outline: readonly EngineMessage[];
  /** Calls of earlier turns that the request approves or denies. */
  readonly answeredCalls: readonly AnsweredCall[];
  /** The answer that the turn continues; empty for a new one. */
  readonly continuedItems: readonly TurnItem[];
  /** The caller's choices for the tools of the conversation. */
  readonly toolChoices: readonly ToolApproval[];
  /** The earlier turns that the prompt includes. */
  readonly turns: readonly ConversationTurn[];
  /**
   * Decodes the images and audio and builds the prompt. Call it only once a slot is available.
   *
   * @throws HearthError `invalid_image`, `invalid_audio`, `queue_full`; the signal's reason when aborted.
   */
  readonly build: (signal: AbortSignal) => Promise<TurnPrompt>;
  /** Frees the turn's image allowance; must be called when the turn has ended. */
  readonly release: () => void;
}

export interface TurnPrompt {
  readonly prompt: readonly EngineMessage[];
  /** Number of oldest turns that the prompt omits because they can't fit into the context. */
  readonly droppedTurns: number;
  /** Context for messages that the turn adds to the prompt. */
  readonly promptContext: PromptContext;
  /** The request's messages in stored form, and the images and audio that they refer to. */
  readonly messages: readonly ConversationMessage[];
  readonly media: readonly NewBlob[];
}

/**
 * Checks a turn against its model, the store and the tool servers. Does not yet load, connect or decode anything.
 *
 * @throws HearthError `unsupported_reasoning`, `vision_unsupported`, `audio_unsupported`, `invalid_audio`,
 *   `invalid_image`, `invalid_value`, `context_length_exceeded`, and the errors of `ToolServers.validate`.
 */
export async function prepareTurn(
  services: TurnServices,
  request: Targeted<TurnRequest>,
  context: RequestContext,
): Promise<PreparedTurn> {
  const { store, tools, maxImagePixels, fetchImage, audio } = services;
  const { signal, caller } = context;
  const { target, integrations, previousResponseId } = request;
  const { model } = target.selection;
  if (request.reasoning !== undefined) assertReasoning(model, request.reasoning);
  const newestId = request.continuedResponseId ?? previousResponseId;
  const history =
    newestId === undefined
      ? noHistory
      : await suitableHistory(store, request, newestId, caller.tokenId);
  const previous = history.responses.at(-1);
  const turns = history.responses.map(({ turn }) => turn);
  const calls =
    previous === undefined && request.approvals === undefined
      ? []
      : answeredCalls(history.responses, request);
  let allowance: ImageAllowance | undefined;
  const countMedia = (): ImageAllowance =>
    (allowance ??= new ImageAllowance(model, maxImagePixels));
  const texts = areTexts(request.messages) ? request.messages : undefined;
  const messages = texts ?? (await fetchImages(request.messages, model, fetchImage, signal));
  if (texts === undefined) await admitMessages(messages, model, countMedia(), signal);
  if (integrations.length > 0) await tools.validate(integrations, context);

  // A continued answer is the end of the history.
  const continued = request.continuedResponseId === undefined ? undefined : previous?.turn;
  const inOrder = (all: readonly ConversationMessage[]): readonly ConversationMessage[] =>
    previousResponseId === undefined ? all : resultsFirst(all);
  async function toPrompt(
    all: readonly ConversationMessage[],
    promptContext: PromptContext,
  ): Promise<readonly EngineMessage[]> {
    const { systemPrompt: usual, examples = [] } = target.defaults ?? {};
    const takesUsual = usual !== undefined && ![{ messages: all }, ...turns].some(hasSystemMessage);
    const systemText = systemTextOf(history, request, takesUsual ? usual : undefined);
    const prompt = await toPromptMessages(systemText, turns, all, promptContext);
    if (examples.length > 0) {
      const begin = prompt.findIndex(({ role }) => role !== 'system');
      prompt.splice(begin === -1 ? prompt.length : begin, 0, ...examples);
    }
    if (continued?.items.at(-1)?.type === 'reasoning') prompt.push(openReasoning(continued.items));
    // Approved calls are made later; their results replace these.
    if (calls.length > 0) {
      await putResults(prompt, approvalResults({ approvals: calls, items: [] }), promptContext);
    }
    return prompt;
  }
  const outline = await toPrompt(inOrder(texts ?? outlineMessages(messages)), outlineContext());
  const hasOnlyTexts = texts !== undefined && turns.every(isTextTurn);

  async function build(buildSignal: AbortSignal): Promise<TurnPrompt> {
    const { clientKey } = caller;
    const prepared =
      texts === undefined
        ? await prepareMessages(
            messages,
            { allowance: countMedia(), audio, clientKey },
            buildSignal,
          )
        : { messages: texts, media: [] };
    const { media } = prepared;
    const ownMessages = inOrder(prepared.messages);
    const promptContext: PromptContext = {
      readMedia: async (sha256) => {
        const blob = media.find((each) => each.sha256 === sha256);
        if (blob !== undefined) return toDataUrl(blob);
        const dataUrl = await storedImage(store, sha256);
        countMedia().hold(dataUrl.length, 'previousResponseId');
        return dataUrl;
      },
      readToolImage: (block) =>
        decodeToolImage(block, { model, allowance: countMedia(), store, signal: buildSignal }),
      numbers: new CallNumbers(),
    };
    const prompt = hasOnlyTexts ? outline : await toPrompt(ownMessages, promptContext);
    const { droppedTurns } = history;
    const stored = continued?.messages ?? ownMessages;
    return { prompt, droppedTurns, promptContext, messages: stored, media };
  }

  let building: Promise<TurnPrompt> | undefined;
  return {
    target,
    answeredCalls: calls,
    continuedItems: continued?.items ?? [],
    toolChoices: previous?.ownerId === caller.tokenId ? (previous.turn.toolChoices ?? []) : [],
    turns,
    outline,
    build: (buildSignal) => (building ??= build(buildSignal)),
    release: () => allowance?.release(),
  };
}

type TextMessage = TurnMessage & ConversationMessage;

/** True if the messages have neither images nor audio. */
function areTexts(messages: readonly TurnMessage[]): messages is readonly TextMessage[] {
  for (const { content } of messages) {
    for (const { type } of content) if (type !== 'text') return false;
  }
  return true;
}

/** True if the turn has only texts, and no calls. */
function isTextTurn({ messages, items, approvals }: ConversationTurn): boolean {
  return (
    approvals === undefined &&
    messages.every(({ content }) => content.every(({ type }) => type === 'text')) &&
    items.every(({ type }) => type === 'message' || type === 'reasoning')
  );
}

/**
 * Loads the history of a turn. Checks that the model can read it and that the turn's messages may follow.
 *
 * @throws HearthError `vision_unsupported`, `audio_unsupported`, and the errors of `loadHistory` and
 *   `assertToolResults`.
 */
async function suitableHistory(
  store: Store,
  { target, messages, dropsOldTurns }: Targeted<TurnRequest>,
  newestId: string,
  ownerId: string | null,
): Promise<History> {
  const { model } = target.selection;
  const history = await loadHistory(store, { newestId, dropsOldTurns }, ownerId, model);
  const known = history.responses
    .flatMap(({ turn }) => turn.messages)
    .flatMap(({ content }) => content);
  if (known.some(({ type }) => type === 'image')) assertVision(model, 'previousResponseId');
  if (known.some(({ type }) => type === 'audio')) assertHearing(model, 'previousResponseId');
  assertToolResults(history.responses, messages);
  return history;
}

/** Reasoning without an answer, which was cut off and which the engine continues. */
function openReasoning(items: readonly TurnItem[]): EngineMessage {
  const last = items.at(-1);
  const reasoning = last?.type === 'reasoning' ? last.text : '';
  return { role: 'assistant', content: '', reasoning };
}

function hasSystemMessage({ messages }: Pick<ConversationTurn, 'messages'>): boolean {
  return messages.some(({ role }) => role === 'system');
}

/** Moves tool results to the front: chat templates expect them right after the calls, which ended the previous turn. */
export function resultsFirst(
  messages: readonly ConversationMessage[],
): readonly ConversationMessage[] {
  const firstOther = messages.findIndex(({ role }) => role === 'assistant');
  const end = firstOther === -1 ? messages.length : firstOther;
  return messages
    .slice(0, end)
    .toSorted((one, other) => Number(other.role === 'tool') - Number(one.role === 'tool'))
    .concat(messages.slice(end));
}
