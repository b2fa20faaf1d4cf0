import { hasMedia, type EngineMessage, type GenerationRequest } from './engine.ts';
import type { AnswerRecorder } from './generation-account.ts';

/**
 * True if an answer can be continued after it was cut. The engine begins a grammar again, which then does not fit the
 * written part, and it does not continue a tool call.
 */
export function canContinue(request: GenerationRequest, answer: AnswerRecorder): boolean {
  if (answer.hasCalls) return false;
  if (request.kind === 'completion') {
    // The engine would not find a stop string that begins before the cut.
    const { prompt, suffix, stop = [] } = request;
    return typeof prompt === 'string' && suffix === undefined && stop.length === 0;
  }
  const { responseFormat, toolChoice, messages } = request;
  const hasGrammar = responseFormat !== undefined && responseFormat.type !== 'text';
  const isForced = toolChoice === 'required' || typeof toolChoice === 'object';
  return !hasGrammar && !isForced && messages.at(-1)?.role !== 'assistant' && !hasMedia(messages);
}

/** The request for the rest of an answer: the engine continues a last message of the assistant. */
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
