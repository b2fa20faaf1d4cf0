import type { RequestParts, RouteOf } from '../../../api/routes.ts';
import type { ChatEvent } from '../../../../../src/api/v1/chat/chat-event-schema.ts';
import type { ChatResult } from '../../../../../src/api/v1/chat/chat-schema.ts';
import type { InputPart, OutputItem } from '../conversations/conversation-queries.ts';

/** The body of `POST /api/v1/chat`. */
export type ChatBody = RequestParts<RouteOf<'post', '/api/v1/chat'>>['body'];

/** The body of `POST /api/v1/responses/{response_id}/continue`. */
export type ContinueBody = RequestParts<
  RouteOf<'post', '/api/v1/responses/{response_id}/continue'>
>['body'];

export type ToolCall = Extract<OutputItem, { type: 'tool_call' }>;

/** A call that waits for the user's approval. */
export type CallQuestion = Extract<ChatEvent, { type: 'tool_call.approval_required' }>;

/** An item of an answer that is being written. The output of a tool call is missing until the call ends. */
export type RunItem =
  | { readonly type: 'message'; readonly content: string }
  | { readonly type: 'reasoning'; readonly content: string }
  | {
      readonly type: 'running_tool_call';
      readonly tool: string;
      readonly arguments?: Readonly<Record<string, unknown>>;
      /** Present while the call waits for the user. */
      readonly question?: CallQuestion;
      /** True if the user was asked. */
      readonly isAnswered?: true;
    }
  | OutputItem;

export type RunPhase =
  | { readonly kind: 'sending' }
  | { readonly kind: 'loading'; readonly progress?: number }
  | { readonly kind: 'queued'; readonly position: number }
  | { readonly kind: 'prompt'; readonly progress: number }
  | { readonly kind: 'writing' }
  | { readonly kind: 'ended' };

/** An answer that is being written; it may have been started in another tab. */
export interface Run {
  /** Unique in this tab. */
  readonly key: string;
  /** Undefined until the server has accepted the message. */
  readonly responseId: string | undefined;
  /** Absent in a new conversation until its first answer is stored. */
  readonly conversationId: string | undefined;
  readonly previousId: string | null;
  readonly model: string;
  readonly input: readonly InputPart[];
  readonly phase: RunPhase;
  readonly items: readonly RunItem[];
  /** True while the events repeat the answer that the model continues. */
  readonly isRepeated?: boolean | undefined;
  readonly error: string | undefined;
  /** Error code of the server. */
  readonly errorCode?: string | undefined;
  readonly isCancelled: boolean;
  readonly result: ChatResult | undefined;
  readonly startedAt: number;
  /** True if the conversation is deleted when the user leaves it. */
  readonly isTemporary?: boolean | undefined;
  /** Key of the settings of a new conversation until its first answer is stored. */
  readonly settingsKey: string;
  /** Duration of each reasoning block in seconds, in order. Empty for a resumed run, whose events are replayed. */
  readonly reasoningSeconds: readonly number[];
  /** Start of the current reasoning block, in milliseconds of `performance.now()`. */
  readonly reasoningSinceMs?: number | undefined;
}

/**
 * Returns the run after an event of its stream.
 *
 * @param nowMs Time of the event in milliseconds; undefined for a replayed event.
 */
export function applyEvent(run: Run, event: ChatEvent, nowMs?: number): Run {
  switch (event.type) {
    case 'chat.start':
      return { ...run, responseId: event.response_id ?? run.responseId };
    case 'model_load.start':
      return { ...run, phase: { kind: 'loading' } };
    case 'model_load.progress':
      return { ...run, phase: { kind: 'loading', progress: event.progress } };
    case 'queued':
      return { ...run, phase: { kind: 'queued', position: event.position } };
    case 'model_load.end':
    case 'prompt_processing.start':
      return { ...run, phase: { kind: 'prompt', progress: 0 } };
    case 'prompt_processing.progress':
      return { ...run, phase: { kind: 'prompt', progress: event.progress } };
    case 'prompt_processing.end':
      return { ...run, phase: { kind: 'writing' } };
    case 'reasoning.start':
      return { ...append(run, { type: 'reasoning', content: '' }), reasoningSinceMs: nowMs };
    case 'message.start':
      return append(run, { type: 'message', content: '' });
    case 'reasoning.delta':
      return extend(run, 'reasoning', event.content);
    case 'message.delta':
      return extend(run, 'message', event.content);
    case 'tool_call.start':
      return append(run, { type: 'running_tool_call', tool: event.tool });
    case 'tool_call.arguments':
      return replaceCall(run, isNewest(run), {
        type: 'running_tool_call',
        tool: event.tool,
        arguments: event.arguments,
      });
    case 'tool_call.approval_required':
      return replaceCall(
        run,
        ({ tool, question, isAnswered }) =>
          tool === event.tool && question === undefined && isAnswered === undefined,
        {
          type: 'running_tool_call',
          tool: event.tool,
          arguments: event.arguments,
          question: event,
        },
      );
    case 'tool_call.approval_resolved':
      return endQuestion(run, event.call_id);
    case 'tool_call.success':
      return replaceCall(run, ({ tool }) => tool === event.tool, { ...event, type: 'tool_call' });
    case 'tool_call.failure': {
      const metadata = event.metadata as InvalidCall['metadata'];
      const { tool_name: name } = metadata;
      const item = { type: 'invalid_tool_call' as const, reason: event.reason, metadata };
      return replaceCall(run, ({ tool }) => tool === name, item);
    }
    case 'error':
      return event.error.code === 'cancelled'
        ? { ...run, isCancelled: true }
        : { ...run, error: event.error.message, errorCode: event.error.code };
    case 'chat.end':
      return { ...run, items: event.result.output, result: event.result, phase: { kind: 'ended' } };
    case 'reasoning.end':
      return withReasoningTime(run, nowMs);
    case 'message.end':
      return run;
  }
}

function withReasoningTime(run: Run, nowMs: number | undefined): Run {
  const { reasoningSinceMs: sinceMs, reasoningSeconds } = run;
  if (sinceMs === undefined || nowMs === undefined) return run;
  return {
    ...run,
    reasoningSinceMs: undefined,
    reasoningSeconds: [...reasoningSeconds, (nowMs - sinceMs) / 1000],
  };
}

function append(run: Run, item: RunItem): Run {
  const items = run.isRepeated === true ? [item] : [...run.items, item];
  return { ...run, items, isRepeated: false, phase: { kind: 'writing' } };
}

function extend(run: Run, type: 'message' | 'reasoning', content: string): Run {
  const last = run.items.at(-1);
  if (last?.type !== type) return append(run, { type, content });
  return {
    ...run,
    items: [...run.items.slice(0, -1), { type, content: last.content + content }],
    phase: { kind: 'writing' },
  };
}

type RunningCall = Extract<RunItem, { type: 'running_tool_call' }>;
type InvalidCall = Extract<OutputItem, { type: 'invalid_tool_call' }>;

/** Replaces the first matching call that has not ended: calls end in the order in which they start. */
function replaceCall(run: Run, isMeant: (call: RunningCall) => boolean, item: RunItem): Run {
  const index = run.items.findIndex((each) => each.type === 'running_tool_call' && isMeant(each));
  return index === -1 ? append(run, item) : { ...run, items: run.items.with(index, item) };
}

function isNewest({ items }: Run): (call: RunningCall) => boolean {
  const newest = items.findLast(({ type }) => type === 'running_tool_call');
  return (call) => call === newest;
}

function endQuestion(run: Run, id: string): Run {
  const call = run.items.find(
    (each) => each.type === 'running_tool_call' && each.question?.call_id === id,
  );
  if (call?.type !== 'running_tool_call') return run;
  const { question: _, ...answered } = call;
  return replaceCall(run, (each) => each === call, { ...answered, isAnswered: true });
}
