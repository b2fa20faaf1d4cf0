import type { OutputItem } from '../contract/v1/chat.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ToolContent } from '../tools/toolbox.ts';
import { providerInfo, type ValidatedToolCall } from './tool-call.ts';
import { toOutputText } from './tool-output.ts';

/** How a call ended: the item of the output, and what the model is told. */
export interface CallOutcome {
  readonly item: Extract<OutputItem, { readonly type: 'tool_call' | 'invalid_tool_call' }>;
  readonly content: readonly ToolContent[];
}

/**
 * Makes the calls of one round, all at once, and gives how they ended in the order in which the model wrote
 * them. A call that can't be made is told to the model, so that it can correct itself.
 *
 * @throws the signal's reason when aborted.
 */
export async function* runToolRound(
  calls: readonly ValidatedToolCall[],
  context: RequestContext,
): AsyncGenerator<CallOutcome> {
  const outcomes = calls.map((call) => run(call, context));
  // The first failure is thrown where its turn comes; till then it must not count as unhandled.
  for (const outcome of outcomes) outcome.catch(() => {});
  for (const outcome of outcomes) yield await outcome;
}

async function run(call: ValidatedToolCall, context: RequestContext): Promise<CallOutcome> {
  if (!call.isValid) {
    return { item: call.item, content: [{ type: 'text', text: call.item.reason }] };
  }
  const { tool, args } = call;
  const { content } = await tool.call(args, context);
  const item = {
    type: 'tool_call' as const,
    tool: tool.name,
    arguments: { ...args },
    output: toOutputText(content),
    provider_info: providerInfo(tool.provider),
  };
  return { item, content };
}
