import { residentBytes } from '../../src/engines/launch/memory-watch.ts';
import { post } from '../client/post.ts';
import { repeatConcurrently } from '../client/repeat.ts';
import { toRow, type Row } from '../row.ts';
import type { Measurement } from './measurement.ts';

const megabyte = 1e6;
/** Number of requests after which an API has filled its caches. */
const firstRequests = 200;
const allRequests = 2000;
const clients = 4;
const maxTokens = 4;

const messages = [{ role: 'user', content: 'Hello!' }];
/** A short request of each API. */
const apis: readonly (readonly [path: string, body: object])[] = [
  ['/api/v0/chat/completions', { messages, max_tokens: maxTokens }],
  ['/api/v1/chat', { input: 'Hello!', max_output_tokens: maxTokens }],
  ['/v1/chat/completions', { messages, max_tokens: maxTokens }],
  ['/v1/responses', { input: 'Hello!', max_output_tokens: maxTokens }],
  ['/v1/messages', { messages, max_tokens: maxTokens }],
  ['/api/chat', { messages, stream: false, options: { num_predict: maxTokens } }],
];

/** Compares resident memory after 2,000 short requests of each API with memory after the first 200. */
export const measureShortRequests: Measurement = async ({ options, hearth, signal }) => {
  const { frontPid } = hearth.processes;
  const total = options.isQuick ? firstRequests : allRequests;
  const rows: Row[] = [];
  for (const [path, body] of apis) {
    const endpoint = { ...hearth.chat, path };
    const send = (count: number) =>
      repeatConcurrently(count, clients, () => post(endpoint, body, signal));
    const resident = async () => ((await residentBytes(frontPid)) ?? NaN) / megabyte;
    await send(firstRequests);
    const before = await resident();
    await send(total - firstRequests);
    const grown = (await resident()) - before;
    const name = `memory grown by ${total - firstRequests} requests, ${path}`;
    const target = { of: 'Hearth', atMost: 10 } as const;
    rows.push(toRow({ name, unit: 'MB', target }, [[grown]]));
  }
  return rows;
};
