import type { V0ChatChunk } from '../../../contract/v0/chat-completion.ts';
import type { GenerationStart, GenerationStep } from '../../../chat/generation.ts';
import { newCompletionId } from '../../../chat/ids.ts';
import type { SseMessage } from '../../sse.ts';
import { toV0Logprobs } from './logprobs.ts';
import { toFinishReason, toV0Report } from './report.ts';
import { done, toErrorMessage, type StreamOptions } from './stream-end.ts';

type Delta = V0ChatChunk['choices'][number]['delta'];

/** Chunks of a chat completion: deltas, the finish reason with the report, `[DONE]`. */
export async function* chatChunks(
  steps: AsyncIterable<GenerationStep>,
  options: StreamOptions,
): AsyncGenerator<SseMessage> {
  const id = newCompletionId('chatcmpl');
  const created = Math.floor(Date.now() / 1000);
  let start: GenerationStart | undefined;
  let isFirst = true;
  const chunk = (choices: V0ChatChunk['choices'], more: Partial<V0ChatChunk> = {}): SseMessage => {
    const model = start?.selection.model.key ?? '';
    const body: V0ChatChunk = {
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      choices,
      ...more,
    };
    return { data: JSON.stringify(body) };
  };
  try {
    for await (const step of steps) {
      if (step.type === 'generation.start') {
        start = step;
      } else if (step.type === 'generation.report' && start !== undefined) {
        const finish_reason = toFinishReason(step.report);
        const report = toV0Report(start, step.report);
        yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason }], report);
        if (options.includesUsage) yield chunk([], { usage: report.usage });
      } else {
        const delta = toDelta(step);
        if (delta === undefined) continue;
        const logprobs = toV0Logprobs(step.type === 'content.delta' ? step.logprobs : undefined);
        const role = isFirst ? ({ role: 'assistant' } as const) : {};
        isFirst = false;
        yield chunk([{ index: 0, delta: { ...role, ...delta }, logprobs, finish_reason: null }]);
      }
    }
  } catch (error) {
    yield toErrorMessage(error, options);
  }
  yield done;
}

function toDelta(step: GenerationStep): Delta | undefined {
  switch (step.type) {
    case 'content.delta':
      return { content: step.text };
    case 'reasoning.delta':
      return { reasoning_content: step.text };
    case 'tool_call.delta': {
      const { index, id, name, argumentsJson } = step;
      const opening = id === undefined ? {} : { id, type: 'function' as const };
      const named = name === undefined ? {} : { name };
      return {
        tool_calls: [{ index, ...opening, function: { ...named, arguments: argumentsJson } }],
      };
    }
    default:
      return undefined;
  }
}
