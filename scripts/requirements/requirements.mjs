import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listFiles } from '../lint/import-graph.mjs';
import { coveringTests } from './covering-tests.mjs';

const root = join(import.meta.dirname, '../..');
const dataPath = 'docs/contributing/requirements.yaml';

/** The sections of the requirements, as `{ title, requirements: [{ id, text }] }`. */
export async function readRequirements() {
  const sections = Object.entries(parse(await readFile(join(root, dataPath), 'utf8')));
  return sections.map(([title, requirements]) => ({
    title,
    requirements: Object.entries(requirements).map(([id, text]) => ({ id, text })),
  }));
}

/** The tests that name requirements, as `{ tests: [{ path, title, ids }], faults }`. */
export async function readCoveringTests() {
  const folders = ['src', 'test', 'web/src'];
  const listed = await Promise.all(folders.map((folder) => listFiles(root, folder, /\.test\.ts$/)));
  const tests = [];
  const faults = [];
  for (const path of listed.flat()) {
    const source = await readFile(join(root, path), 'utf8');
    if (!source.includes('// covers ')) continue;
    const found = coveringTests(path, source);
    faults.push(...found.faults);
    tests.push(...found.tests.map((test) => ({ path, ...test })));
  }
  return { tests, faults };
}

/** Problems with the requirements and the tests that name them; empty if there are none. */
export function requirementFaults(sections, { tests, faults }) {
  const requirements = sections.flatMap((section) => section.requirements);
  const known = new Set(requirements.map(({ id }) => id));
  const covered = new Set(tests.flatMap(({ ids }) => ids));
  return [
    ...faults,
    ...requirements.filter(({ id }) => !covered.has(id)).map(({ id }) => `${id} has no test`),
    ...requirements
      .filter(({ id }) => !/^[a-z0-9]+(?:-[a-z0-9]+)*-\d+$/.test(id))
      .map(({ id }) => `${id} is not an id`),
    ...tests.flatMap(({ path, title, ids }) =>
      ids
        .filter((id) => !known.has(id))
        .map((id) => `${path}: "${title}" covers ${id}, which does not exist`),
    ),
  ];
}

/** `docs/contributing/requirements.md`. */
export function requirementsPage(sections, { tests }) {
  const requirements = sections.flatMap((section) => section.requirements);
  const isCovered = ({ id }) => tests.some(({ ids }) => ids.includes(id));
  const covered = requirements.filter(isCovered);
  const rows = (section) =>
    section.requirements.flatMap((requirement) => {
      const { id, text } = requirement;
      const named = tests.filter(({ ids }) => ids.includes(id));
      const state = isCovered(requirement) ? 'tested' : 'no test';
      return [`- **${id}** (${state}): ${literal(text)}`, ...named.map(toLink)];
    });
  return [
    '# Requirements',
    '',
    'What users were promised, one sentence each, and the tests that prove it. The sentences are in',
    '`docs/contributing/requirements.yaml`; a test names the ids in a comment directly before it, such as',
    '`// covers v1-chat-7, v1-chat-8`. A unit test fails if a requirement has no test or a test names an unknown id.',
    'This page is generated: `npm run generate`.',
    '',
    `${requirements.length} requirements: ${covered.length} tested, ${requirements.length - covered.length} without a test.`,
    ...sections.flatMap((section) => ['', `## ${section.title}`, '', ...rows(section)]),
    '',
  ].join('\n');
}

function toLink({ path, title }) {
  const name = path.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  return `  - [${name}](../../${path}): ${literal(title)}`;
}

/** Text without Markdown, except for code. */
function literal(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[\\*_[\]<]/g, String.raw`\$&`)))
    .join('');
}
