import type { ClientToolCall, JsonObject } from '../store/turns/content.ts';
import type {
  ApprovalRequestItem,
  ClientToolCallItem,
  InvalidToolCallItem,
} from '../store/turns/turn-item.ts';
import { isNestedDeeper } from '../kernel/nested-deeper.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { Tool } from '../tools/toolbox.ts';
import type { TurnTools } from './turn-tools.ts';

/** A complete call of one generation, with the arguments as the model generated them. */
export type CheckedCall = { readonly written: ClientToolCall } & (
  | { readonly type: 'valid'; readonly tool: Tool; readonly arguments: JsonObject }
  | { readonly type: 'invalid'; readonly item: InvalidToolCallItem }
  | { readonly type: 'client'; readonly item: ClientToolCallItem }
  | { readonly type: 'approval'; readonly item: ApprovalRequestItem }
);

/**
 * Checks a call against the tools of its turn.
 *
 * @param approvalId Id of the call if it needs an approval.
 */
export function checkToolCall(
  written: ClientToolCall,
  round: number,
  tools: TurnTools,
  approvalId: string,
): CheckedCall {
  const { name } = written;
  const owner = tools.find(name);
  if (owner?.type === 'client') {
    return { type: 'client', written, item: { type: 'clientToolCall', round, ...written } };
  }
  if (owner === undefined) return callOfNoTool(written, round, tools);
  const { tool } = owner;
  const checked = checkArguments(written, round, tool);
  if (checked.type !== 'valid' || tool.needsApproval !== true) return checked;
  const item: ApprovalRequestItem = {
    type: 'approvalRequest',
    round,
    id: approvalId,
    exposedName: name,
    tool: tool.name,
    provider: tool.provider,
    arguments: checked.arguments,
  };
  return { type: 'approval', written, item };
}

/** A call of a tool that does not exist. */
export function callOfNoTool(
  written: ClientToolCall,
  round: number,
  tools: TurnTools,
): Extract<CheckedCall, { readonly type: 'invalid' }> {
  const { name: exposedName } = written;
  const names = tools.definitions().map((each) => each.name);
  const reason = `There is no tool ${JSON.stringify(exposedName)}. The tools are: ${names.join(', ') || 'none'}.`;
  const item = {
    type: 'invalidToolCall',
    round,
    exposedName,
    cause: 'invalidName',
    reason,
  } as const;
  return { type: 'invalid', written, item };
}

/** Checks the arguments of a call against the schema of its tool. */
export function checkArguments(
  written: ClientToolCall,
  round: number,
  tool: Tool,
): Extract<CheckedCall, { readonly type: 'valid' | 'invalid' }> {
  const args = parseArguments(written.argumentsJson);
  const reason =
    args === undefined
      ? `The arguments of ${tool.name} are not a JSON object.`
      : tool.findArgumentIssue(args);
  if (args !== undefined && reason === undefined) {
    return { type: 'valid', written, tool, arguments: args };
  }
  return refuseCall({ written, tool, arguments: args }, round, reason ?? '');
}

/** A call of a tool that is not executed; the model receives the reason. */
export function refuseCall(
  call: {
    readonly written: ClientToolCall;
    readonly tool: Tool;
    readonly arguments: JsonObject | undefined;
  },
  round: number,
  reason: string,
): Extract<CheckedCall, { readonly type: 'invalid' }> {
  const { written, tool } = call;
  const item: InvalidToolCallItem = {
    type: 'invalidToolCall',
    round,
    exposedName: written.name,
    cause: 'invalidArguments',
    reason,
    ...omitUndefined({ arguments: call.arguments }),
    tool: tool.name,
    provider: tool.provider,
  };
  return { type: 'invalid', written, item };
}

/** Maximum nesting; deeper values could not be serialized as JSON again. */
const maxLevels = 512;

/**
 * Parses the arguments of a call; models may omit empty ones. Undefined if the text is not a JSON object or is nested
 * too deeply.
 */
export function parseArguments(json: string): JsonObject | undefined {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !isNestedDeeper(value, maxLevels) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
