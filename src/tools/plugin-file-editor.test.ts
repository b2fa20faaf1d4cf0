import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
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
  expect(await readdir(folder)).toEqual(['mcp.json']);
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
  expect(await readdir(folder)).toEqual([]);
  await editor.add('web', { url: 'https://example.com' });
  expect(await editor.add('web', { command: 'c' })).toContain('already');
  await writeFile(file, '{"mcpServers": ');
  await expect(editor.add('x', { command: 'c' })).rejects.toThrow('not valid JSON');
  expect(await readFile(file, 'utf8')).toBe('{"mcpServers": ');
});
