import {
  audioFormat,
  type ContentPart,
  type EngineMessage,
  type GenerationRequest,
} from '../../engine.ts';

/** Bytes of a token of English text, a little less than the average. */
const bytesPerToken = 4;
/** Role and markers of a message. */
const tokensPerMessage = 4;
/** A picture of the size that most projectors read. */
const tokensPerImage = 576;
/** Encoders of Whisper's kind; others make fewer. */
const audioTokensPerSecond = 25;
const audioBytesPerSecond = { wav: 32_000, mp3: 8000 };

/** The tokens of a text, for servers that can't count them. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** The tokens of a whole prompt, for servers that do not report them. */
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
 * The request without a limit of tokens that the context does not hold beside the prompt: the answer ends with the
 * context anyway, and vLLM refuses such a limit.
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
