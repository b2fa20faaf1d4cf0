import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
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
