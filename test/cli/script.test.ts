import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CaseOptions } from '../fixtures/speech-script/speech-script-case.ts';
import { refusedTexts, speechScriptCases } from '../fixtures/speech-script-cases.ts';
import { runCommand } from '../setup/cli/run-command.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { projectFolder } from '../setup/project-folder.ts';
import { hearthEntryPoint } from '../setup/server/hearth-process.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';

const folder = useTemporaryFolder();

/** Converts options to flags; the text goes to the standard input. */
function toFlags({ mode, speakers, voices, emotions, clean, output }: CaseOptions) {
  return [
    ...(mode === undefined ? [] : ['--mode', mode]),
    ...(speakers === undefined ? [] : ['--speakers', String(speakers)]),
    ...(voices ?? []).flatMap((voice) => ['--voice', voice]),
    ...(emotions ?? []).flatMap((emotion) => ['--emotion', emotion]),
    ...(clean === false ? ['--no-clean'] : []),
    ...(output === undefined ? [] : ['--output', output]),
  ];
}

describe('hearth script, without a server', () => {
  // covers script-11
  it.each(speechScriptCases)('$name', async ({ options, result }) => {
    const run = (more: readonly string[]) =>
      runCommand(['script', ...toFlags(options), ...more], { stdin: options.text });
    const whole = await run(['--json']);
    expect(whole).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(whole.stdout)).toEqual(result);
    const shown = await run([]);
    const { script, warnings } = result;
    const stdout = typeof script === 'string' ? script : JSON.stringify(script, null, 2);
    const stderr = warnings.map((warning) => `warning: ${warning}\n`).join('');
    expect(shown).toEqual({ exitCode: 0, stdout: `${stdout}\n`, stderr });
  });

  // The command has its own message for an empty standard input.
  const refused = refusedTexts.filter(({ options }) => options.text !== '');
  it.each(refused)('refuses $name', async ({ options, message }) => {
    const input = options as CaseOptions;
    const outcome = await runCommand(['script', ...toFlags(input)], { stdin: input.text });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/^error: /);
    expect(outcome.stderr).toMatch(message);
  });

  // covers cli-19
  it.each([
    [['--mode', 'dual'], /Allowed: auto, single, multi/],
    [['--speakers', '5'], /from 1 to 4/],
    [['--emotion', 'calm,jolly'], /Allowed: neutral, happy, /],
    [['--output', 'xml'], /Allowed: plain, script, json/],
    [['--voice', 'a', '--voices', 'b'], /either --voice or --voices/],
  ])('%j is an invalid command line', async (flags, message) => {
    const { exitCode, stdout, stderr } = await runCommand(['script', ...flags], { stdin: 'Hi' });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

it('names the ways to pass a text if there is none', async () => {
  const { exitCode, stderr } = await runCommand(['script'], { stdin: '' });
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Name a text file, or pipe a text in.');
});

it.skipIf(process.platform !== 'linux')('fails if the disk of its output is full', async () => {
  const script = '"$0" "$1" script "$2" > /dev/full';
  const file = join(projectFolder, 'LICENSE');
  const run = promisify(execFile)('sh', ['-c', script, process.execPath, hearthEntryPoint, file]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^error: The output is incomplete\. No space left on the disk\. Free some space, /,
    ),
  });
});

describe('hearth script as a program', () => {
  const dialogue = 'Speaker 1: “Hi” (laughs) 😀\nSpeaker 2: Hello.\n';

  it('reads the standard input', async () => {
    const outcome = await runHearth(['script'], { home: folder.path, stdin: dialogue });
    const stdout = 'Speaker 1: Hi\nSpeaker 2: Hello.\n';
    expect(outcome).toEqual({ exitCode: 0, stdout, stderr: '' });
  });

  it('reads a file, and lists of voices and emotions', async () => {
    const file = join(folder.path, 'dialogue.txt');
    await writeFile(file, dialogue);
    const flags = ['--speakers', '2', '--voices', 'alice, carl', '--emotion', 'calm,happy'];
    const { exitCode, stdout } = await runHearth(['script', file, ...flags, '--json'], {
      home: folder.path,
    });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      speakers: [
        { speaker: 1, voice: 'alice', emotion: 'calm' },
        { speaker: 2, voice: 'carl', emotion: 'happy' },
      ],
    });
  });

  it('reads back what it wrote', async () => {
    const first = await runHearth(['script'], { home: folder.path, stdin: dialogue });
    const again = await runHearth(['script', '-', '--output', 'json'], {
      home: folder.path,
      stdin: first.stdout,
    });
    expect(JSON.parse(again.stdout)).toEqual([
      { speaker: 1, text: 'Hi' },
      { speaker: 2, text: 'Hello.' },
    ]);
  });

  it.each([
    [['script', 'no-such.txt'], /^error: .*no-such\.txt\..* pipe it in/m],
    [['script', '.'], /^error: /m],
  ])('%j fails with a message', async (commandLine, message) => {
    const { exitCode, stdout, stderr } = await runHearth(commandLine, { home: folder.path });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });
});
