import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageFolder } from '../src/platform/files/package-folder.ts';
import { useHearth } from './setup/server/use-hearth.ts';
import { withTokens } from './setup/server/with-tokens.ts';

const run = promisify(execFile);
const examples = join(packageFolder, 'examples');

/** How users start a file, by its extension. */
const programs: Readonly<Record<string, string>> = {
  sh: 'sh',
  mjs: process.execPath,
  py: 'python3',
};

/** Every example and what it prints with the starter models. */
const expected: Readonly<Record<string, RegExp>> = {
  'curl/chat.sh': /"content":"The capital of France is Paris\."/,
  'curl/stream.sh': /^event: chat\.start\n[^]*event: message\.delta\n[^]*\nevent: chat\.end\n/,
  'node/conversation.mjs': /\nYour name is Ada\.\n[^]*\nI don't know your favourite colour\.\n/,
  'node/stream.mjs': /^Once upon a time[^]*\n\n60 tokens, \d+ tokens\/s\n$/,
  'node/openai-client.mjs': /^I am Bramble\.\nsimilar: 0\.\d\d, different: -?0\.\d\d\n$/,
  'python/chat.py': /^Your name is Ada\.\n$/,
  'python/stream.py': /^3, 4, 5, 6, 7, 8, 9\.\n$/,
  'vision/describe-image.mjs': /^The colour is red\.\n$/,
  'tools/client-tool.mjs':
    /^get_weather\(\{"city": ?"Oslo"\}\) → .*\nThe temperature is 14\. The sky is cloudy\.\n$/,
  'tools/plugin.mjs': /^format\(\{"text":"Hello"\}\) → .*Speaker 1: Hello/,
  'structured-output/structured-output.mjs': /^Paris\n$/,
};

describe('the examples', () => {
  let token = '';
  const hearth = useHearth(async (home) => {
    ({ token } = await withTokens(home, (tokens) =>
      tokens.create({ name: 'examples', permissions: ['chat', 'embeddings', 'plugins'] }),
    ));
    return { flags: ['--mcp-allow-plugins'] };
  });

  it('are all listed here and in their README', async () => {
    const files = (await readdir(examples, { recursive: true })).filter(
      (file) =>
        Object.hasOwn(programs, file.slice(file.lastIndexOf('.') + 1)) &&
        // `test/engines/cluster.test.ts` runs it.
        !file.startsWith('cluster/'),
    );
    expect(files.toSorted()).toEqual(Object.keys(expected).toSorted());
    const page = await readFile(join(examples, 'README.md'), 'utf8');
    expect(files.filter((file) => !page.includes(`](${file})`))).toEqual([]);
  });

  it.each(Object.entries(expected))('%s prints its answer', async (file, output) => {
    const program = programs[file.slice(file.lastIndexOf('.') + 1)] ?? '';
    const { stdout } = await run(program, [join(examples, file)], {
      env: { ...process.env, HEARTH_URL: hearth.url, HEARTH_TOKEN: token },
    });
    expect(stdout).toMatch(output);
  });
});
