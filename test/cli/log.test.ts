import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { get, post } from '../setup/server/api.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const chat = ['chat', 'hearth/starter-chat', '-p', 'What is the capital of France?'];

// covers cli-8
it('is text on a terminal, without polls, and says what a shutdown does', async () => {
  const home = await temporaryFolder();
  const terminal = openTerminalSession(['serve', '--port', '0'], home, 140);
  try {
    await terminal.expect(/Documentation: /);
    await runHearth(['status'], { home });
    await runHearth(chat, { home });
    await runHearth(['ls'], { home });
    const seen = await terminal.expect(/\d\d:\d\d:\d\d GET \/api\/v1\/models 200 \d+ ms\n/);
    expect(seen).toMatch(
      /^\d\d:\d\d:\d\d chat hearth\/starter-chat 200 [\d.]+ m?s, \d+ → \d+ tokens, [\d,]+ tok\/s$/m,
    );
    expect(seen).not.toMatch(/health|api\/v1\/status|"level"/);
    terminal.type('\u0003');
    await terminal.expect(
      /Press Ctrl-C again to exit immediately\.[\s\S]*stopping\n[\s\S]*stopped\n/,
    );
    expect(await terminal.exit()).toBe(130);
  } finally {
    terminal.close();
  }
});

it('is JSON elsewhere', async () => {
  const server = await openHearth();
  await runHearth(chat, { home: server.home });
  const generated = () =>
    server
      .log()
      .split('\n')
      .find((line) => line.includes('"generated"'));
  await expect.poll(generated).toBeDefined();
  expect(JSON.parse(generated() ?? '')).toMatchObject({
    level: 'info',
    operation: 'chat',
    model: 'hearth/starter-chat',
    promptTokens: expect.any(Number) as number,
    completionTokens: expect.any(Number) as number,
    requestId: expect.any(String) as string,
  });
});

// covers server-29
it('says why a prompt was read again', async () => {
  const server = await openHearth();
  const story = 'The harbour lies in the west, and a lighthouse stands above it. '.repeat(40);
  for (const time of ['10:30', '10:31', '10:32', '10:33']) {
    const chatted = await post(server.url, '/api/v1/chat', {
      model: 'hearth/starter-chat',
      system_prompt: `It is ${time}. ${story}`,
      input: 'Hello!',
    });
    expect(chatted.status).toBe(200);
  }
  const owner = (await readFile(join(server.home, 'owner-token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${owner}` };
  const { body } = await get(server.url, '/api/v1/requests?limit=1', { headers });
  expect(body.requests[0].reread).toMatchObject({
    cause: 'system_prompt_changed',
    message: expect.stringMatching(
      /it has a time there, so about [\d,]+ tokens after it/,
    ) as unknown,
  });
  const { prompt_tokens: promptTokens, reread } = body.requests[0];
  expect(reread.tokens).toBeGreaterThan(0.8 * promptTokens);
  expect(reread.tokens).toBeLessThanOrEqual(promptTokens);
  const { stdout } = await runHearth(['log'], { home: server.home });
  expect(stdout).toMatch(/warning: A client changes the beginning of its prompts each time/);
});
