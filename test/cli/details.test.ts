import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import { picture } from '../setup/models/picture.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const server = useHearth();
const hearth = (...commandLine: string[]) => runHearth(commandLine, { home: server.home });

describe('the details of models on the command line', () => {
  // covers cli-7
  it('has files, structure, template and memory', async () => {
    const { stdout } = await hearth('show', 'starter-chat');
    expect(stdout).toMatch(/^Model +hearth\/starter-chat$/m);
    expect(stdout).toMatch(/^starter-chat-q8_0\.gguf +weights +3\.\d MB$/m);
    expect(stdout).toMatch(/^ +4,096 +\d+(\.\d)? MB +\d+(\.\d)? MB +yes$/m);
    const template = await hearth('show', 'starter-chat', '--template');
    expect(template.stdout).toContain('messages');
    const wrong = await hearth('show', 'starter-chatt');
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toContain('Did you mean hearth/starter-chat?');
  });

  // covers cli-7
  it('embeds texts, and lines of the standard input', async () => {
    const { stdout } = await hearth('embed', '-m', 'starter-embed', 'The sea is calm.');
    const vector = JSON.parse(stdout) as number[];
    expect(vector.length).toBeGreaterThan(10);
    const piped = await runHearth(['embed', '--lines'], {
      home: server.home,
      stdin: 'The sea is calm.\n\nAnother line\n',
    });
    const lines = piped.stdout.trim().split('\n');
    expect(lines).toHaveLength(2);
    const again = JSON.parse(lines[0] ?? '') as number[];
    for (const [index, value] of vector.entries()) expect(again[index]).toBeCloseTo(value, 2);
    const none = await hearth('embed', '-m', 'starter-embed');
    expect(none).toMatchObject({
      exitCode: 2,
      stderr: 'error: The standard input has no text. Pass texts as arguments, or pipe them in.\n',
    });
  });

  // covers cli-7
  it('measures a model', async () => {
    const commandLine = ['bench', 'starter-chat', '--prompt-tokens', '32', '--output-tokens', '8'];
    const { stdout, exitCode } = await hearth(...commandLine, '--runs', '2', '--json');
    expect(exitCode).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ model: 'starter-chat', version: expect.any(String) });
    expect(result.runs).toHaveLength(2);
    expect(result.median.output_tokens_per_second).toBeGreaterThan(0);
    expect(result.resident_bytes).toBeGreaterThan(1e6);
  });

  it('answers as JSON, also by a schema', async () => {
    const schema = join(await temporaryFolder(), 'schema.json');
    const properties = { city: { enum: ['Paris', 'Rome'] } };
    await writeFile(
      schema,
      JSON.stringify({
        type: 'object',
        properties,
        required: ['city'],
        additionalProperties: false,
      }),
    );
    const { stdout, exitCode } = await hearth(
      'chat',
      'starter-chat',
      '-p',
      'What is the capital of France?',
      '--format',
      schema,
      '--max-tokens',
      '200',
    );
    expect(exitCode).toBe(0);
    expect(['Paris', 'Rome']).toContain(JSON.parse(stdout).city);
    const absent = await hearth('chat', 'starter-chat', '-p', 'Hi', '--format', 'absent.json');
    expect(absent).toMatchObject({ exitCode: 1 });
    expect(absent.stderr).toContain('File or folder not found');
  });

  it('loads with an id and with saved settings', async () => {
    const save = ['--context-length', '768', '--parallel', '1', '--save'];
    const first = await hearth('load', 'starter-vision', ...save, '--identifier', 'eyes', '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({
      instance_id: 'eyes',
      load_config: { context_length: 768, parallel: 1 },
    });
    const again = await hearth('load', 'starter-vision', '--another', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ load_config: { context_length: 768 } });
    const taken = await hearth('load', 'starter-vision', '--identifier', 'starter-chat');
    expect(taken.exitCode).toBe(1);
    expect(taken.stderr).toContain('"starter-chat" is the name of another model.');
    await hearth('unload', 'eyes');
  });

  // covers cli-15
  it('completes names of models without a server', async () => {
    const { stdout } = await runHearth(['completion', 'models'], { home: await temporaryFolder() });
    expect(stdout).toContain('hearth/starter-chat\n');
    const unknown = await hearth('completion', 'tcsh');
    expect(unknown).toMatchObject({ exitCode: 2 });
    expect(unknown.stderr).toContain('bash, zsh, fish');
  });
});

describe('hearth doctor', () => {
  // covers cli-15
  it('finds a healthy installation healthy', async () => {
    const { stdout, exitCode } = await hearth('doctor');
    expect(stdout).toMatch(/^ok Settings +All settings are valid\.$/m);
    expect(stdout).toMatch(/^ok Server +Running at http/m);
    expect(stdout).not.toMatch(/^x /m);
    expect(exitCode).toBe(0);
  });

  it('names the remedies of a broken one', async () => {
    const foreign = createServer((_, response) => response.end('another program'));
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    const { port } = foreign.address() as AddressInfo;
    const home = await temporaryFolder();
    await chmod(home, 0o777);
    await writeFile(
      join(home, 'hearth.db'),
      'not a database, and longer than its header'.repeat(50),
    );
    await mkdir(join(home, 'models/me/broken'), { recursive: true });
    await writeFile(join(home, 'models/me/broken/broken-q8_0.gguf'), 'no model');
    const result = await runHearth(['doctor', '--json'], {
      home,
      environment: { HEARTH_SERVER_PORT: String(port), HEARTH_SERVER_PROT: '1' },
    });
    foreign.close();
    expect(result.exitCode).toBe(1);
    const { checks } = JSON.parse(result.stdout) as {
      checks: { name: string; findings: { level: string; message: string; remedy?: string }[] }[];
    };
    const bad = checks.flatMap(({ name, findings }) =>
      findings.filter(({ level }) => level !== 'ok').map((finding) => ({ name, ...finding })),
    );
    for (const { remedy } of bad) expect(remedy).toBeTruthy();
    const found = {
      get: (name: string) =>
        bad.flatMap((each) => (each.name === name ? [each.message] : [])).join('\n'),
    };
    expect(found.get('Settings')).toContain('HEARTH_SERVER_PROT');
    expect(found.get('Home folder')).toContain('Other users may write');
    expect(found.get('Database')).toContain('damaged');
    expect(found.get('Models')).toContain('broken-q8_0.gguf');
    expect(found.get('Server')).toContain('used by another program');
  });

  it('names a fault of config.json', async () => {
    const home = await temporaryFolder();
    await writeFile(join(home, 'config.json'), '{"server": {"port": "many"}}');
    const { stdout, exitCode } = await runHearth(['doctor'], { home });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^x {2}Settings +server\.port in config\.json/m);
  });
});

describe('hearth update', () => {
  // covers cli-15
  it('is honest without a network', async () => {
    const { exitCode, stdout, stderr } = await runHearth(
      ['update', '--feed', 'http://127.0.0.1:9/feed.json'],
      { home: await temporaryFolder() },
    );
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/The latest version is not known: 127\.0\.0\.1:9: .*Check the network/);
  });
});

describe('the commands of a chat', () => {
  it('change and save settings, attach images and list stored answers', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'my picture.png');
    await writeFile(path, Buffer.from((await picture('red')).split(',')[1] ?? '', 'base64'));
    const session = openTerminalSession(['chat', 'hearth/starter-chat'], server.home);
    try {
      await session.expect(/Type \/help for commands\.\n> /);
      session.type('/set temperature 9\r');
      await session.expect(/temperature: .*\n> /);
      session.type('/set temperature 0\r');
      await session.expect(/temperature 0\n> /);
      session.type('/set reasoning off\r');
      await session.expect(/reasoning off\n> /);
      session.type('/save\r');
      await session.expect(/Saved for hearth\/starter-chat\.\n> /);
      session.type('My name is Ada.\r');
      await session.expect(/Ada\.\n[\s\S]+\n> /);
      session.type('/load\r');
      await session.expect(/ 1 {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}My name is Ada\.\n/);
      session.type('/new\r');
      await session.expect(/Started a new conversation\.\n> /);
      session.type('/load 1\r');
      await session.expect(/The conversation continues from there\.\n> /);
      session.type('What is my name?\r');
      await session.expect(/Your name is Ada\.\n> /);
      session.type('/tools files on\r');
      await session.expect(/Tools of mcp\/files are used\.\n> /);
      session.type('/tools files off\r');
      await session.expect(/not used\.\n> /);
      session.type('/model starter-chatt\r');
      await session.expect(/Did you mean hearth\/starter-chat\?\n> /);
      session.type('/model hearth/starter-vision\r');
      await session.expect(/Now chatting with hearth\/starter-vision\.\n> /);
      session.type('/image absent.png\r');
      await session.expect(/File or folder not found: absent\.png\. Check the path\.\n> /);
      session.type(`"${path}" Which colour is this?\r`);
      await session.expect(/colour is this\?\n[\s\S]*\w[\s\S]*\n> /);
      session.type('/exit\r');
      expect(await session.exit()).toBe(0);
    } finally {
      session.close();
    }
    const saved = await runHearth(['model', 'show', 'starter-chat'], { home: server.home });
    expect(saved.stdout).toBe('hearth/starter-chat\n  temperature 0\n  reasoning "off"\n');
    await runHearth(['model', 'reset', 'starter-chat'], { home: server.home });
  });

  it('lets the user choose a model, and starts the server', async () => {
    const session = openTerminalSession(['chat'], server.home);
    try {
      await session.expect(/fit into the memory[\s\S]*Download which one\?/);
      session.type('\r');
      await session.expect(/Chatting with hearth\/starter-chat/);
    } finally {
      session.close();
    }
    const home = await temporaryFolder();
    await writeFile(join(home, 'config.json'), '{"server": {"port": 0}}');
    const first = openTerminalSession(['chat', 'hearth/starter-chat'], home);
    try {
      await first.expect(/Hearth is not running\. Start it in the background\? \[y\/N\] /);
      first.type('y\r');
      await first.expect(/Chatting with hearth\/starter-chat/);
    } finally {
      first.close();
      await runHearth(['server', 'stop'], { home });
    }
    const refused = openTerminalSession(['chat', 'hearth/starter-chat'], home);
    try {
      await refused.expect(/\[y\/N\] /);
      refused.type('\r');
      await refused.expect(/error: Hearth is not running for the home folder/);
      expect(await refused.exit()).toBe(1);
    } finally {
      refused.close();
    }
  });
});

// covers cli-15
it('hearth version shows the commit and the day of the build', async () => {
  const home = await temporaryFolder();
  const { stdout } = await runHearth(['version'], { home });
  expect(stdout).toMatch(
    /^hearth \d+\.\d+\.\d+ \((?:commit \w+(?:-dirty)?, )?built \d{4}-\d\d-\d\d\)\n$/,
  );
  const json = await runHearth(['version', '--json'], { home });
  const { commit, built_at: builtAt } = JSON.parse(json.stdout) as Record<string, string | null>;
  expect(commit).toSatisfy((value: unknown) => value === null || typeof value === 'string');
  expect(builtAt).toMatch(/^\d{4}-\d\d-\d\dT/);
});
