import type { V0ChatResult } from '../v0/chat-completion-schema.ts';
import type { V0CompletionLogprobs } from '../v0/text-completion-schema.ts';
import type { TokenLogprob } from '../../../engines/engine.ts';

type V0ChatLogprobs = V0ChatResult['choices'][number]['logprobs'];

/** OpenAI's chat shape; null if none were requested. */
export function toV0Logprobs(logprobs: readonly TokenLogprob[] | undefined): V0ChatLogprobs {
  if (logprobs === undefined || logprobs.length === 0) return null;
  return {
    content: logprobs.map(({ token, logprob, bytes, topLogprobs }) => ({
      token,
      logprob,
      bytes,
      top_logprobs: topLogprobs,
    })),
  };
}

/** OpenAI's older shape for text completions; offsets count from the start of the text. */
export function toCompletionLogprobs(
  logprobs: readonly TokenLogprob[] | undefined,
  textOffset: number,
): V0CompletionLogprobs {
  if (logprobs === undefined || logprobs.length === 0) return null;
  let offset = textOffset;
  const text_offset = logprobs.map(({ token }) => {
    const start = offset;
    offset += token.length;
    return start;
  });
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ topLogprobs }) =>
      Object.fromEntries(topLogprobs.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset,
  };
}
