import type { ChatRequest, ChatResult, InputItem } from '../../api/v1/chat/chat-schema.ts';
import type { Client } from '../client/client.ts';
import type { Terminal } from '../ui/terminal.ts';
import { type AnswerView, createAnswerView } from './answer-view.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import { createToolApprovals, type ToolApprovals, type ToolPolicy } from './tool-approvals.ts';
import { ApiError } from '../client/client-error.ts';
import { formatCount } from '../../kernel/format.ts';

/** The input for a message: plain text if nothing is attached; otherwise images and texts of files, followed by the text. */
export function toInput(text: string, attached: readonly InputItem[]): ChatRequest['input'] {
  return attached.length === 0
    ? text
    : [...attached, ...(text === '' ? [] : [{ type: 'text' as const, content: text }])];
}

/** Settings of the turns, including the system prompt of a new conversation. */
export type ChatSettings = Omit<ChatRequest, 'input' | 'previous_response_id'>;

/**
 * A conversation that is stored on the server. A turn that is stopped or fails is not part of it: the next turn
 * continues from the last complete response.
 */
export interface Conversation {
  readonly settings: ChatSettings;
  /** @throws The errors of `streamAnswer`. */
  send(
    text: string,
    display: { readonly hidesThinking: boolean; readonly policy: ToolPolicy },
    signal: AbortSignal,
  ): Promise<ChatResult>;
  /** Changes settings for the next turns. */
  change(settings: Partial<ChatSettings>): void;
  /** Sends images and texts of files with the next message. */
  attach(attached: readonly InputItem[]): void;
  /** Continues a stored response. */
  continueFrom(responseId: string): void;
  /** Starts over with an empty conversation. */
  restart(): void;
}

/** Creates a conversation with the model in the settings. */
export function createConversation(
  client: Client,
  terminal: Terminal,
  options: {
    readonly settings: ChatSettings;
    /** Images and texts of files to send with the first message. */
    readonly attached: readonly InputItem[];
  },
): Conversation {
  let { settings, attached } = options;
  let lastResponseId: string | undefined;
  let hasNewSystemPrompt = false;
  return {
    get settings() {
      return settings;
    },
    async send(text, display, signal) {
      const { system_prompt: systemPrompt, ...others } = settings;
      const turn =
        lastResponseId === undefined
          ? { system_prompt: systemPrompt }
          : {
              previous_response_id: lastResponseId,
              ...(hasNewSystemPrompt ? { system_prompt: systemPrompt } : {}),
            };
      const request = { ...others, ...turn, input: toInput(text, attached) };
      const view = createAnswerView(terminal, display);
      const { messages } = terminal;
      const approvals = createToolApprovals(client, messages, display.policy, signal);
      const result = await streamAnswer(client, request, { view, approvals }, signal);
      attached = [];
      hasNewSystemPrompt = false;
      lastResponseId = result.response_id;
      return result;
    },
    change(changed) {
      settings = { ...settings, ...changed };
      hasNewSystemPrompt ||= 'system_prompt' in changed;
    },
    attach(more) {
      attached = [...attached, ...more];
    },
    continueFrom(responseId) {
      lastResponseId = responseId;
    },
    restart() {
      lastResponseId = undefined;
    },
  };
}

/**
 * Sends a message, shows the answer as it streams, answers its tool calls and returns the complete result.
 *
 * @throws ApiError, also for an error event in the stream; ServerUnreachableError; the signal's reason.
 */
export async function streamAnswer(
  client: Client,
  request: ChatRequest,
  { view, approvals }: { readonly view: AnswerView; readonly approvals: ToolApprovals },
  signal: AbortSignal,
): Promise<ChatResult> {
  let result: ChatResult | undefined;
  let failure: ApiError | undefined;
  try {
    const hasTools = (request.integrations ?? []).length > 0;
    const body = { ...request, stream: true, ...(hasTools && { tool_approvals: true }) };
    for await (const event of client.stream(createChat, { body }, signal)) {
      view.show(event);
      approvals.follow(event);
      if (event.type === 'error') failure = new ApiError(event.error);
      if (event.type === 'chat.end') ({ result } = event);
    }
  } finally {
    approvals.end();
    view.end();
  }
  if (failure !== undefined) throw failure;
  if (result !== undefined) return result;
  throw new ApiError({
    type: 'unexpected_response',
    message: 'The stream ended before the answer was complete.',
  });
}

/** @returns A message for the user if the model wrote no answer; otherwise undefined. */
export function describeMissingAnswer({ output, stats }: ChatResult): string | undefined {
  const hasText = output.some((item) => item.type === 'message' && item.content.trim() !== '');
  if (hasText) return undefined;
  const tokens = stats.reasoning_output_tokens;
  return tokens === 0
    ? 'The model returned an empty answer.'
    : `The model returned no answer, only ${formatCount(tokens)} tokens of reasoning. Try --reasoning off.`;
}
