import { measureShortPrompt } from './first-token.ts';
import type { Measurement } from './measurement.ts';
import { measureThroughput } from './throughput.ts';

const path = '/v1/chat/completions';

/** Throughput of 1 and 16 streams and the time to the first token, with the same requests to both servers. */
export const measureOpenAi: Measurement = async (bench) => {
  const hearth = { ...bench.hearth, chat: { ...bench.hearth.chat, path } };
  const options = { ...bench.options, streams: bench.options.isQuick ? [1] : [1, 16] };
  const own = { ...bench, hearth, options };
  const rows = [...(await measureThroughput(own)), ...(await measureShortPrompt(own))];
  return rows.map((row) => ({ ...row, name: `${path}, ${row.name}` }));
};
