import type { ChatChunk } from './stream-chunk.ts';
import { StreamDecoder } from './stream-decoder.ts';

/** Reads the stream of `/v1/chat/completions`. */
export class ChatDecoder extends StreamDecoder<ChatChunk> {
  protected override acceptChunk(chunk: ChatChunk): void {
    const choice = chunk.choices?.[0];
    const delta = choice?.delta;
    if (delta?.reasoning_content) this.acceptText('reasoning.delta', delta.reasoning_content);
    if (delta?.content) this.acceptText('content.delta', delta.content, choice?.logprobs?.content);
    for (const call of delta?.tool_calls ?? []) {
      this.acceptToolCall({
        type: 'toolCall.delta',
        index: call.index,
        ...(call.id === undefined ? {} : { id: call.id }),
        ...(call.function?.name === undefined ? {} : { name: call.function.name }),
        argumentsJson: call.function?.arguments ?? '',
      });
    }
    if (choice?.finish_reason) {
      const stopType = choice.finish_reason === 'length' ? 'limit' : 'eos';
      this.acceptStop(chunk['__verbose'] ?? { stop_type: stopType });
    }
    if (chunk.prompt_progress !== undefined) this.acceptProgress(chunk.prompt_progress);
    if (chunk.timings !== undefined) this.acceptTimings(chunk.timings);
    if (chunk.error !== undefined) this.acceptError(chunk.error);
  }
}
