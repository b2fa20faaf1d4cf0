import { execFile } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../setup/project-folder.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/**
 * Generates a client from `docs/openapi.json` with each generator, and chats with it. `scripts/install-clients.sh`
 * installs the generators into `.cache/clients`.
 */

const here = import.meta.dirname;
const folder = join(projectFolder, '.cache/clients');
const generated = join(folder, 'generated');
const document = join(projectFolder, 'docs/openapi.json');
const python = join(folder, 'python_modules');
const environment = {
  ...process.env,
  PYTHONPATH: [python, generated].join(delimiter),
  PATH: [join(folder, 'node_modules/.bin'), join(python, 'bin'), process.env['PATH']].join(
    delimiter,
  ),
};

const hearth = useHearth();
beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
  await cp(join(here, 'typescript'), join(folder, 'typescript'), { recursive: true });
});

async function run(program: string, commandLine: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, commandLine, {
    cwd: folder,
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
  const script = join(here, 'python/chat_openapi_python_client.py');
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
  const script = join(here, 'python/chat_openapi_generator.py');
  expect(JSON.parse(await run('python3', [script, hearth.url]))).toEqual(answer);
});
