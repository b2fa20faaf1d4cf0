import { HearthError } from '../kernel/errors/errors.ts';
import type { CallApproval } from '../store/turns/conversation-turn.ts';
import type { ClientToolCall, ToolProvider } from '../store/turns/content.ts';
import type { ApprovalRequestItem } from '../store/turns/turn-item.ts';
import type { Store, StoredResponse } from '../store/store.ts';
import { isFileSearch } from '../tools/file-search.ts';
import type { Integration } from '../tools/toolbox.ts';
import type { TurnRequest } from './turn-request.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import { callOfNoTool, checkArguments, type CheckedCall, refuseCall } from './tool-call.ts';
import { type CallOutcome, runToolRound } from './tool-round.ts';
import type { TurnEvent } from './turn-event.ts';
import type { TurnRecorder } from './turn-recorder.ts';
import type { TurnTools } from './turn-tools.ts';

/** A call of an earlier turn that waited for the client, with its answer. */
export interface AnsweredCall extends CallApproval {
  /** The call as the model wrote it. */
  readonly written: ClientToolCall;
  /** Tool name on its own server. */
  readonly tool: string;
  readonly provider: ToolProvider;
  /** The stored response with the approval request; undefined if the client sent the call itself. */
  readonly responseId?: string;
}

/**
 * Finds the calls that a turn answers, in order.
 *
 * @throws HearthError `invalid_value` if an answer has no call or occurs twice, a call has no answer, or the server of
 *   an approved call is not one of the integrations.
 */
export function answeredCalls(
  history: readonly StoredResponse[],
  { approvals = [], integrations }: Pick<TurnRequest, 'approvals' | 'integrations'>,
): readonly AnsweredCall[] {
  const previous = history.at(-1);
  const pending = (previous?.turn.items ?? []).filter(
    (item): item is ApprovalRequestItem => item.type === 'approvalRequest',
  );
  const byId = new Map(pending.map((item) => [item.id, item]));
  const missing = new Set(byId.keys());
  const seen = new Set<string>();
  const calls = approvals.map(({ call, ...approval }, index): AnsweredCall => {
    const { requestId } = approval;
    const field = `approvals[${index}].requestId`;
    const quoted = JSON.stringify(requestId.slice(0, 100));
    if (seen.has(requestId)) {
      throw refusal(() => `The approval request ${quoted} is answered twice.`, field);
    }
    seen.add(requestId);
    missing.delete(requestId);
    const item = byId.get(requestId);
    if (item === undefined && call !== undefined) {
      const { tool, provider, argumentsJson } = call;
      return { ...approval, written: { id: requestId, name: tool, argumentsJson }, tool, provider };
    }
    if (item === undefined || previous === undefined) throw noRequest(quoted, previous, field);
    if (approval.isApproved && item.isUsed === true) throw usedBefore(quoted, field);
    const { tool, provider, exposedName: name } = item;
    const written = { id: requestId, name, argumentsJson: JSON.stringify(item.arguments) };
    return { ...approval, written, tool, provider, responseId: previous.id };
  });
  if (previous !== undefined && missing.size > 0) {
    throw refusal(
      (name) =>
        `${name('previousResponseId')} "${previous.id}" waits for the approval of tool calls: ${[...missing].join(', ')}. It continues only with an approval or refusal of each of them, in the API that made the calls.`,
      'messages',
    );
  }
  for (const { isApproved, provider } of calls) {
    if (!isApproved || integrations.some((each) => isOf(each, provider))) continue;
    throw refusal(
      (name) =>
        `A call of ${JSON.stringify(labelOf(provider))} is approved, and ${name('integrations')} does not have this server.`,
      'integrations',
    );
  }
  return calls;
}

/**
 * Marks approved calls as used before they are made. So each call is made only once, even if several turns approve it
 * or the turn that made it fails. Calls that the client sent itself are not stored and can't be marked.
 *
 * @throws HearthError `invalid_value` if one of the calls was used before, for example by a concurrent turn.
 */
export async function useApprovals(
  store: Store,
  calls: readonly AnsweredCall[],
  callerId: string | null,
): Promise<void> {
  const stored = calls.filter(({ responseId }) => responseId !== undefined);
  const [first] = stored;
  if (first?.responseId === undefined) return;
  const requestIds = stored.map(({ requestId }) => requestId);
  if (await store.responses.useApprovals(first.responseId, callerId, requestIds)) return;
  throw usedBefore(requestIds.map((id) => JSON.stringify(id)).join(', '), 'approvals');
}

/** True if the provider is the integration's server. */
function isOf(integration: Integration, provider: ToolProvider): boolean {
  if (integration.type === 'fileSearch') return isFileSearch(provider);
  return integration.type === 'plugin'
    ? provider.type === 'plugin' && provider.pluginId === integration.id
    : provider.type === 'ephemeralMcp' && provider.serverLabel === integration.serverLabel;
}

/** A server's label for messages. */
export function labelOf(provider: ToolProvider): string {
  return provider.type === 'plugin' ? provider.pluginId : provider.serverLabel;
}

function noRequest(
  quoted: string,
  previous: StoredResponse | undefined,
  field: string,
): HearthError {
  return refusal(
    (name) =>
      previous === undefined
        ? `There is no approval request ${quoted}: continue the response that has it, or send it in the input.`
        : `There is no approval request ${quoted} in ${name('previousResponseId')} "${previous.id}".`,
    field,
  );
}

function usedBefore(quoted: string, field: string): HearthError {
  return refusal(
    () =>
      `The approval request ${quoted} was approved before, and its call was made. An approval is used once: continue the response that has the result, or refuse the call.`,
    field,
  );
}

function refusal(
  describe: (name: (field: string) => string) => string,
  field: string,
): HearthError {
  return new HearthError('invalid_value', describe, { field });
}

interface ApprovedCallsRun {
  readonly calls: readonly AnsweredCall[];
  readonly tools: TurnTools;
  readonly recorder: TurnRecorder;
  readonly context: RequestContext;
  /** Maximum number of calls in the turn; undefined: no limit. */
  readonly maxToolCalls: number | undefined;
  /** Called with the calls before they are made. */
  readonly use: (calls: readonly AnsweredCall[]) => Promise<void>;
  /** Cuts a result to its share of the context; `count` results remain, including this one. */
  readonly fit: (outcome: CallOutcome, count: number) => Promise<CallOutcome>;
}

/**
 * Makes the calls that the client has approved.
 *
 * @returns the number of calls that were made.
 * @throws the signal's reason when aborted; the errors of `use`.
 */
export async function* runApprovedCalls(run: ApprovedCallsRun): AsyncGenerator<TurnEvent, number> {
  const { tools, recorder, context, maxToolCalls = Infinity, use, fit } = run;
  const approved = run.calls.filter(({ isApproved }) => isApproved);
  const first = recorder.reserveCalls(approved.length);
  const made: AnsweredCall[] = [];
  const checked = approved.map((call): CheckedCall => {
    const each = check(call, tools);
    if (each.type !== 'valid') return each;
    if (made.length >= maxToolCalls) {
      return refuseCall(each, 0, `The limit of ${maxToolCalls} tool calls is reached.`);
    }
    made.push(call);
    return each;
  });
  await use(made);
  for (const [position, call] of approved.entries()) {
    const each = checked[position];
    if (each !== undefined) yield* startEvents(call, each, first + position);
  }
  let position = 0;
  for await (const outcome of runToolRound(checked, 0, context)) {
    const fitted = await fit(outcome, approved.length - position);
    const answered = withRequest(fitted, approved[position]?.requestId ?? '');
    yield* recorder.recordOutcome(answered, first + position);
    position += 1;
  }
  return made.length;
}

function startEvents(
  { written, provider, tool: name, requestId }: AnsweredCall,
  checked: CheckedCall,
  index: number,
): readonly TurnEvent[] {
  const tool = { name, provider };
  const { name: exposedName } = written;
  const start: TurnEvent = {
    type: 'toolCall.start',
    index,
    exposedName,
    tool,
    isForClient: false,
    approvalRequestId: requestId,
  };
  if (checked.type !== 'valid') return [start];
  return [start, { type: 'toolCall.arguments', index, tool, arguments: checked.arguments }];
}

function withRequest({ item, content }: CallOutcome, approvalRequestId: string): CallOutcome {
  if (item.type !== 'toolCall' && item.type !== 'invalidToolCall') return { item, content };
  return { item: { ...item, approvalRequestId }, content };
}

/** Checks the call again, since the tool may have changed since the model called it. */
function check({ written, tool: name, provider }: AnsweredCall, tools: TurnTools) {
  const tool = tools.findOnServer(provider, name);
  return tool === undefined ? callOfNoTool(written, 0, tools) : checkArguments(written, 0, tool);
}
