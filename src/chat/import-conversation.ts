import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { AudioReader } from './audio/audio-reader.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import { decodeTurn, type ConversationTurn } from '../store/turns/conversation-turn.ts';
import type { ConversationMessage, ToolContent } from '../store/turns/content.ts';
import type { StoredConversation } from '../store/conversations/conversation.ts';
import type { NewBlob, Store } from '../store/store.ts';
import { ImageAllowance, importLimits } from './image-allowance.ts';
import type { MediaTools } from './audio/prepare-audio.ts';
import { admitMedia, prepareMedia } from './message-media.ts';

export interface ConversationToImport {
  readonly title: string;
  readonly responses: readonly {
    readonly id: string;
    readonly parentId: string | null;
    readonly createdAt: Date;
    readonly modelKey: string;
    readonly modelInstanceId: string;
    /** The turn as `encodeTurn` writes it. */
    readonly turn: unknown;
  }[];
  /** Images and audio as data URLs, by the SHA-256 that the turns refer to. */
  readonly images: Readonly<Record<string, string>>;
}

interface ImportOptions {
  readonly ownerId: string | null;
  readonly clientKey: string;
  /** A project of the owner. */
  readonly projectId?: string | undefined;
  readonly maxImagePixels: number;
  readonly audio: AudioReader;
  readonly signal: AbortSignal;
}

/**
 * Stores an exported conversation with new ids. Encodes its images and audio again, so that the engine decodes only
 * media that Hearth encoded.
 *
 * @throws HearthError `invalid_value`, `invalid_image`, `invalid_audio`; the signal's reason when aborted.
 */
export async function importConversation(
  store: Store,
  { title, responses, images }: ConversationToImport,
  { ownerId, clientKey, projectId, maxImagePixels, audio, signal }: ImportOptions,
): Promise<StoredConversation> {
  assertTree(responses);
  const turns = responses.map(({ turn }, index) => readTurn(turn, `responses[${index}].turn`));
  const allowance = new ImageAllowance({ projector: null }, maxImagePixels, importLimits);
  try {
    const prepared = await prepareAll(images, { allowance, audio, clientKey }, signal);
    return await store.conversations.import({
      ownerId,
      title,
      hash: importHash({ responses }),
      ...omitUndefined({ projectId }),
      responses: responses.map((response, index) => ({
        ...response,
        turn: withImages(turns[index] ?? readTurn(response.turn, 'turn'), prepared, index),
      })),
      blobs: [...prepared.values()],
    });
  } finally {
    allowance.release();
  }
}

/** Hash of an import's messages and branches, to recognize a repeated import. */
export function importHash({ responses }: Pick<ConversationToImport, 'responses'>): string {
  const places = new Map(responses.map(({ id }, index) => [id, index]));
  const hash = createHash('sha256');
  for (const { parentId, turn } of responses) {
    const place = parentId === null ? null : places.get(parentId);
    hash.update(`${JSON.stringify([place, turn])}\n`);
  }
  return hash.digest('hex');
}

function assertTree(responses: ConversationToImport['responses']): void {
  const known = new Set<string>();
  for (const [index, { id, parentId }] of responses.entries()) {
    if (known.has(id)) {
      throw refusal(`"${id}" appears twice.`, `responses[${index}].response_id`);
    }
    if (parentId !== null && !known.has(parentId)) {
      throw refusal(
        `"${parentId}" is not an earlier response of the list.`,
        `responses[${index}].previous_response_id`,
      );
    }
    known.add(id);
  }
}

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();
/** The codec does not check these numbers, because Hearth usually writes them itself. */
const numbersSchema = z.object({
  usage: z.object({
    promptTokens: count,
    cachedTokens: count,
    completionTokens: count,
    reasoningTokens: count,
    drafts: z.object({ proposedTokens: count, acceptedTokens: count }).optional(),
  }),
  timings: z.object({
    timeToFirstTokenSeconds: seconds,
    generationSeconds: seconds,
    tokensPerSecond: seconds,
    loadTimeSeconds: seconds.optional(),
  }),
});

function readTurn(value: unknown, field: string): ConversationTurn {
  try {
    const turn = decodeTurn(JSON.stringify(value));
    numbersSchema.parse(turn);
    return turn;
  } catch (error) {
    throw refusal(`The turn can't be read: ${describe(error)}.`, field);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof z.ZodError)) return error instanceof Error ? error.message : String(error);
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`;
}

/** More images than fit into a body, unless each is tiny. */
const maxImages = 5000;

/** Checks the sizes of all media before it decodes the first. */
async function prepareAll(
  images: ConversationToImport['images'],
  tools: MediaTools,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, NewBlob>> {
  const entries = Object.entries(images);
  if (entries.length > maxImages) {
    throw refusal(
      `there are ${entries.length} images; at most ${maxImages} are allowed.`,
      'images',
    );
  }
  for (const [sha256, url] of entries) {
    signal.throwIfAborted();
    await admitMedia({ type: typeOf(url), url }, tools, `images.${sha256}`);
  }
  const prepared = new Map<string, NewBlob>();
  for (const [sha256, url] of entries) {
    const media = { type: typeOf(url), url };
    prepared.set(sha256, await prepareMedia(media, tools, `images.${sha256}`, signal));
  }
  return prepared;
}

function typeOf(dataUrl: string): 'audio' | 'image' {
  return dataUrl.startsWith('data:audio/') ? 'audio' : 'image';
}

function withImages(
  turn: ConversationTurn,
  prepared: ReadonlyMap<string, NewBlob>,
  index: number,
): ConversationTurn {
  const blobOf = (sha256: string, type: string): NewBlob => {
    const blob = prepared.get(sha256);
    if (blob?.mediaType.startsWith(`${type}/`)) return blob;
    throw refusal(`images has no "${sha256}".`, `responses[${index}].turn`);
  };
  const inMessage = (message: ConversationMessage): ConversationMessage => ({
    ...message,
    content: message.content.map((part) => {
      if (part.type === 'text') return part;
      const { sha256, mediaType } = blobOf(part.sha256, part.type);
      return { type: part.type, sha256, mediaType };
    }),
  });
  const inResult = (block: ToolContent): ToolContent => {
    if (block.type !== 'image' || typeof block['sha256'] !== 'string') return block;
    const { sha256, mediaType } = blobOf(block['sha256'], 'image');
    return { ...block, sha256, mimeType: mediaType };
  };
  return {
    ...turn,
    messages: turn.messages.map(inMessage),
    items: turn.items.map((item) =>
      item.type === 'toolCall' ? { ...item, result: item.result.map(inResult) } : item,
    ),
  };
}

function refusal(reason: string, field: string): HearthError {
  return new HearthError('invalid_value', `${field}: ${reason}`, { field });
}
