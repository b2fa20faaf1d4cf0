import { lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createPluginFileEditor } from './plugin-file-editor.ts';
import { temporaryFolder } from '../../test/setup/temporary-folder.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, 'mcp.json');
});

it('creates the file, for its owner only', async () => {
  const editor = createPluginFileEditor(file);
  expect(await editor.add('files', { command: 'node', args: ['a'] })).toBeUndefined();
  expect((await editor.list()).get('files')).toMatchObject({ type: 'process', command: 'node' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['edit.lock', 'mcp.json']);
});

it('keeps all other content', async () => {
  const other = { command: 'b', disabled: true };
  await writeFile(file, `\uFEFF${JSON.stringify({ inputs: [1], mcpServers: { other } })}`);
  const editor = createPluginFileEditor(file);
  await editor.add('web', { url: 'https://example.com' });
  expect(await editor.remove('web')).toBe(true);
  expect(await editor.remove('web')).toBe(false);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ inputs: [1], mcpServers: { other } });
});

it('rejects invalid entries, and does not overwrite an unreadable file', async () => {
  const editor = createPluginFileEditor(file);
  expect(await editor.add('a b', { command: 'c' })).toContain('must be up to 64 letters');
  expect(await editor.add('web', { url: 'nowhere' })).toContain('must be an http or https URL');
  expect(await readdir(folder)).not.toContain('mcp.json');
  await editor.add('web', { url: 'https://example.com' });
  expect(await editor.add('web', { command: 'c' })).toContain('already');
  await writeFile(file, '{"mcpServers": ');
  await expect(editor.add('x', { command: 'c' })).rejects.toThrow('not valid JSON');
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": ');
});

it('replaces an entry, and leaves the file unchanged where that fails', async () => {
  const editor = createPluginFileEditor(file);
  await editor.add('files', { command: 'a' });
  expect(await editor.put('files', (present) => ({ ...present, args: ['b'] }))).toBeUndefined();
  expect((await editor.list()).get('files')).toMatchObject({ command: 'a', arguments: ['b'] });
  expect(await editor.put('web', (present) => ({ present }))).toContain('either command or url');
  const stop = () => {
    throw new Error('stop');
  };
  await expect(editor.put('files', stop)).rejects.toThrow('stop');
  expect([...(await editor.list()).keys()]).toEqual(['files']);
});

it('keeps all entries that are added at the same time', async () => {
  const labels = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(
    labels.map((label) => createPluginFileEditor(file).add(label, { command: label })),
  );
  const entries = await createPluginFileEditor(file).list();
  expect([...entries.keys()].toSorted()).toEqual(labels);
});

it('keeps a symbolic link', async () => {
  const target = join(await temporaryFolder(), 'shared.json');
  await writeFile(target, '{}');
  await symlink(target, file);
  await createPluginFileEditor(file).add('files', { command: 'a' });
  expect((await lstat(file)).isSymbolicLink()).toBe(true);
  expect(await readFile(target, 'utf8')).toContain('"files"');
});
