import type { Measurement } from './measurement.ts';
import { measureStreamedAnswers } from './streamed-answers.ts';

const path = '/v1/chat/completions';

/** Measures streams of the route that both servers have. */
export const measureOpenAi: Measurement = (bench) =>
  measureStreamedAnswers(
    { ...bench, hearth: { ...bench.hearth, chat: { ...bench.hearth.chat, path } } },
    path,
  );
