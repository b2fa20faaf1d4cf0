import type { OutputItem } from '../contract/v1/chat.ts';
import type { GenerationEvent } from '../engine/engine.ts';
import type { Tool, ToolProvider } from '../tools/toolbox.ts';

/** A call as the model wrote it. */
export interface WrittenCall {
  /** As the tool was offered, or something else. */
  readonly name: string;
  /** JSON text that may not parse. */
  readonly argumentsJson: string;
}

type InvalidCall = Extract<OutputItem, { readonly type: 'invalid_tool_call' }>;
type Arguments = Readonly<Record<string, unknown>>;

/** A call that can be made, or why it can't. */
export type ValidatedToolCall =
  | { readonly isValid: true; readonly tool: Tool; readonly args: Arguments }
  | { readonly isValid: false; readonly item: InvalidCall };

/** Looks at a call with the tools there are. */
export function validateToolCall(call: WrittenCall, tools: readonly Tool[]): ValidatedToolCall {
  const tool = tools.find(({ exposedName }) => exposedName === call.name);
  if (tool === undefined) {
    const offered = tools.map(({ exposedName }) => exposedName).join(', ') || 'none';
    const reason = `There is no tool ${JSON.stringify(call.name)}. The tools are: ${offered}.`;
    return invalid(reason, { type: 'invalid_name', tool_name: call.name });
  }
  const metadata = {
    type: 'invalid_arguments',
    tool_name: tool.name,
    provider_info: providerInfo(tool.provider),
  } as const;
  const args = parseArguments(call.argumentsJson);
  if (args === undefined) {
    return invalid(`The arguments of ${tool.name} are not a JSON object.`, metadata);
  }
  const fault = tool.findArgumentIssue(args);
  if (fault === undefined) return { isValid: true, tool, args };
  return invalid(`The arguments of ${tool.name} don't fit its schema: ${fault}`, {
    ...metadata,
    arguments: args,
  });
}

function invalid(reason: string, metadata: InvalidCall['metadata']): ValidatedToolCall {
  return { isValid: false, item: { type: 'invalid_tool_call', reason, metadata } };
}

/** Models leave the arguments out where there are none. */
function parseArguments(json: string): Record<string, unknown> | undefined {
  if (json.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A provider as the API shows it. */
export function providerInfo(provider: ToolProvider) {
  return provider.type === 'plugin'
    ? { type: provider.type, plugin_id: provider.pluginId }
    : { type: provider.type, server_label: provider.serverLabel };
}

/** Puts the calls of one generation together from their pieces. */
export class ToolCallAccumulator {
  readonly #calls: { name: string; argumentsJson: string }[] = [];

  has(index: number): boolean {
    return this.#calls[index] !== undefined;
  }

  add(delta: Extract<GenerationEvent, { readonly type: 'tool_call.delta' }>): void {
    const call = (this.#calls[delta.index] ??= { name: '', argumentsJson: '' });
    call.name += delta.name ?? '';
    call.argumentsJson += delta.argumentsJson;
  }

  get calls(): readonly WrittenCall[] {
    return this.#calls.filter((call) => call !== undefined);
  }
}
