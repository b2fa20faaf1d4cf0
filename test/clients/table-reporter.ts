import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { format } from 'oxfmt';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { projectFolder } from '../setup/project-folder.ts';
import { environmentFolder } from './environment-folder.ts';
import { pinnedVersion, registryOf } from './pinned-version.ts';
import { clientsFolder } from './run.ts';
import { testedClients, type TestedClient } from './tested-clients.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Names of the tests that a program in another language ran. */
    passed?: readonly string[];
  }
}

const page = 'docs/contributing/clients-tested.md';

/** Columns of the table, with the patterns of their tests' names. */
const paths: readonly (readonly [string, RegExp])[] = [
  ['Chat', /\bchats?\b/],
  ['Stream', /stream/],
  ['Tools', /\btools?\b/],
  ['Structured output', /structured output/],
  ['Pictures', /\bpicture\b/],
  ['Embeddings', /\bembed/],
  ['Errors', /\berrors?\b/],
  ['Long context', /long context/],
  ['Abort', /\babort|stops the generation/],
];

interface Result {
  readonly file: string;
  readonly name: string;
  readonly state: string;
}

/**
 * Fails the run if a client that ran differs from its row in docs/contributing/clients-tested.md. With `HEARTH_CLIENTS_TABLE=write`, writes
 * the rows of the clients that ran.
 */
export default class TableReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const results = modules.flatMap((module) => [...module.children.allTests()].flatMap(toResults));
    const rows = await Promise.all(testedClients.map((client) => toRow(client, results)));
    const path = join(projectFolder, page);
    const isWrite = process.env['HEARTH_CLIENTS_TABLE'] === 'write';
    const written = new Map((await rowsOf(path)).map((row) => [keyOf(row), row]));
    const current = rows.map(({ key, row }) => row ?? written.get(key));
    if (isWrite) {
      await writeFile(path, await toPage(current.filter((row) => row !== undefined)));
      return;
    }
    const changed = rows.filter(({ key, row }) => row !== undefined && row !== written.get(key));
    if (changed.length === 0) return;
    const shown = changed.map(({ row }) => row).join('\n');
    console.error(`${page} differs; write it with HEARTH_CLIENTS_TABLE=write:\n${shown}`);
    process.exitCode = 1;
  }
}

/** The rows of the page, without the spaces that align columns. */
async function rowsOf(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text
    .split('\n')
    .flatMap((line) => (line.startsWith('| ') ? [line.replaceAll(/ +/g, ' ')] : []));
}

/** The client's row without versions. */
function keyOf(row: string): string {
  const [, ...cells] = row.split(' | ');
  return [row.split(' | ')[0], ...cells.slice(0, 2)].join(' | ').replaceAll(/` \d[^ ,]*/g, '`');
}

function toResults(test: TestCase): readonly Result[] {
  const { state } = test.result();
  const file = relative(clientsFolder, test.module.moduleId);
  if (file !== 'python/python.test.ts') return [{ file, name: test.fullName, state }];
  const python = `python/${test.name}`;
  const names = test.meta().passed ?? [];
  if (state !== 'passed') return [{ file: python, name: 'a test', state }];
  return names.map((name) => ({ file: python, name: name.replaceAll('_', ' '), state }));
}

/** `row` is undefined if the client did not run. */
async function toRow(
  client: TestedClient,
  results: readonly Result[],
): Promise<{ readonly key: string; readonly row: string | undefined }> {
  const own = results.filter(
    ({ file, name, state }) =>
      file === client.file && state !== 'skipped' && `${name} `.includes(client.within ?? ''),
  );
  const line = (versions: readonly string[], cells: readonly string[]): string =>
    toLine([
      client.name,
      `${versions.join(', ')} (${registryOf(client.file)})`,
      client.api,
      ...cells,
    ]);
  const names = client.packages.map((name) => `\`${name}\``);
  const key = keyOf(line(names, ['']));
  if (own.length === 0) return { key, row: undefined };
  const versions = await Promise.all(
    client.packages.map(async (name) => `\`${name}\` ${await installedVersion(client.file, name)}`),
  );
  const cells = paths.map(([, pattern]) =>
    own.some(({ name }) => pattern.test(name)) ? 'yes' : '–',
  );
  const failed = own.some(({ state }) => state !== 'passed');
  return { key, row: line(versions, [...cells, failed ? 'failed' : 'passed']) };
}

/** The version of the installed package; Go and Maven install exactly the pinned one. */
async function installedVersion(file: string, name: string): Promise<string | undefined> {
  if (!['npm', 'PyPI'].includes(registryOf(file))) return pinnedVersion(file, name);
  if (file.startsWith('npm/')) {
    const path = join(clientsFolder, 'node_modules', name, 'package.json');
    const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version: string };
    return version;
  }
  const python = join(environmentFolder(file), 'bin/python');
  const program = 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))';
  const { stdout } = await promisify(execFile)(python, ['-c', program, name]);
  return stdout.trim();
}

async function toPage(rows: readonly string[]): Promise<string> {
  const heading = ['Client', 'Version', 'API', ...paths.map(([name]) => name), 'Result'];
  const text = [
    '# Tested clients',
    '',
    'A run of `npm run test:clients` wrote this page: each row is a client of a registry, unchanged, against the built server, with the',
    'starter models or, for coding agents, with a script in place of the model. "–" is not tested, mostly because the client has no such',
    'path. [Tests](testing.md#clients) says how to add a client, and [clients](../clients.md) how to configure one.',
    '',
    toLine(heading),
    toLine(heading.map(() => '---')),
    ...rows,
    '',
  ].join('\n');
  const options: unknown = JSON.parse(await readFile(join(projectFolder, '.oxfmtrc.json'), 'utf8'));
  return (await format(page, text, options as Parameters<typeof format>[2])).code;
}

function toLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
