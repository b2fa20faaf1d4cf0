import { expect, it } from 'vitest';
import { postRaw } from '../setup/server/api.ts';
import { eventLoopHeldMs, measuredEventLoop } from '../setup/server/event-loop.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth((home) => ({ environment: measuredEventLoop(home) }));

/**
 * Parsing such a body in the event loop would block it for over a second; copying its longest value from a thread takes
 * about 40 ms.
 */
const maxHeldMs = 100;
const attempts = 5;

/** The machine itself may suspend a process, but not in every attempt. */
async function heldMs(send: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least >= maxHeldMs; attempt += 1) {
    await eventLoopHeldMs(hearth.home);
    await send();
    least = Math.min(least, await eventLoopHeldMs(hearth.home));
  }
  return least;
}

const form = { 'content-type': 'multipart/form-data; boundary=x' };

it('is not held by a form of bare boundaries', async () => {
  const body = '--x\r\n'.repeat(200_000);
  const send = async () => {
    const response = await postRaw(hearth.url, '/v1/files', body, { headers: form });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('The form has more than 64 parts.');
  };
  expect(await heldMs(send)).toBeLessThan(maxHeldMs);
});

const mebibyte = 1024 * 1024;
const long = 48 * mebibyte;
const field = (value: string): string => `{"model":"none","input":"${value}"}`;

// covers error-21
it.each([
  ['a long text', 404, () => field('x'.repeat(long))],
  ['a long text of other characters than ASCII', 404, () => field('ü'.repeat(long / 2))],
  ['escapes', 404, () => field(String.raw`\n`.repeat(long / 2))],
  ['fewer escapes', 404, () => field(String.raw`\n`.repeat(mebibyte / 2 - 100))],
  ['escaped quotes', 404, () => field(String.raw`\"`.repeat(long / 2))],
  ['blanks', 400, () => `{"model":${' '.repeat(long)}0}`],
  ['numbers', 400, () => `{"model":"none","input":[${'0,'.repeat(240_000)}0]}`],
  ['fields', 400, () => `{${Array.from({ length: 39_000 }, (_, index) => `"${index}":0`).join()}}`],
])('is not held by a JSON body of %s', async (_, status, toBody) => {
  const body = toBody();
  const send = async () => {
    const response = await postRaw(hearth.url, '/api/v1/chat', body);
    expect(response.status, await response.text()).toBe(status);
  };
  expect(await heldMs(send)).toBeLessThan(maxHeldMs);
});

const list = (item: string, count: number) =>
  `[${Array.from({ length: count }, () => item).join()}]`;

it.each([
  ['/v1/embeddings', '"input" must be at most 2048 items long', `"input":${list('"a"', 100_000)}`],
  [
    '/v1/completions',
    '"prompt" must be at most 128 items long',
    `"prompt":${list('"a"', 100_000)}`,
  ],
  ['/v1/chat/completions', 'is required', `"messages":${list('{"role":"user"}', 35_000)}`],
  [
    '/v1/chat/completions',
    'content[0]',
    `"messages":${list('{"role":"user","content":[0]}', 19_000)}`,
  ],
  ['/v1/responses', 'is required', `"input":${list('{"role":"user","type":"message"}', 19_000)}`],
  ['/v1/messages', 'is required', `"messages":${list('{"role":"user"}', 35_000)},"max_tokens":1`],
  ['/api/chat', 'must be a string', `"messages":${list('{"role":"user","content":0}', 9000)}`],
])('is not held by %s with an issue in each item: %s', async (path, message, fields) => {
  const body = `{"model":"hearth/starter-chat",${fields}}`;
  const send = async () => {
    const response = await postRaw(hearth.url, path, body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message.replaceAll('"', String.raw`\"`));
  };
  expect(await heldMs(send)).toBeLessThan(maxHeldMs);
});

it('is not held by the first reading of the API reference', async () => {
  const read = async (path: string) => {
    expect((await fetch(hearth.url + path)).status).toBe(200);
    return path;
  };
  const reading = read('/openapi.json');
  let answers = 0;
  while ((await Promise.race([reading, read('/health')])) === '/health') answers += 1;
  expect(answers).toBeGreaterThan(5);
});
