import type { JsonObject, ToolContent } from '../store/turns/content.ts';
import type {
  ApprovalRequestItem,
  ClientToolCallItem,
  InvalidToolCallItem,
  ToolCallItem,
} from '../store/turns/turn-item.ts';
import { omitUndefined } from '../kernel/omit-undefined.ts';
import type { RequestContext } from '../kernel/request/request-context.ts';
import type { Tool, ToolResult } from '../tools/toolbox.ts';
import type { CheckedCall } from './tool-call.ts';

/** The outcome of a call: the item of the turn, and the result for the model. */
export interface CallOutcome {
  readonly item: ToolCallItem | InvalidToolCallItem | ClientToolCallItem | ApprovalRequestItem;
  /** Undefined if a later turn gets the result. */
  readonly content: readonly ToolContent[] | undefined;
}

/**
 * Executes the calls of one round concurrently, and yields their outcomes in the order of the calls. For an invalid
 * call the model receives the reason, so that it can correct itself.
 *
 * @throws The signal's reason when aborted.
 */
export async function* runToolRound(
  calls: readonly CheckedCall[],
  round: number,
  context: RequestContext,
): AsyncGenerator<CallOutcome> {
  const outcomes = calls.map((call) => run(call, round, context));
  // A failure is thrown when its outcome is awaited; until then it must not become an unhandled rejection.
  for (const outcome of outcomes) outcome.catch(() => {});
  for (const outcome of outcomes) yield await outcome;
}

async function run(
  call: CheckedCall,
  round: number,
  context: RequestContext,
): Promise<CallOutcome> {
  switch (call.type) {
    case 'client':
    case 'approval':
      return { item: call.item, content: undefined };
    case 'invalid':
      return { item: call.item, content: [{ type: 'text', text: call.item.reason }] };
    case 'valid': {
      const { tool, written } = call;
      const { content, isError } = await callTool(tool, call.arguments, context);
      const item = {
        type: 'toolCall',
        round,
        exposedName: written.name,
        tool: tool.name,
        provider: tool.provider,
        arguments: call.arguments,
        result: content,
        isError,
      } as const;
      return { item, content };
    }
  }
}

async function callTool(
  tool: Tool,
  args: JsonObject,
  context: RequestContext,
): Promise<ToolResult> {
  const { name, provider } = tool;
  const phase = context.record.beginPhase({
    name: 'tool',
    tool: name,
    provider: provider.type === 'plugin' ? provider.pluginId : provider.serverLabel,
    providerType: provider.type === 'plugin' ? 'plugin' : 'ephemeral_mcp',
  });
  try {
    const traceparent = context.record.traceparentOf(phase);
    const result = await tool.call(args, context, omitUndefined({ traceparent }));
    phase.end({ hasFailed: result.isError });
    return result;
  } finally {
    phase.end({ hasFailed: true });
  }
}
