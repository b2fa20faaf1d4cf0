import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { toCurl, toProgram } from './snippets.ts';

const place = { origin: 'http://127.0.0.1:1234', needsToken: false };
const hostile = {
  method: 'POST',
  path: '/api/v1/chat',
  body: { input: `it's $(id) \`id\` "quoted" \\ \n!` },
};

it('passes a hostile body through the shell unchanged', () => {
  const script = toCurl(hostile, place).replace(/^curl/, "printf '%s\\0'");
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
  expect(words.slice(0, -1)).toEqual([
    '-X',
    'POST',
    'http://127.0.0.1:1234/api/v1/chat',
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(hostile.body),
  ]);
});

it('names the variable of the token, never a token', () => {
  const curl = toCurl(
    { method: 'GET', path: '/v1/models', body: undefined },
    { ...place, needsToken: true },
  );
  expect(curl).toBe(
    `curl 'http://127.0.0.1:1234/v1/models' \\\n  -H "Authorization: Bearer $HEARTH_TOKEN"`,
  );
});

it('uses the SDK of the endpoint', () => {
  const body = { model: 'hearth/starter-chat', messages: [] };
  const openai = toProgram({ method: 'POST', path: '/v1/chat/completions', body }, place);
  expect(openai).toContain('client.chat.completions.create({\n  "model": "hearth/starter-chat"');
  expect(toProgram({ method: 'POST', path: '/v1/messages', body }, place)).toContain(
    'client.messages.create({',
  );
  expect(toProgram(hostile, place)).toContain(
    'fetch("http://127.0.0.1:1234/api/v1/chat", {\n  method: "POST"',
  );
});
