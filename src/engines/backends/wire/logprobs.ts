import type { TokenLogprob } from '../../engine.ts';
import type {
  StreamEvent,
  WireChoice,
  WireTextLogprobs,
  WireTokenLogprob,
} from './stream-event.ts';

/** Reads the log probabilities of one event, in any server's format. */
export function readLogprobs(
  event: StreamEvent,
  choice: WireChoice | undefined,
  topCount: number,
): readonly TokenLogprob[] {
  const logprobs = choice?.logprobs;
  if (logprobs?.tokens) return ofText(logprobs, topCount);
  return (logprobs?.content ?? event.completion_probabilities ?? []).map((wire) => ({
    ...alternative(wire),
    topLogprobs: (wire.top_logprobs ?? []).slice(0, topCount).map(alternative),
  }));
}

function ofText(wire: WireTextLogprobs, topCount: number): readonly TokenLogprob[] {
  return (wire.tokens ?? []).map((token, index) => ({
    ...alternative({ token, logprob: wire.token_logprobs?.[index] ?? 0 }),
    topLogprobs: Object.entries(wire.top_logprobs?.[index] ?? {})
      .map(([top, logprob]) => alternative({ token: top, logprob }))
      .toSorted((one, other) => other.logprob - one.logprob)
      .slice(0, topCount),
  }));
}

function alternative({ token = '', logprob = 0, bytes }: WireTokenLogprob) {
  return { token, logprob, bytes: bytes ?? [...Buffer.from(token)] };
}
