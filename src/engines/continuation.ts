import { hasMedia, type EngineMessage, type GenerationRequest } from './engine.ts';
import type { AnswerRecorder } from './generation-account.ts';

/**
 * True if the engine can continue an answer that was cut. It can't continue a tool call. It also restarts a grammar
 * from the beginning, which would not match the rest of an answer.
 */
export function canContinue(request: GenerationRequest, answer: AnswerRecorder): boolean {
  if (answer.hasCalls) return false;
  if (request.kind === 'completion') {
    // The engine would miss a stop string that begins before the cut.
    const { prompt, suffix, stop = [] } = request;
    return typeof prompt === 'string' && suffix === undefined && stop.length === 0;
  }
  const { responseFormat, toolChoice, messages } = request;
  const hasGrammar = responseFormat !== undefined && responseFormat.type !== 'text';
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return !hasGrammar && !isForced && messages.at(-1)?.role !== 'assistant' && !hasMedia(messages);
}

/** Returns the request for the rest of an answer. If the last message is the assistant's, the engine continues it. */
export function continueRequest(
  request: GenerationRequest,
  { content, reasoning, tokens }: AnswerRecorder,
): GenerationRequest {
  if (tokens === 0) return request;
  const limit =
    request.maxTokens === undefined ? {} : { maxTokens: Math.max(1, request.maxTokens - tokens) };
  if (request.kind === 'completion') {
    return { ...request, ...limit, prompt: `${String(request.prompt)}${content}` };
  }
  const answer: EngineMessage = {
    role: 'assistant',
    content,
    ...(reasoning === '' ? {} : { reasoning }),
  };
  return { ...request, ...limit, messages: [...request.messages, answer] };
}
