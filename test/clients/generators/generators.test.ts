import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../../setup/project-folder.ts';
import { useHearth } from '../../setup/server/use-hearth.ts';
import { clientsFolder, run } from '../run.ts';

/** Generates a client from `docs/openapi.json` with each generator, and chats with it. */

const generated = join(clientsFolder, '.generated');
const document = join(projectFolder, 'docs/openapi.json');
const python = (script: string, url: string) =>
  run('python3', [join(import.meta.dirname, 'python', script), url], { PYTHONPATH: generated });

const hearth = useHearth();
beforeAll(async () => {
  await rm(generated, { recursive: true, force: true });
  await mkdir(generated);
});

const answer = {
  text: expect.stringMatching(/\w/),
  continues: true,
  completion: 'assistant',
  error: 'model_not_found',
};

it('openapi-typescript, under the strictest compiler options', async () => {
  await run('openapi-typescript', [document, '--output', join(generated, 'schema.ts')]);
  await run('tsc', ['--project', join(import.meta.dirname, 'typescript')]);
  const script = join(generated, 'javascript/generators/typescript/chat.js');
  expect(JSON.parse(await run(process.execPath, [script, hearth.url]))).toEqual(answer);
});

it('openapi-python-client', async () => {
  const output = join(generated, 'hearth_python_client');
  const options = ['--path', document, '--output-path', output, '--meta', 'none'];
  await run('openapi-python-client', ['generate', ...options, '--fail-on-warning']);
  expect(JSON.parse(await python('chat_openapi_python_client.py', hearth.url))).toEqual(answer);
});

it('openapi-generator', async () => {
  await run('openapi-generator-cli', [
    'generate',
    '--generator-name=python',
    `--input-spec=${document}`,
    `--output=${generated}`,
    '--package-name=hearth_generator_client',
  ]);
  expect(JSON.parse(await python('chat_openapi_generator.py', hearth.url))).toEqual(answer);
});
