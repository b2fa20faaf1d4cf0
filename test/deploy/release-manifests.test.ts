import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { projectFolder } from '../setup/project-folder.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const run = promisify(execFile);
const hasRubocop = spawnSync('rubocop', ['--version']).status === 0;

/** Homebrew's own rules for quotes and headers, as its configuration is part of Homebrew. */
const rules = `
AllCops: { NewCops: disable, SuggestExtensions: false }
Style/Documentation: { Enabled: false }
Style/FrozenStringLiteralComment: { Enabled: false }
Style/StringLiterals: { EnforcedStyle: double_quotes }
`;

it.runIf(hasRubocop)("the release's formula is valid Ruby without offenses", async () => {
  const folder = await temporaryFolder();
  const tarball = join(folder, 'hearth-0.1.0.tgz');
  await writeFile(tarball, 'packed');
  await writeFile(join(folder, '.rubocop.yml'), rules);
  const script = join(projectFolder, 'scripts/release-manifests.mjs');
  await run(process.execPath, [script, tarball, 'https://git.example/owner/hearth']);

  const formula = join(folder, 'hearth.rb');
  const text = await readFile(formula, 'utf8');
  const sha256 = createHash('sha256').update('packed').digest('hex');
  expect(text).toContain(`sha256 "${sha256}"`);
  expect(JSON.parse(await readFile(join(folder, 'hearth.json'), 'utf8'))).toMatchObject({
    version: '0.1.0',
    hash: sha256,
  });
  const check = () => run('rubocop', ['--cache', 'false', formula], { cwd: folder });
  expect((await check()).stdout).toContain('no offenses detected');

  await writeFile(formula, text.replace('def install', 'def install(unused)'));
  await expect(check()).rejects.toThrow('rubocop');
});
