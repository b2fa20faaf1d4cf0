import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import type { ScriptedGeneration } from '../setup/engine/scripted-llama-server.ts';
import { addHarbour } from '../setup/mcp/harbour.ts';
import { officialServer } from '../setup/mcp/official-server.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const folder = useTemporaryFolder();
let token = '';
const hearth = useHearth(async (home) => {
  const place = await addHarbour(home, {
    files: { command: process.execPath, args: [officialServer('server-filesystem'), folder.path] },
  });
  token = (await place.bearer('chat', 'plugins', 'models:read')).authorization.slice(
    'Bearer '.length,
  );
  const engine = `--engine-llama-server=${await writeScriptedEngine(home)}`;
  return { flags: ['--mcp-allow-plugins', engine] };
});
afterEach(async () => {
  for (const name of await readdir(folder.path)) await rm(join(folder.path, name));
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await get(hearth.url, '/api/v1/tool-approvals', { headers });
  for (const { label, tool } of body.approvals) {
    await get(hearth.url, `/api/v1/tool-approvals/${label}/${tool}`, { method: 'DELETE', headers });
  }
});

const call = (name: string) =>
  ['write_file', JSON.stringify({ path: join(folder.path, name), content: 'Eggs' })] as const;
const scripted = (...names: readonly string[]): string => {
  const script: ScriptedGeneration[] = [{ calls: names.map(call) }, { text: 'Done.' }];
  return JSON.stringify(script);
};
const content = (name: string) => readFile(join(folder.path, name), 'utf8').catch(() => 'none');
const options = () => [
  'hearth/starter-chat',
  '--host',
  hearth.url,
  '--token',
  token,
  '--mcp',
  'files',
];

// covers cli-26
it('refuses calls of a script that change something, unless a flag allows them', async () => {
  const run = (...more: readonly string[]) =>
    runHearth(['chat', ...options(), ...more], { home: hearth.home });
  const refused = await run('-p', scripted('a'));
  expect(refused).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
  expect(refused.stderr).toContain(
    'Refused write_file of mcp/files, which may change something. Add --allow-tools',
  );
  expect(await content('a')).toBe('none');
  const asJson = await run('-p', scripted('a'), '--json');
  expect(JSON.parse(asJson.stdout).output[0]).toMatchObject({ type: 'invalid_tool_call' });
  expect(asJson.stderr).toContain('--allow-tools');
  const allowed = await run('-p', scripted('a'), '--allow-tools');
  expect(allowed).toMatchObject({ exitCode: 0, stdout: 'Done.\n' });
  expect(await content('a')).toBe('Eggs');
  const read = ['read_text_file', JSON.stringify({ path: join(folder.path, 'a') })];
  const unasked = await run('-p', JSON.stringify([{ calls: [read] }, { text: 'Read.' }]));
  expect(unasked.stderr).not.toContain('Refused');
});

// covers cli-26
it('asks at a terminal, and keeps the answers', async () => {
  const session = openTerminalSession(['chat', ...options()], hearth.home, 200);
  try {
    await session.expect(/Chatting with[\s\S]*> /);
    const send = (...names: readonly string[]) => session.type(`${scripted(...names)}\r`);
    send('b', 'c');
    // Keys typed before the question are ignored.
    session.type('y\r');
    await session.expect(
      /The model wants to call write_file of mcp\/files, which may destroy something:/,
    );
    await session.expect(/"content": "Eggs"/);
    await session.expect(/never\) /);
    expect(await content('b')).toBe('none');
    session.type('maybe\r');
    await session.expect(/never\) /);
    session.type('y\r');
    await session.expect(/"content": "Eggs"[\s\S]*never\) /);
    session.type('\r');
    await session.expect(/Done\.\n> /);
    expect([await content('b'), await content('c')]).toEqual(['Eggs', 'none']);
    // There are two rounds. The first answer also decides the second.
    session.type('/new\r');
    await session.expect(/new conversation[\s\S]*> /);
    session.type(
      `${JSON.stringify([{ calls: [call('d')] }, { calls: [call('e')] }, { text: 'Done.' }])}\r`,
    );
    await session.expect(/never\) /);
    session.type('c\r');
    await session.expect(/Done\.\n> /);
    expect([await content('d'), await content('e')]).toEqual(['Eggs', 'Eggs']);
    session.type('/new\r');
    await session.expect(/new conversation[\s\S]*> /);
    send('f');
    await session.expect(/never\) /);
    session.type('\u0003');
    await session.expect(/\(stopped\)\n> /);
    session.type('/new\r');
    await session.expect(/new conversation[\s\S]*> /);
    send('f');
    await session.expect(/never\) /);
    session.type('never\r');
    await session.expect(/Done\.\n> /);
    session.type('/new\r');
    await session.expect(/new conversation[\s\S]*> /);
    send('g');
    await session.expect(/Done\.\n> /);
    expect([await content('f'), await content('g')]).toEqual(['none', 'none']);
  } finally {
    session.close();
  }
});
