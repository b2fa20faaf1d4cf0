import type { ChatEvent } from '../../api/v1/chat/chat-event-schema.ts';
import { answerToolCall } from '../../api/v1/tools/tool-approval-schema.ts';
import { printable } from '../../kernel/printable.ts';
import { ApiError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import { describeFailure } from '../failure.ts';
import type { TerminalStream } from '../ui/terminal.ts';

/** Asks the user for a line; undefined if the user leaves or the signal aborts. */
export type AskUser = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** Decides about calls that need an approval. */
export type ToolPolicy = 'allow' | 'refuse' | AskUser;

/** Answers the calls of one chat that need an approval. */
export interface ToolApprovals {
  follow(event: ChatEvent): void;
  /** Cancels the open questions. */
  end(): void;
}

type WaitingCall = Extract<ChatEvent, { type: 'tool_call.approval_required' }>;
interface Answer {
  readonly approved: boolean;
  readonly scope?: 'conversation' | 'always';
  readonly reason?: string;
}

const maxShownCharacters = 2000;
const answers: readonly (readonly [names: string, answer: Answer])[] = [
  ['y yes once', { approved: true }],
  ['c conversation', { approved: true, scope: 'conversation' }],
  ['a always', { approved: true, scope: 'always' }],
  ['n no', { approved: false }],
  ['never', { approved: false, scope: 'always' }],
];

export function createToolApprovals(
  client: Client,
  messages: TerminalStream,
  policy: ToolPolicy,
  signal: AbortSignal,
): ToolApprovals {
  const open = new Map<string, AbortController>();
  let asking: Promise<void> = Promise.resolve();

  async function decide(call: WaitingCall, within: AbortSignal): Promise<Answer | undefined> {
    if (policy === 'allow') return { approved: true };
    if (policy !== 'refuse') return ask(policy, call, messages, within);
    messages.line(
      `Refused ${describeTool(call)}, which may change something. Add --allow-tools to allow such calls.`,
    );
    return { approved: false, reason: 'The user does not allow calls that may change something.' };
  }

  async function answer(call: WaitingCall, within: AbortSignal): Promise<void> {
    try {
      if (within.aborted) return;
      const body = await decide(call, within);
      if (body === undefined || within.aborted) return;
      const params = { call_id: call.call_id };
      await client.call(answerToolCall, { params, body }, within);
    } catch (error) {
      if (within.aborted) return;
      // Another client answered the call, or the time to answer is over.
      const isGone =
        error instanceof ApiError &&
        ['conflict', 'tool_approval_not_found'].includes(error.code ?? '');
      if (!isGone) messages.line(printable(describeFailure(error) ?? ''));
    }
  }

  return {
    follow(event) {
      if (event.type === 'tool_call.approval_required') {
        const ending = new AbortController();
        open.set(event.call_id, ending);
        const within = AbortSignal.any([signal, ending.signal]);
        asking = asking.then(() => answer(event, within));
      } else if (event.type === 'tool_call.approval_resolved') {
        open.get(event.call_id)?.abort();
      }
    },
    end() {
      for (const ending of open.values()) ending.abort();
    },
  };
}

/** @returns undefined if the user exits. */
async function ask(
  askUser: AskUser,
  call: WaitingCall,
  messages: TerminalStream,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const text = printable(JSON.stringify(call.arguments, null, 2));
  const rest = text.length - maxShownCharacters;
  const kind = call.annotations.destructiveHint === true ? ', which may destroy something' : '';
  messages.line(`The model wants to call ${describeTool(call)}${kind}:`);
  messages.line(messages.style.dim(text.slice(0, maxShownCharacters)));
  if (rest > 0) messages.line(`(${rest} more characters are not shown)`);
  // Permissions are stored under a plugin's name, which servers in the request do not have.
  const isKept = call.provider_info.type === 'plugin';
  const choices = isKept
    ? 'y: once, c: in this conversation, a: always, n: no, never'
    : 'y: once, c: in this conversation, n: no';
  for (;;) {
    const typed = await askUser(`Allow it? (${choices}) `, signal);
    if (typed === undefined || signal.aborted) return undefined;
    const word = typed.trim().toLowerCase() || 'no';
    const found = answers.find(([names]) => names.split(' ').includes(word))?.[1];
    if (found !== undefined && (isKept || found.scope !== 'always')) return found;
  }
}

function describeTool({ tool, provider_info: provider }: WaitingCall): string {
  const server = provider.plugin_id ?? provider.server_label ?? '';
  return printable(`${tool} of ${server}`.replaceAll(/\s+/g, ' '));
}
