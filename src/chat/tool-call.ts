import type { ClientToolCall, JsonObject } from '../conversation/content.ts';
import type { ClientToolCallItem, InvalidToolCallItem } from '../conversation/turn-item.ts';
import type { Tool } from '../tools/toolbox.ts';
import type { TurnTools } from './turn-tools.ts';

/** A complete call of one generation, with the arguments as the model generated them. */
export type CheckedCall = { readonly written: ClientToolCall } & (
  | { readonly type: 'valid'; readonly tool: Tool; readonly arguments: JsonObject }
  | { readonly type: 'invalid'; readonly item: InvalidToolCallItem }
  | { readonly type: 'client'; readonly item: ClientToolCallItem }
);

/** Checks a call against the tools of its turn. */
export function checkToolCall(
  written: ClientToolCall,
  round: number,
  tools: TurnTools,
): CheckedCall {
  const { name } = written;
  const owner = tools.find(name);
  if (owner?.type === 'client') {
    return { type: 'client', written, item: { type: 'clientToolCall', round, ...written } };
  }
  const invalid = (
    item: Pick<InvalidToolCallItem, 'cause' | 'reason' | 'arguments'>,
  ): CheckedCall => {
    const shared = { type: 'invalidToolCall', round, exposedName: name } as const;
    const known = owner && { tool: owner.tool.name, provider: owner.tool.provider };
    return { type: 'invalid', written, item: { ...shared, ...item, ...known } };
  };
  if (owner === undefined) {
    const names = tools.definitions().map((each) => each.name);
    const reason = `There is no tool ${JSON.stringify(name)}. The tools are: ${names.join(', ') || 'none'}.`;
    return invalid({ cause: 'invalidName', reason });
  }
  const { tool } = owner;
  const args = parseArguments(written.argumentsJson);
  if (args === undefined) {
    const reason = `The arguments of ${tool.name} are not a JSON object.`;
    return invalid({ cause: 'invalidArguments', reason });
  }
  const reason = tool.findArgumentIssue(args);
  if (reason === undefined) return { type: 'valid', written, tool, arguments: args };
  return invalid({ cause: 'invalidArguments', reason, arguments: args });
}

/** A valid call that is not executed; the model gets the reason. */
export function refuseCall(
  call: Extract<CheckedCall, { readonly type: 'valid' }>,
  round: number,
  reason: string,
): CheckedCall {
  const { written, tool } = call;
  const item: InvalidToolCallItem = {
    type: 'invalidToolCall',
    round,
    exposedName: written.name,
    cause: 'invalidArguments',
    reason,
    tool: tool.name,
    provider: tool.provider,
    arguments: call.arguments,
  };
  return { type: 'invalid', written, item };
}

/** Models omit empty arguments. Undefined for a text that is not a JSON object. */
export function parseArguments(json: string): JsonObject | undefined {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
