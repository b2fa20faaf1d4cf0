import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { catalogEntries } from '../../src/library/hub/catalog-entries.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { openTerminalSession } from '../setup/cli/terminal-session.ts';
import {
  matchesOutput,
  readTranscript,
  type TranscriptStep,
} from '../setup/docs/page-transcript.ts';
import { linkRuntimes } from '../setup/engine/link-runtimes.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { putOllamaTag } from '../setup/models/ollama-store.ts';
import { placeRankModel, rankModel } from '../setup/models/rank-model.ts';
import { freePort } from '../setup/net/ports.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { hearthEntryPoint, hearthEnvironment } from '../setup/server/hearth-process.ts';
import { openHearth } from '../setup/server/use-hearth.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** Pages whose `console` blocks a new user can run from top to bottom in a shell. */
const pages = [
  'README.md',
  'docs/agents.md',
  'docs/apis.md',
  'docs/chat-command.md',
  'docs/choose-a-model.md',
  'docs/coming-from.md',
  'docs/rag.md',
  'docs/troubleshooting.md',
  'docs/upgrade.md',
];

const separator = '\u001E';

it.each(pages)(
  '%s shows what its commands print',
  async (name) => {
    const page = await readFile(join(projectFolder, name), 'utf8');
    const { steps, files } = readTranscript(page);
    expect(steps.length).toBeGreaterThan(0);
    const user = await makeUser();
    // The README starts the server with npm.
    if (name === 'README.md') await runHearth(['server', 'start'], user);
    if (name === 'docs/rag.md') await placeReranker(user.home);
    if (name === 'docs/coming-from.md') await placeOtherModels(user.folder);
    for (const [file, text] of files) await writeFile(join(user.folder, file), user.withPort(text));

    const outputs = await user.run(steps.map(({ command }) => command));
    const wrong = steps.filter(({ output }, index) => !matchesOutput(output, outputs[index] ?? ''));
    const printed = wrong.map((step) => transcript(step, outputs[steps.indexOf(step)] ?? ''));
    expect(printed).toEqual(wrong.map((step) => transcript(step, step.output)));
  },
  120_000,
);

it('docs/choose-a-model.md names models of the catalog with their sizes', async () => {
  const page = await readFile(join(projectFolder, 'docs/choose-a-model.md'), 'utf8');
  const named = [
    ...page.matchAll(/`([a-z][a-z0-9.-]*-[\w.-]*\d+\.?\d*[bm](?:-[\w.]+)*)`(?: \(([\d.]+) GB\))?/g),
  ];
  expect(named.length).toBeGreaterThan(20);
  for (const [, id, size] of named) {
    const entry = catalogEntries.find((each) => each.id === id);
    expect(entry, id).toBeDefined();
    const gigabytes = ((entry?.approximateBytes ?? 0) / 1e9).toFixed(1);
    expect(size ?? gigabytes).toBe(gigabytes);
  }
});

it('docs/chat-command.md shows a conversation and all slash commands', async () => {
  const page = await readFile(join(projectFolder, 'docs/chat-command.md'), 'utf8');
  const blocks = [...page.matchAll(/^```text\n([^]*?)^```$/gm)].map(([, text = '']) => text);
  const lines = blocks.flatMap((text) => text.split(/^> /m).slice(1));
  expect(lines.length).toBeGreaterThan(5);
  const { home } = await openHearth();
  const session = openTerminalSession(['chat', 'starter-chat', '--reasoning', 'off'], home);
  onTestFinished(() => session.close());
  await session.expect(/> $/);
  for (const line of lines) {
    const [typed = '', ...output] = line.trimEnd().split('\n');
    session.type(`${typed}\r`);
    const printed = (await session.expect(/\n> $/)).replace(/^.*\n/, '').replace(/\n> $/, '');
    expect({ printed, isShown: matchesOutput(output.join('\n'), printed) }).toMatchObject({
      isShown: true,
    });
  }
});

function transcript({ command }: TranscriptStep, output: string): string {
  return `$ ${command}\n${output.trimEnd()}`;
}

/** Replaces a model of the catalog that is too large for a test. */
async function placeReranker(home: string): Promise<void> {
  await placeRankModel(home);
  const config = { models: { aliases: { 'bge-reranker-v2-m3': rankModel } } };
  await writeFile(join(home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
}

/** Creates models that the user has in Ollama, or has downloaded manually. */
async function placeOtherModels(folder: string): Promise<void> {
  const model = await readFile(starterPath('chat'));
  await putOllamaTag(join(folder, '.ollama/models'), 'library/tinychat:latest', { model });
  await mkdir(join(folder, 'Downloads'));
  await writeFile(join(folder, 'Downloads/my-model.Q8_0.gguf'), model);
}

/** A user's home folder, with `hearth` on the path, and another port instead of 1234. */
async function makeUser() {
  const folder = await temporaryFolder();
  const home = join(folder, '.hearth');
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await mkdir(home, { mode: 0o700 });
  linkRuntimes(home);
  const program = join(bin, 'hearth');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${hearthEntryPoint}' "$@"\n`);
  await chmod(program, 0o755);
  const port = String(await freePort());
  onTestFinished(async () => {
    await runHearth(['server', 'stop'], { home });
  });
  const withPort = (text: string) => text.replaceAll('127.0.0.1:1234', `127.0.0.1:${port}`);

  const environment = {
    HOME: folder,
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    HEARTH_SERVER_PORT: port,
  };

  async function run(commands: readonly string[]): Promise<readonly string[]> {
    const script = commands.map((command) => `${withPort(command)}\nprintf '${separator}'`);
    const child = spawn('sh', ['-c', `exec 2>&1\n${script.join('\n')}`], {
      cwd: folder,
      env: hearthEnvironment(environment),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    // Does not wait for the end of the output, since a background server may have inherited it.
    await once(child, 'exit');
    return text
      .replaceAll(folder, '~')
      .replaceAll(new RegExp(`\\b${port}\\b`, 'g'), '1234')
      .split(separator);
  }
  return { folder, home, environment, withPort, run };
}
