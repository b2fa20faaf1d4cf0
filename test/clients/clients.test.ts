import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Generates a client from `docs/openapi.json` with each generator, and chats with it. `scripts/install-clients.sh`
 * installs the generators.
 */

const here = import.meta.dirname;
const generated = join(here, 'generated');
const document = join(here, '../../docs/openapi.json');
const python = join(here, 'python_modules');
const environment = {
  ...process.env,
  PYTHONPATH: [python, generated].join(delimiter),
  PATH: [join(here, 'node_modules/.bin'), join(python, 'bin'), process.env['PATH']].join(delimiter),
};

const hearth = useHearth();
beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
});

async function run(program: string, commandLine: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, commandLine, {
    cwd: here,
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

const answer = {
  text: expect.stringMatching(/\w/),
  continues: true,
  completion: 'assistant',
  error: 'model_not_found',
};

it('openapi-typescript, under the strictest compiler options', async () => {
  await run('openapi-typescript', [document, '--output', 'generated/typescript/schema.ts']);
  await run('tsc', ['--project', 'typescript']);
  const script = 'generated/javascript/typescript/chat.js';
  expect(JSON.parse(await run(process.execPath, [script, hearth.url]))).toEqual(answer);
});

it('openapi-python-client', async () => {
  const output = join(generated, 'hearth_python_client');
  const options = ['--path', document, '--output-path', output, '--meta', 'none'];
  await run('openapi-python-client', ['generate', ...options, '--fail-on-warning']);
  const script = 'python/chat_openapi_python_client.py';
  expect(JSON.parse(await run('python3', [script, hearth.url]))).toEqual(answer);
});

it('openapi-generator', async () => {
  await run('openapi-generator-cli', [
    'generate',
    '--generator-name=python',
    `--input-spec=${document}`,
    `--output=${generated}`,
    '--package-name=hearth_generator_client',
  ]);
  const script = 'python/chat_openapi_generator.py';
  expect(JSON.parse(await run('python3', [script, hearth.url]))).toEqual(answer);
});
