import type { V0ChatResult } from '../../../contract/v0/chat-completion.ts';
import type { GenerationStart, GenerationStep } from '../../../chat/generation.ts';
import { newCompletionId } from '../../../chat/ids.ts';
import type { TokenLogprob } from '../../../engine/engine.ts';
import { toFinishReason, toV0Report } from './report.ts';
import { toV0Logprobs } from './logprobs.ts';

/** Gathers a whole chat completion. */
export async function collectChat(steps: AsyncIterable<GenerationStep>): Promise<V0ChatResult> {
  let content = '';
  let reasoning = '';
  const logprobs: TokenLogprob[] = [];
  const toolCalls: { id: string; name: string; argumentsJson: string }[] = [];
  let start: GenerationStart | undefined;
  for await (const step of steps) {
    if (step.type === 'generation.start') {
      start = step;
    } else if (step.type === 'content.delta') {
      content += step.text;
      if (step.logprobs !== undefined) logprobs.push(...step.logprobs);
    } else if (step.type === 'reasoning.delta') {
      reasoning += step.text;
    } else if (step.type === 'tool_call.delta') {
      const call = (toolCalls[step.index] ??= { id: '', name: '', argumentsJson: '' });
      call.id = step.id ?? call.id;
      call.name = step.name ?? call.name;
      call.argumentsJson += step.argumentsJson;
    } else if (step.type === 'generation.report' && start !== undefined) {
      return {
        id: newCompletionId('chatcmpl'),
        object: 'chat.completion',
        created: Math.floor(Date.now() / 1000),
        model: start.selection.model.key,
        choices: [
          {
            index: 0,
            logprobs: toV0Logprobs(logprobs),
            finish_reason: toFinishReason(step.report),
            message: {
              role: 'assistant',
              content,
              ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
              ...(toolCalls.length === 0
                ? {}
                : {
                    tool_calls: toolCalls.map(({ id, name, argumentsJson }) => ({
                      id,
                      type: 'function',
                      function: { name, arguments: argumentsJson },
                    })),
                  }),
            },
          },
        ],
        ...toV0Report(start, step.report),
      };
    }
  }
  throw new Error('The generation ended without a report');
}
