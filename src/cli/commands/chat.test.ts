import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  sendEvents,
  sendJson,
  startLoopbackServer,
  type StreamedEvent,
} from '../../../test/setup/net/loopback-server.ts';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';

const result = {
  model_instance_id: 'a/b',
  output: [{ type: 'message', content: 'Hello.' }],
  stats: {
    input_tokens: 7,
    total_output_tokens: 2,
    reasoning_output_tokens: 0,
    tokens_per_second: 1234.5,
    time_to_first_token_seconds: 0.012,
  },
  response_id: `resp_${'0'.repeat(48)}`,
};
const answer = [
  { type: 'chat.start', model_instance_id: 'a/b' },
  { type: 'reasoning.start' },
  { type: 'reasoning.delta', content: 'Thinking' },
  { type: 'reasoning.end' },
  { type: 'message.start' },
  { type: 'message.delta', content: 'Hel' },
  { type: 'message.delta', content: 'lo.' },
  { type: 'message.end' },
];

const fileText = { name: 'x', type: 'x', text: 'A ```` b', sections: [], truncated: false };

let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function chatWith(
  events: readonly StreamedEvent[],
  commandLine: readonly string[],
  stdin = '',
) {
  server = await startLoopbackServer(({ path, body }, response) => {
    if (path === '/api/v1/models') sendJson(response, { models: [] });
    else if (path.startsWith('/api/v1/documents/text')) sendJson(response, fileText);
    else if (body.includes('"stream":true')) sendEvents(response, events);
    else sendJson(response, result);
  });
  return runCommand(['chat', ...commandLine, '--host', server.url], { stdin });
}

const sentBody = (): unknown => JSON.parse(server?.requests.at(-1)?.body ?? '');

describe('hearth chat -p', () => {
  it('prints only the text of the answer', async () => {
    const outcome = await chatWith([...answer, { type: 'chat.end', result }], ['a/b', '-p', 'Hi']);
    expect(outcome).toEqual({ exitCode: 0, stdout: 'Hello.\n', stderr: '' });
    expect(sentBody()).toEqual({
      model: 'a/b',
      input: 'Hi',
      max_output_tokens: 4096,
      store: true,
      stream: true,
    });
  });

  it('appends piped input, or sends it alone', async () => {
    const events = [...answer, { type: 'chat.end', result }];
    await chatWith(events, ['a/b', '-p', 'Summarize:'], 'a text\n');
    expect(sentBody()).toMatchObject({ input: 'Summarize:\n\na text' });
    await server?.close();
    await chatWith(events, ['a/b'], 'Hello!\n');
    expect(sentBody()).toMatchObject({ input: 'Hello!' });
    await server?.close();
    await chatWith(events, ['a/b', '-p', '-'], 'Hello?\n');
    expect(sentBody()).toMatchObject({ input: 'Hello?' });
  });

  it('maps options to the request', async () => {
    await chatWith(
      [...answer, { type: 'chat.end', result }],
      [
        '--system',
        'Be brief.',
        ...'-p Hi --temperature 0 --max-tokens 9 --reasoning off --no-store'.split(' '),
      ],
    );
    expect(sentBody()).toEqual({
      model: 'hearth/starter-chat',
      input: 'Hi',
      system_prompt: 'Be brief.',
      temperature: 0,
      max_output_tokens: 9,
      reasoning: 'off',
      store: false,
      stream: true,
    });
  });

  it('prints the result as JSON and the statistics to stderr', async () => {
    const { exitCode, stdout, stderr } = await chatWith(
      [],
      ['a/b', '-p', 'Hi', '--json', '--stats'],
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual(result);
    expect(stderr).toBe(
      '7 input tokens, 2 output tokens at 1,235 tokens/s, first token after 12 ms\n',
    );
  });

  it.each([
    [12, 'The model returned no answer, only 12 tokens of reasoning. Try --reasoning off.'],
    [0, 'The model returned an empty answer.'],
  ])('fails if the model wrote no message, after %i tokens of reasoning', async (n, message) => {
    const silent = {
      ...result,
      output: n === 0 ? [] : [{ type: 'reasoning', content: 'Thinking' }],
      stats: { ...result.stats, reasoning_output_tokens: n },
    };
    const events = [...answer.slice(0, 4), { type: 'chat.end', result: silent }];
    const outcome = await chatWith(events, ['a/b', '-p', 'Hi']);
    expect(outcome).toEqual({ exitCode: 1, stdout: '', stderr: `error: ${message}\n` });
  });

  it('prints the partial answer and fails if the stream contains an error', async () => {
    const error = { type: 'engine_crashed', code: 'crashed', message: 'The engine stopped.' };
    const events = [...answer.slice(0, 6), { type: 'error', error }, { type: 'chat.end', result }];
    const outcome = await chatWith(events, ['a/b', '-p', 'Hi']);
    expect(outcome).toEqual({
      exitCode: 1,
      stdout: 'Hel\n',
      stderr: 'error: The engine stopped.\n',
    });
  });

  it('fails if the stream ends too early', async () => {
    const { exitCode, stderr } = await chatWith(answer, ['a/b', '-p', 'Hi']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: The stream ended before the answer was complete.\n',
    });
  });

  it('sends the text of a file before the message, also for an answer in a format', async () => {
    const file = join(await temporaryFolder(), 'a  b.docx');
    await writeFile(file, 'PK');
    const content = 'File a b.docx:\n\n`````docx\nA ```` b\n`````';
    const ask = ['a/b', '-p', 'What?', '--file', file];
    await chatWith([...answer, { type: 'chat.end', result }], ask);
    const [sent] = server?.requests.filter(({ path }) => path.includes('documents')) ?? [];
    expect([sent?.path, sent?.body]).toEqual(['/api/v1/documents/text?name=a+b.docx', 'PK']);
    expect(sentBody()).toMatchObject({
      input: [
        { type: 'text', content },
        { type: 'text', content: 'What?' },
      ],
    });
    await server?.close();
    await chatWith([], [...ask, '--format', 'json']);
    expect(sentBody()).toMatchObject({
      messages: [
        {
          content: [
            { type: 'text', text: content },
            { type: 'text', text: 'What?' },
          ],
        },
      ],
    });
  });

  it('sends images before the text', async () => {
    const folder = await temporaryFolder();
    const picture = join(folder, 'a.gif');
    await writeFile(picture, 'GIF89a..........');
    await chatWith(
      [...answer, { type: 'chat.end', result }],
      ['a/b', '-p', 'What?', '--image', picture],
    );
    expect(sentBody()).toMatchObject({
      input: [
        { type: 'image', data_url: 'data:image/gif;base64,R0lGODlhLi4uLi4uLi4uLg==' },
        { type: 'text', content: 'What?' },
      ],
    });
    await server?.close();
    const text = join(folder, 'a.txt');
    await writeFile(text, 'no picture');
    const { exitCode, stderr } = await chatWith([], ['a/b', '-p', 'What?', '--image', text]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/a\.txt is not a PNG, JPEG, GIF or WebP image/);
  });
});
