import { foldSeed } from '../../../engines/fold-seed.ts';
import type { GenerationOptions } from '../../../chat/turn-request.ts';

/** Each choice has a seed of its own, as they would be the same otherwise. */
export function withSeedOf<Request extends Pick<GenerationOptions, 'sampling'>>(
  request: Request,
  index: number,
): Request {
  const { seed } = request.sampling;
  if (seed === undefined || seed < 0 || index === 0) return request;
  return { ...request, sampling: { ...request.sampling, seed: foldSeed(seed + index) } };
}
