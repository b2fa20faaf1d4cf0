import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../setup/project-folder.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { environmentFolder } from './environment-folder.ts';
import { clientsFolder, run } from './run.ts';

/** Runs the programs of docs/clients.md unchanged, except for the port. */
const hearth = useHearth();
const folder = join(clientsFolder, '.generated/snippets');
const text = await readFile(join(projectFolder, 'docs/clients.md'), 'utf8');
const blocks = [...text.matchAll(/^```(js|python)\n(.*?)^```$/gms)].map(
  ([, language = '', code = '']) => ({ language, code, imports: code.split('\n')[0] ?? '' }),
);

beforeAll(() => mkdir(folder, { recursive: true }));
afterAll(() => rm(folder, { recursive: true }));

it('are many', () => {
  expect(blocks.length).toBeGreaterThan(10);
});

it.concurrent.each(blocks.map((block, index) => [block.imports, block, index] as const))(
  '%s',
  async (_, { language, code }, index) => {
    const file = join(folder, `${index}.${language === 'js' ? 'mjs' : 'py'}`);
    await writeFile(file, code.replaceAll('http://127.0.0.1:1234', hearth.url));
    const output = await run(language === 'js' ? process.execPath : pythonFor(code), [file]);
    expect(output).toMatch(/\w/);
  },
);

/** The Python whose environment has the packages that the code imports. */
function pythonFor(code: string): string {
  if (code.includes('import instructor')) return pythonOf('python/instructor/');
  const isFramework = /^(?:from|import) (?:agents|dspy|haystack|litellm|pydantic_ai|smolagents)\b/m;
  return pythonOf(isFramework.test(code) ? 'python/frameworks/' : 'python/');
}

function pythonOf(file: string): string {
  return join(environmentFolder(file), 'bin/python');
}
