import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { pythonEnvironment } from '../setup/real-engines/python-environment.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useResource } from '../setup/use-resource.ts';

/** The recognizer pocketsphinx, behind Hearth, listens to the synthesizer espeak-ng. */

const run = promisify(execFile);
const hasEspeak = spawnSync('espeak-ng', ['--version']).status === 0;
if (!hasEspeak) console.error('\n!! The recognizer is SKIPPED: espeak-ng is missing\n');

describe.runIf(hasEspeak)('a speech recognizer', () => {
  const recognizer = useResource(async () => {
    const folder = await pythonEnvironment('pocketsphinx', {
      requirements: ['pocketsphinx==5.1.1'],
    });
    const script = 'test/setup/real-engines/pocketsphinx-server.py';
    const child = spawn(join(folder, 'bin/python'), [script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    return {
      url: `http://127.0.0.1:${String(port).trim()}/v1`,
      close: async () => {
        const exited = once(child, 'exit');
        child.kill();
        await exited;
      },
    };
  });
  const hearth = useHearth(async (home) => {
    const upstreams = { ears: { url: recognizer.url } };
    await writeFile(join(home, 'config.json'), JSON.stringify({ upstreams }));
  });

  it.each([
    ['one two three four five', ['two', 'three', 'four', 'five']],
    ['go forward ten meters', ['go', 'forward']],
    ['the ship is in the harbor', ['harbor']],
  ])('finds the words of "%s"', async (spoken, words) => {
    const speech = ['--stdout', '-v', 'en-us', '-s', '140', spoken];
    const { stdout } = await run('espeak-ng', speech, { encoding: 'buffer' });
    const client = new OpenAI({ baseURL: `${hearth.url}/v1`, apiKey: 'none', maxRetries: 0 });
    const { text } = await client.audio.transcriptions.create({
      model: 'ears/pocketsphinx',
      file: await toFile(stdout, 'speech.wav'),
    });
    expect(text.split(' ')).toEqual(expect.arrayContaining(words));
  });
});
