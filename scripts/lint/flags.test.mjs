import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { listPages } from './list-files.mjs';

const read = (page) => readFile(join(import.meta.dirname, '../..', page), 'utf8');
const flags = (text) => text.match(/(?<![\w-])--[a-z][a-z0-9-]+/gu) ?? [];

/** The commands of a page, without arguments that are for other programs. */
function commands(text) {
  const found = text.matchAll(/(?:^|`|\$ |&& |\| )(hearth [^`|\n]*)/gmu);
  return [...found].map(([, command]) => command.split(/ -- | [<>] /u)[0]);
}

it('commands in Markdown have only flags that exist', async () => {
  const known = new Set(flags((await read('docs/cli.md')) + (await read('docs/settings.md'))));
  const unknown = async (page) =>
    commands(await read(page))
      .filter((command) => flags(command).some((flag) => !known.has(flag)))
      .map((command) => `${page}: ${command}`);
  const pages = await listPages();
  const found = (await Promise.all(pages.map(unknown))).flat();
  expect(found.filter((each) => !each.startsWith('docs/adr/'))).toEqual([]);
});

it('finds an unknown flag', () => {
  const text = 'Run `hearth load --nonsense 3`.\n```sh\nhearth launch codex --run -- --resume\n```';
  expect(commands(text).flatMap(flags)).toEqual(['--nonsense', '--run']);
});
