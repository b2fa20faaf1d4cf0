import type { Measurement } from './measurement.ts';
import { measureStreamedAnswers } from './streamed-answers.ts';

/** Compares a server that is an upstream of Hearth with the same server without Hearth. */
export const measureRemote: Measurement = async (bench) => {
  const { other } = bench;
  if (other.startRemote === undefined) return [];
  const hearth = await other.startRemote();
  try {
    const target = { of: 'ratio', atLeast: 0.97 } as const;
    return await measureStreamedAnswers({ ...bench, hearth }, 'remote', () => target);
  } finally {
    await hearth.close();
  }
};
