import {
  audioFormat,
  type ContentPart,
  type EngineMessage,
  type GenerationRequest,
} from '../../engine.ts';

/** Bytes per token, a little less than the average of English text. */
const bytesPerToken = 4;
/** Tokens for the role and markers of a message. */
const tokensPerMessage = 4;
/** Tokens of an image at the resolution of most projectors. */
const tokensPerImage = 576;
/** From Whisper-like encoders; others produce fewer. */
const audioTokensPerSecond = 25;
const audioBytesPerSecond = { wav: 32_000, mp3: 8000 };

/** Estimates the tokens of a text, for servers that can't count them. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Estimates the tokens of a whole prompt, for servers that do not report them. */
export function estimateTokens(request: GenerationRequest): number {
  if (request.kind === 'completion') {
    const { prompt } = request;
    return typeof prompt === 'string' ? estimateTextTokens(prompt) : prompt.length;
  }
  const { messages, tools = [] } = request;
  const ofTools = tools.length === 0 ? 0 : estimateTextTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + messageTokens(message), ofTools);
}

/**
 * Returns the request without its `maxTokens` if prompt and answer would exceed the context: vLLM rejects such a
 * limit, and the answer ends with the context anyway.
 */
export function withinContext(
  request: GenerationRequest,
  contextLength: number,
): GenerationRequest {
  const { maxTokens, ...unlimited } = request;
  if (maxTokens === undefined) return request;
  return maxTokens + estimateTokens(request) > contextLength ? unlimited : request;
}

function messageTokens({ content }: EngineMessage): number {
  if (typeof content === 'string') return tokensPerMessage + estimateTextTokens(content);
  return content.reduce((sum, part) => sum + partTokens(part), tokensPerMessage);
}

function partTokens(part: ContentPart): number {
  if (part.type === 'text') return estimateTextTokens(part.text);
  if (part.type === 'image') return tokensPerImage;
  const seconds = (part.dataUrl.length * 3) / 4 / audioBytesPerSecond[audioFormat(part)];
  return Math.ceil(seconds * audioTokensPerSecond);
}
