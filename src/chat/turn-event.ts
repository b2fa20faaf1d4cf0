import type { HearthError } from '../contract/errors.ts';
import type { ChatEvent } from '../contract/v1/chat-event.ts';

/** The events of a turn: `chat.start` first, `chat.end` last, `error` before it where something failed. */
export type TurnEvent =
  | Exclude<ChatEvent, { readonly type: 'error' }>
  | { readonly type: 'error'; readonly error: HearthError };
