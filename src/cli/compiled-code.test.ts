import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder, removeFolder } from '../../test/setup/temporary-folder.ts';
import { loadWithCompiledCode } from './compiled-code.ts';

const program = 'exports.add = (a, b) => a + b; exports.file = __filename;';

const wrap = (content: string): string =>
  `(function (exports, require, module, __filename, __dirname) {${content}})`;

async function makeProgram(content = program) {
  const folder = await makeFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'program.cjs');
  await writeFile(file, wrap(content));
  return { folder, file };
}

interface Program {
  add(a: number, b: number): number;
  readonly file: string;
}

function load(file: string, contentHash = 'a') {
  const { exports, keepCompiledCode } = loadWithCompiledCode(file, contentHash);
  return { program: exports as Program, keepCompiledCode };
}

async function codeFiles(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== 'program.cjs');
}

it('loads a file as a CommonJS module', async () => {
  const { file, folder } = await makeProgram(
    'module.exports = { join: require("node:path").join };',
  );
  const { exports } = loadWithCompiledCode(file, 'a');
  expect((exports as { readonly join: typeof join }).join('a', 'b')).toBe(join('a', 'b'));
  expect(await codeFiles(folder)).toEqual([]);
});

it('keeps the compiled code once', async () => {
  const { file, folder } = await makeProgram();
  load(file).keepCompiledCode();
  const [name = ''] = await codeFiles(folder);
  const { mtimeMs, ino } = await stat(join(folder, name));
  const { program: again, keepCompiledCode } = load(file);
  expect(again.add(1, 2)).toBe(3);
  expect(again.file).toBe(file);
  keepCompiledCode();
  expect(await codeFiles(folder)).toEqual([name]);
  expect(await stat(join(folder, name))).toMatchObject({ mtimeMs, ino });
});

it('shows the folder of the present installation in stack traces, not the one that compiled it', async () => {
  const { file, folder } = await makeProgram('exports.fail = () => { throw new Error("x"); };');
  const failing = (path: string) => {
    const { exports, keepCompiledCode } = loadWithCompiledCode(path, 'a');
    const { fail } = exports as { readonly fail: () => void };
    expect(fail).toThrow(expect.objectContaining({ stack: expect.stringContaining(path) }));
    keepCompiledCode();
  };
  failing(file);
  const moved = join(folder, 'moved');
  await mkdir(moved);
  for (const name of [...(await codeFiles(folder)), 'program.cjs']) {
    if (name !== 'moved') await rename(join(folder, name), join(moved, name));
  }
  failing(join(moved, 'program.cjs'));
});

it('does not use the code of another content of the same length', async () => {
  const { file } = await makeProgram();
  load(file).keepCompiledCode();
  await writeFile(file, wrap(program.replace('a + b', 'a - b')));
  expect(load(file, 'b').program.add(1, 2)).toBe(-1);
});

it.each([
  ['is empty', () => Buffer.alloc(0)],
  ['is cut off', (code: Buffer) => code.subarray(0, -8)],
  ['is that of another file', (code: Buffer) => code],
])('compiles again, and keeps it, where the kept code %s', async (_, damage) => {
  const { file, folder } = await makeProgram();
  load(file).keepCompiledCode();
  const [name = ''] = await codeFiles(folder);
  const damaged = damage(await readFile(join(folder, name)));
  await writeFile(join(folder, name), damaged);
  // A new length makes V8 read the kept code: within one process it would reuse what it has compiled.
  await writeFile(file, wrap(`${program} /* Another length. */`));
  const { program: again, keepCompiledCode } = load(file);
  expect(again.add(1, 2)).toBe(3);
  keepCompiledCode();
  expect(await readFile(join(folder, name))).not.toEqual(damaged);
});

it('works where nothing can be written', async () => {
  const { file, folder } = await makeProgram();
  const { program: loaded, keepCompiledCode } = load(file);
  await removeFolder(folder);
  expect(keepCompiledCode).not.toThrow();
  expect(loaded.add(1, 2)).toBe(3);
});
