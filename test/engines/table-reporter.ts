import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'oxfmt';
import type { Reporter, TestModule } from 'vitest/node';
import { projectFolder } from '../setup/project-folder.ts';
import { realEngines } from '../setup/real-engines/engines.ts';

const page = 'docs/contributing/engines-tested.md';

/** Results of one engine: the state of each test by its name. */
type Column = ReadonlyMap<string, string>;

/**
 * Writes docs/contributing/engines-tested.md after a run of all engines with `HEARTH_ENGINES_TABLE=write`; otherwise fails the run if
 * the column of an engine that ran differs from the page.
 */
export default class TableReporter implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const suites = modules
      .filter(({ moduleId }) => moduleId.endsWith('/real-engines.test.ts'))
      .flatMap(({ children }) => [...children.suites()]);
    const columns = new Map(
      suites.map((suite): [string, Column] => [
        suite.name,
        new Map([...suite.children.tests()].map((test) => [test.name, test.result().state])),
      ]),
    );
    const ran = [...columns].filter(([, column]) => [...column.values()].includes('passed'));
    const path = join(projectFolder, page);
    const text = await toPage(new Map(ran));
    if (process.env['HEARTH_ENGINES_TABLE'] === 'write') {
      if (ran.length < realEngines.length) throw new Error(`Only ${ran.length} engines ran.`);
      await writeFile(path, text);
      return;
    }
    if (ran.length === 0) return;
    const written = columnsOf(await readFile(path, 'utf8'));
    const changed = columnsOf(text).filter((column) => !written.includes(column));
    if (changed.length === 0) return;
    console.error(
      `${page} differs; write it with HEARTH_ENGINES_TABLE=write:\n${changed.join('\n')}`,
    );
    process.exitCode = 1;
  }
}

async function toPage(columns: ReadonlyMap<string, Column>): Promise<string> {
  const tests = [...new Set([...columns.values()].flatMap((column) => [...column.keys()]))];
  const lines = [
    ['', ...columns.keys()],
    ['', ...columns.keys()].map(() => '-'),
    ...tests.map((test) => [
      test,
      ...[...columns].map(([name, column]) => cellOf(name, test, column.get(test))),
    ]),
  ];
  const text = [
    '# Tested engines',
    '',
    'A run of `npm run test:engines` wrote this page: servers of these versions behind Hearth, as',
    '[remote engines](../remote-engines.md), with the starter chat model in their format.',
    '',
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
  ].join('\n');
  return (await format('page.md', text, { printWidth: 128 })).code;
}

function cellOf(column: string, test: string, state: string | undefined): string {
  if (state === 'passed') return 'yes';
  const engine = realEngines.find(({ name }) => column.startsWith(`${name} `));
  const reason = Object.entries(engine?.lacks ?? {}).find(([ability]) => test === ability)?.[1];
  return reason ?? state ?? '–';
}

/** The columns of a page, each as one text. */
function columnsOf(text: string): readonly string[] {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('| -'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const [head = []] = rows;
  return head
    .slice(2, -1)
    .map((_, index) =>
      rows.map((cells) => `${cells[1] ?? ''}: ${cells[index + 2] ?? ''}`).join('\n'),
    );
}
