import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendEvents, sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** A question that the server never answers: a real model might finish before it is interrupted. */
const endlessQuestion = 'Write without end';
const stats = {
  input_tokens: 1,
  total_output_tokens: 1,
  reasoning_output_tokens: 0,
  tokens_per_second: 1,
  time_to_first_token_seconds: 1,
};

let home: string;
let server: Awaited<ReturnType<typeof startLoopbackServer>>;
let abandoned: Promise<unknown>[];
beforeEach(async () => {
  home = await temporaryFolder();
  abandoned = [];
  let count = 0;
  server = await startLoopbackServer(({ path, body }, response) => {
    if (path.startsWith('/api/v1/models')) {
      sendJson(response, { models: [] });
    } else if (body.includes(endlessQuestion)) {
      abandoned.push(once(response, 'close'));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"message.delta","content":"On"}\n\n');
    } else {
      count += 1;
      const content = `Answer ${count}.`;
      const output = [{ type: 'message', content }];
      const result = { model_instance_id: 'a', output, stats, response_id: responseId(count) };
      sendEvents(response, [
        { type: 'message.delta', content },
        { type: 'message.end' },
        { type: 'chat.end', result },
      ]);
    }
  });
});
afterEach(() => server.close());

const responseId = (count: number): string => `resp_${String(count).padStart(48, '0')}`;

describe('an answer that is interrupted', () => {
  // covers cli-19
  it('ends hearth chat -p with 130, and its request', async () => {
    const outcome = await runHearth(['chat', 'a', '-p', endlessQuestion, '--host', server.url], {
      home,
      onStdout: (_, child) => child.kill('SIGINT'),
    });
    expect(outcome).toEqual({ exitCode: 130, stdout: 'On\n', stderr: '' });
    expect(await Promise.all(abandoned)).toHaveLength(1);
  });

  it('leaves no trace in a conversation, which continues from the response before it', async () => {
    const terminal = openTerminalSession(['chat', 'a', '--host', server.url], home);
    try {
      await terminal.expect(/Chatting with a\.[\s\S]*> /);
      terminal.type('Begin\r');
      await terminal.expect(/Answer 1\.\n> /);
      terminal.type(`${endlessQuestion}\r`);
      await terminal.expect(/\nOn/);
      terminal.type('\u0003');
      await terminal.expect(/\n\(stopped\)\n> /);
      expect(await Promise.all(abandoned)).toHaveLength(1);
      terminal.type('Continue\r');
      await terminal.expect(/Answer 2\.\n> /);
      terminal.type('\u0004');
      expect(await terminal.exit()).toBe(0);
    } finally {
      terminal.close();
    }
    const turns = server.requests.filter(({ method }) => method === 'POST');
    expect(turns.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
      { input: 'Begin' },
      { input: endlessQuestion, previous_response_id: responseId(1) },
      { input: 'Continue', previous_response_id: responseId(1) },
    ]);
  });

  it('ends with Ctrl-D too, as the conversation does', async () => {
    const terminal = openTerminalSession(['chat', 'a', '--host', server.url], home);
    try {
      await terminal.expect(/> $/);
      terminal.type(`${endlessQuestion}\r`);
      await terminal.expect(/\nOn/);
      terminal.type('\u0004');
      expect(await terminal.exit()).toBe(0);
      expect(await Promise.all(abandoned)).toHaveLength(1);
    } finally {
      terminal.close();
    }
  });
});
