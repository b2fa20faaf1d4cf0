import type { TokenLogprob } from '../../engine.ts';
import type { WireTextLogprobs, WireTokenLogprob } from './wire-chunk.ts';

/** Log probabilities of a chat. */
export function toTokenLogprobs(
  tokens: readonly WireTokenLogprob[] | null | undefined,
  topCount: number,
): readonly TokenLogprob[] {
  return (tokens ?? []).map((wire) => ({
    ...toAlternative(wire),
    topLogprobs: (wire.top_logprobs ?? []).slice(0, topCount).map(toAlternative),
  }));
}

/** Log probabilities of a text completion, which come as lists beside each other. */
export function toTextLogprobs(
  wire: WireTextLogprobs | null | undefined,
  topCount: number,
): readonly TokenLogprob[] {
  return (wire?.tokens ?? []).map((token, index) => ({
    ...toAlternative({ token, logprob: wire?.token_logprobs?.[index] ?? 0 }),
    topLogprobs: Object.entries(wire?.top_logprobs?.[index] ?? {})
      .map(([top, logprob]) => toAlternative({ token: top, logprob }))
      .toSorted((one, other) => other.logprob - one.logprob)
      .slice(0, topCount),
  }));
}

function toAlternative({ token = '', logprob = 0, bytes }: WireTokenLogprob) {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
