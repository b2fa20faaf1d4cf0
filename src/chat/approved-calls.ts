import { HearthError } from '../contract/errors.ts';
import type { CallApproval } from '../conversation/call-approval.ts';
import type { ClientToolCall, ToolProvider } from '../conversation/content.ts';
import type { ApprovalRequestItem } from '../conversation/turn-item.ts';
import type { Store, StoredResponse } from '../store/store.ts';
import type { Integration } from '../tools/toolbox.ts';
import type { TurnRequest } from './turn-request.ts';

/** A call of an earlier turn that waited for the client, with its answer. */
export interface AnsweredCall extends CallApproval {
  /** The call as the model wrote it. */
  readonly written: ClientToolCall;
  /** Tool name on its own server. */
  readonly tool: string;
  readonly provider: ToolProvider;
  /** The stored response that has the request; undefined if the client sent it. */
  readonly responseId?: string;
}

/**
 * The calls that a turn answers, in their order.
 *
 * @throws HearthError `invalid_value` if an answer has no call or comes twice, a call has no answer, or the server of
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
 * Marks approved calls as used, before they are made: a call is made once, however many turns approve it, and although
 * the turn that made it may fail. Calls that the client sent itself are not stored and can't be marked.
 *
 * @throws HearthError `invalid_value` if one of the calls was used before, such as by a concurrent turn.
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

/** Whether a provider is the server of an integration. */
function isOf(integration: Integration, provider: ToolProvider): boolean {
  return integration.type === 'plugin'
    ? provider.type === 'plugin' && provider.pluginId === integration.id
    : provider.type === 'ephemeralMcp' && provider.serverLabel === integration.serverLabel;
}

/** The label of a server in messages. */
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
