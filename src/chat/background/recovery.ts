import type { TurnEvent, TurnResult } from '../turn-event.ts';
import type { DraftResponse } from '../turn-request.ts';
import { HearthError } from '../../kernel/errors/errors.ts';
import type { TurnItem } from '../../store/turns/turn-item.ts';
import type { NewBlob, StoredResponse } from '../../store/store.ts';

interface Output {
  readonly items: readonly TurnItem[];
  /** The text that has begun and not ended. */
  readonly open: OpenText | undefined;
}

interface OpenText {
  readonly type: 'message' | 'reasoning';
  text: string;
}

/** Reconstructs the output of a turn from its events, in order. */
export function itemsOf(events: readonly TurnEvent[]): readonly TurnItem[] {
  const { items, open } = outputOf(events);
  return open === undefined || open.text === '' ? items : [...items, open];
}

function outputOf(events: readonly TurnEvent[]): Output {
  let items: TurnItem[] = [];
  let open: OpenText | undefined;
  for (const event of events) {
    switch (event.type) {
      case 'turn.start':
        // The turn started over on another instance.
        items = [];
        open = undefined;
        break;
      case 'message.start':
      case 'reasoning.start':
        open = { type: event.type === 'message.start' ? 'message' : 'reasoning', text: '' };
        break;
      case 'message.delta':
      case 'reasoning.delta':
        if (open !== undefined) open.text += event.text;
        break;
      case 'message.end':
      case 'reasoning.end':
        if (open !== undefined && open.text !== '') items.push(open);
        open = undefined;
        break;
      case 'toolCall.success':
      case 'toolCall.failure':
      case 'toolCall.end':
      case 'toolCall.approval':
      case 'toolList.end':
        items.push(event.item);
        break;
      default:
        break;
    }
  }
  return { items, open };
}

/** A draft of a turn whose process ended, with the turn's output. */
export function toInterrupted(
  { response }: DraftResponse,
  events: readonly TurnEvent[],
): StoredResponse {
  return {
    ...response,
    createdAt: new Date(),
    turn: { ...response.turn, items: itemsOf(events), stopReason: null, isInterrupted: true },
  };
}

/** The events that are missing if the turn's process ended; none if the turn had not begun, or has its end. */
export function missingEnd(
  events: readonly TurnEvent[],
  stored: StoredResponse | undefined,
  error: HearthError | undefined,
): readonly TurnEvent[] {
  const start = events.findLast((event) => event.type === 'turn.start');
  if (start === undefined || events.at(-1)?.type === 'turn.end') return [];
  const { items = itemsOf(events), usage, timings, stopReason = null } = stored?.turn ?? {};
  const result: TurnResult = {
    instanceId: start.instanceId,
    selection: start.selection,
    items,
    stopReason,
    isMalformed: false,
    usage: usage ?? { promptTokens: 0, cachedTokens: 0, completionTokens: 0, reasoningTokens: 0 },
    timings: timings ?? { tokensPerSecond: 0, timeToFirstTokenSeconds: 0, generationSeconds: 0 },
    ...(stored === undefined ? {} : { responseId: stored.id }),
  };
  const { items: told, open } = outputOf(events);
  const rest = error === undefined ? items.slice(told.length) : [];
  return [
    ...textEvents(open, rest),
    ...(error === undefined ? [] : [{ type: 'turn.error', error } as const]),
    { type: 'turn.end', result },
  ];
}

export function interruptedError(): HearthError {
  return new HearthError(
    'interrupted',
    'The server that generated this response ended in the middle. What it had produced is stored.',
  );
}

/** Encodes a draft with its images as JSON text. */
export function encodeDraft({ blobs, ...rest }: DraftResponse): string {
  return JSON.stringify({
    ...rest,
    blobs: blobs.map(({ bytes, ...blob }) => ({
      ...blob,
      bytes: Buffer.from(bytes).toString('base64'),
    })),
  });
}

/** Reads the output of `encodeDraft`. */
export function decodeDraft(text: string): DraftResponse {
  const { response, blobs, ...rest } = JSON.parse(text) as Omit<DraftResponse, 'blobs'> & {
    readonly blobs: readonly (Omit<NewBlob, 'bytes'> & { readonly bytes: string })[];
  };
  return {
    ...rest,
    response: { ...response, createdAt: new Date(response.createdAt) },
    blobs: blobs.map((blob) => ({ ...blob, bytes: Buffer.from(blob.bytes, 'base64') })),
  };
}

/** Ends a text that has begun, and creates the events of texts that have none. */
function textEvents(open: OpenText | undefined, rest: readonly TurnItem[]): readonly TurnEvent[] {
  const texts = rest.filter((item) => item.type === 'message' || item.type === 'reasoning');
  const [first] = texts;
  const isBegun =
    open !== undefined && first?.type === open.type && first.text.startsWith(open.text);
  const whole = open === undefined || isBegun ? texts : [open, ...texts];
  return whole.flatMap(({ type, text }, index): readonly TurnEvent[] => {
    const told = index === 0 ? open?.text : undefined;
    const missing = text.slice(told?.length ?? 0);
    return [
      ...(told === undefined ? [{ type: `${type}.start` } as const] : []),
      ...(missing === '' ? [] : [{ type: `${type}.delta`, text: missing } as const]),
      { type: `${type}.end`, text },
    ];
  });
}
