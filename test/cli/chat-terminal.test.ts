import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTerminalSession, type TerminalSession } from '../setup/cli/terminal-session.ts';
import { sendEvents, sendJson, startLoopbackServer } from '../setup/net/loopback-server.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Replaces the model: these tests control when it thinks, waits and answers. */
const answerText = 'The quick brown fox jumps over the lazy dog, and the dog does not mind at all.';
const responseId = `resp_${'0'.repeat(48)}`;
const stats = {
  input_tokens: 1,
  total_output_tokens: 1,
  reasoning_output_tokens: 1,
  tokens_per_second: 1,
  time_to_first_token_seconds: 1,
};

let server: Awaited<ReturnType<typeof startLoopbackServer>>;
let session: TerminalSession | undefined;
/** Models of the library. */
let models: readonly object[] = [];
/** Lets the answer to "Wait" continue. */
let goOn: () => void;
beforeEach(async () => {
  models = [];
  server = await startLoopbackServer(({ path, body }, response) => {
    if (path.startsWith('/api/v1/models')) {
      sendJson(response, { models });
      return;
    }
    const end = (content: string): void => {
      const output = [{ type: 'message', content }];
      const result = { model_instance_id: 'a', output, stats, response_id: responseId };
      for (const event of [
        { type: 'message.delta', content },
        { type: 'message.end' },
        { type: 'chat.end', result },
      ]) {
        response.write(`data: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
    };
    if (body.includes('"Wait"')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"message.delta","content":"Working. "}\n\n');
      goOn = () => end('Done.');
    } else if (body.includes('Think')) {
      const output = [{ type: 'message', content: 'Yes.' }];
      const result = { model_instance_id: 'a', output, stats, response_id: responseId };
      sendEvents(response, [
        { type: 'reasoning.start' },
        { type: 'reasoning.delta', content: 'Is it so? ' },
        { type: 'reasoning.delta', content: 'It is.' },
        { type: 'reasoning.end' },
        { type: 'message.delta', content: 'Yes.' },
        { type: 'message.end' },
        { type: 'chat.end', result },
      ]);
    } else {
      end(answerText);
    }
  });
});
afterEach(async () => {
  session?.close();
  session = undefined;
  await server.close();
});

async function open(columns = 80, ...options: string[]): Promise<TerminalSession> {
  const home = await temporaryFolder();
  session = openTerminalSession(['chat', 'a', '--host', server.url, ...options], home, columns);
  await session.expect(/Chatting with a\.[\s\S]*> /);
  return session;
}
const sentMessages = (): unknown[] =>
  server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => (JSON.parse(body) as { input: unknown }).input);

it('begins with a model of the list', async () => {
  models = ['me/one', 'me/two'].map((key) => ({
    type: 'llm',
    publisher: 'me',
    key,
    display_name: key,
    quantization: null,
    size_bytes: 1,
    params_string: null,
    loaded_instances: [],
    max_context_length: 1,
    format: 'gguf',
  }));
  session = openTerminalSession(['chat', '--host', server.url], await temporaryFolder(), 80);
  await session.expect(/Chat with which model\?/);
  session.type('2\r');
  await session.expect(/Chatting with me\/two\.[\s\S]*> /);
  session.type('Hello\r');
  await session.expect(/all\.\n> /);
  expect(sentMessages()).toEqual(['Hello']);
});

describe('a message of several lines', () => {
  it('can be pasted', async () => {
    const terminal = await open();
    terminal.type('Compare:\u001b[200~one\rtwo\r\nthree\n\u001b[201~ please\r');
    await terminal.expect(/Compare:\[Pasted text #1, 3 lines\] please[\s\S]*all\.\n> /);
    expect(sentMessages()).toEqual(['Compare:one\ntwo\nthree please']);
  });

  it('can be pasted in pieces, as a slow terminal sends it', async () => {
    const terminal = await open();
    for (const piece of ['\u001b[2', '00~a\rb', '\rc\u001b[20', '1~', '\r']) terminal.type(piece);
    await terminal.expect(/all\.\n> /);
    expect(sentMessages()).toEqual(['a\nb\nc']);
  });

  it('shows a short paste of one line unchanged', async () => {
    const terminal = await open();
    terminal.type('\u001b[200~Hello\tthere\u001b[31m\n\u001b[201~\r');
    await terminal.expect(/^Hello\tthere[\s\S]*all\.\n> /);
    expect(sentMessages()).toEqual(['Hello\tthere[31m']);
  });

  it('can be typed between """', async () => {
    const terminal = await open();
    terminal.type('"""First\r');
    await terminal.expect(/\.\.\. $/);
    terminal.type('  second """ not the end\rlast"""\r');
    await terminal.expect(/all\.\n> /);
    terminal.type('"""one line"""\r');
    await terminal.expect(/all\.\n> /);
    expect(sentMessages()).toEqual(['First\n  second """ not the end\nlast', 'one line']);
  });
});

describe('what is typed while the model answers', () => {
  it('is not echoed, and goes to the next prompt', async () => {
    const terminal = await open();
    terminal.type('Wait\rsecret ahead');
    await terminal.expect(/Working\. /);
    terminal.type(' and more');
    goOn();
    const seen = await terminal.expect(/> secret ahead and more/);
    expect(seen).toMatch(/^Done\.\n> secret ahead and more/);
    terminal.type('\r');
    await terminal.expect(/all\.\n> /);
    expect(sentMessages()).toEqual(['Wait', 'secret ahead and more']);
  });

  it('stops the answer with Ctrl-C', async () => {
    const terminal = await open();
    terminal.type('Wait\r');
    await terminal.expect(/Working\. /);
    terminal.type('\u0003');
    expect(await terminal.expect(/\(stopped\)\n> /)).not.toContain('Done');
  });
});

describe('reasoning', () => {
  it('is marked without color', async () => {
    const terminal = await open();
    terminal.type('Think\r');
    expect(await terminal.expect(/Yes\.\n> /)).toContain(
      'Thinking...\nIs it so? It is.\n...done thinking.\n\nYes.\n> ',
    );
  });

  it('can be hidden by an option or during the conversation', async () => {
    const terminal = await open(80, '--hide-thinking');
    terminal.type('Think\r');
    expect(await terminal.expect(/Thought for [^\n]+\n\nYes\.\n> /)).not.toContain('Is it so');
    terminal.type('/think on\r');
    await terminal.expect(/Reasoning is shown\.\n> /);
    terminal.type('Think\r');
    await terminal.expect(/Is it so\? It is\.\n\.\.\.done thinking\./);
    await terminal.expect(/> $/);
    terminal.type('/think off\r');
    await terminal.expect(/Reasoning is hidden\.\n> /);
    terminal.type('Think\r');
    expect(await terminal.expect(/Yes\.\n> /)).not.toContain('Is it so');
  });
});

it.each([
  [40, 'The quick brown fox jumps over the lazy\ndog, and the dog does not mind at all.\n'],
  [140, `${answerText}\n`],
])('wraps words in %d columns', async (columns, shown) => {
  const terminal = await open(columns);
  terminal.type('Hello\r');
  const seen = await terminal.expect(/all\.\n> /);
  expect(seen.slice(seen.indexOf('The'))).toContain(shown);
});
