import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession, type TerminalSession } from '../setup/cli/terminal-session.ts';
import { docxOf, paragraph } from '../setup/documents/office-file.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const server = useHearth();

const chat = (commandLine: readonly string[], stdin = '') =>
  runHearth(['chat', 'hearth/starter-chat', '--temperature', '0', ...commandLine], {
    home: server.home,
    stdin,
  });

/** Number of running requests on all instances, according to the server. */
async function countActive(): Promise<number> {
  const { stdout } = await runHearth(['ps', '--json'], { home: server.home });
  const { instances } = JSON.parse(stdout) as { instances: { active_requests: number }[] };
  return instances.reduce((sum, { active_requests: active }) => sum + active, 0);
}

describe('hearth chat -p', () => {
  // covers cli-6
  it('answers on the output', async () => {
    const outcome = await chat(['-p', 'What is the capital of France?']);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'The capital of France is Paris.\n' });
  });

  it('reads the message from standard input', async () => {
    const { stdout } = await chat([], 'What is the capital of France?\n');
    expect(stdout).toBe('The capital of France is Paris.\n');
  });

  it('attaches the text of a document', async () => {
    const folder = await temporaryFolder();
    const [document, old] = [join(folder, 'about me.docx'), join(folder, 'old.doc')];
    await writeFile(document, docxOf(paragraph('My name is Ada.')));
    const ask = ['-p', 'What is my name?', '--reasoning', 'off', '--file', document];
    expect((await chat(ask)).stdout).toContain('Ada');
    await writeFile(old, Buffer.from('d0cf11e0a1b11ae1', 'hex'));
    const { exitCode, stderr } = await chat(['-p', 'Hi', '--file', old]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('Save it as .docx')]);
    expect((await chat(['-p', 'Hi', '--file', folder])).stderr).toContain('is not a file');
  });

  it('prints the whole result as JSON', async () => {
    const { stdout } = await chat(['-p', 'Hello!', '--json', '--no-store', '--reasoning', 'on']);
    const result = JSON.parse(stdout) as { output: { type: string }[]; response_id?: string };
    expect(result.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    expect(result.response_id).toBeUndefined();
  });

  it('reports the value that the server rejected', async () => {
    const { exitCode, stdout, stderr } = await chat(['-p', 'Hi', '--reasoning', 'high']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*high/);
  });

  it('suggests the model that was probably meant', async () => {
    const commandLine = ['run', 'starter-chatt', 'Hello!'];
    const { exitCode, stderr } = await runHearth(commandLine, { home: server.home });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'error: Model "starter-chatt" not found. Did you mean hearth/starter-chat?\n',
    });
  });

  it('exits quietly when the reader of its output exits, and stops the generation', async () => {
    const outcome = await runHearth(['chat', 'hearth/starter-chat', '-p', 'Tell me a story'], {
      home: server.home,
      onStdout: (_, child) => child.stdout?.destroy(),
    });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    await expect.poll(countActive).toBe(0);
  });
});

describe('hearth chat in a terminal', () => {
  let session: TerminalSession | undefined;
  afterEach(() => session?.close());
  const open = (...options: string[]): TerminalSession => {
    session = openTerminalSession(
      ['chat', 'hearth/starter-chat', '--temperature', '0', '--reasoning', 'off', ...options],
      server.home,
    );
    return session;
  };

  // covers cli-6
  it('remembers, shows statistics, starts a new conversation and exits', async () => {
    const terminal = open();
    await terminal.expect(/Chatting with hearth\/starter-chat[\s\S]*> /);
    terminal.type('My name is Ada.\r');
    await terminal.expect(/Ada\.\n[\s\S]+\n> /);
    terminal.type('What is my name?\r');
    await terminal.expect(/Your name is Ada\.\n> /);
    terminal.type('/stats\r');
    await terminal.expect(/input tokens, .*tokens\/s/);
    terminal.type('/new\r');
    await terminal.expect(/Started a new conversation\./);
    terminal.type('What is my name?\r');
    expect(await terminal.expect(/What is my name\?\n.*\n> /)).not.toContain('Ada');
    terminal.type('/nonsense\r');
    await terminal.expect(/Unknown command \/nonsense/);
    terminal.type('/exit\r');
    expect(await terminal.exit()).toBe(0);
  });

  it('fails at the start for a model that does not exist or cannot chat', async () => {
    const wrong = openTerminalSession(['chat', 'hearth/starter-chta'], server.home);
    try {
      await wrong.expect(
        /error: Model "hearth\/starter-chta" not found\. Did you mean hearth\/starter-chat\?/,
      );
      expect(await wrong.exit()).toBe(1);
    } finally {
      wrong.close();
    }
    const embedder = openTerminalSession(['chat', 'hearth/starter-embed'], server.home);
    try {
      await embedder.expect(/error: hearth\/starter-embed is an embedding model/);
      expect(await embedder.exit()).toBe(1);
    } finally {
      embedder.close();
    }
  });

  it('exits on the second Ctrl-C at an empty prompt', async () => {
    const terminal = open();
    await terminal.expect(/> $/);
    terminal.type('half a mess\u0003');
    await terminal.expect(/half a mess[\s\S]*> /);
    terminal.type('\u0003');
    await terminal.expect(/Press Ctrl-C again to exit\.\n> /);
    terminal.type('\u0003');
    expect(await terminal.exit()).toBe(0);
  });

  it('shows an error and prompts again', async () => {
    const terminal = open('--reasoning', 'high');
    await terminal.expect(/> $/);
    terminal.type('Hello!\r');
    await terminal.expect(/high[\s\S]*\n> /);
    terminal.type('\u0004');
    expect(await terminal.exit()).toBe(0);
  });
});
