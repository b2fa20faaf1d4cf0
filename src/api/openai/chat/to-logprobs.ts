import type { OpenAiChatCompletion, OpenAiTokenLogprob } from './chat-completion-schema.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';

/** Null if none were requested. */
export function toLogprobs(
  logprobs: readonly TokenLogprob[] | undefined,
): OpenAiChatCompletion['choices'][number]['logprobs'] {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return { content: logprobs.map(toTokenLogprob), refusal: null };
}

function toTokenLogprob({ topLogprobs, ...chosen }: TokenLogprob): OpenAiTokenLogprob {
  return { ...toFields(chosen), top_logprobs: topLogprobs.map(toFields) };
}

function toFields({ token, logprob, bytes }: Omit<TokenLogprob, 'topLogprobs'>) {
  return { token, logprob, bytes: bytes === null ? null : [...bytes] };
}
