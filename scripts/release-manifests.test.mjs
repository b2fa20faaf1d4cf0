import { expect, it } from 'vitest';
import { homebrewFormula, scoopManifest } from './release-manifests.mjs';

const repository = 'https://git.example/owner/hearth';
const release = { version: '1.2.0', repository, sha256: 'ab'.repeat(32) };

it('writes a formula of Homebrew', () => {
  const formula = homebrewFormula(release);
  const fieldsOf = (text) =>
    Object.fromEntries(
      [...text.matchAll(/^ {2}([a-z0-9_]+) "(.*)"$/gm)].map(([, ...field]) => field),
    );
  expect(fieldsOf(formula)).toEqual({
    desc: expect.stringMatching(/^(?!An? |The ).{20,80}(?<!\.)$/),
    homepage: repository,
    url: `${repository}/releases/download/v1.2.0/hearth-1.2.0.tgz`,
    sha256: release.sha256,
    license: 'Apache-2.0',
    depends_on: 'node',
  });
});

it('writes a manifest of Scoop, which keeps the tarball whole for npm', () => {
  const { url, hash, installer, bin, autoupdate, ...rest } = scoopManifest(release);
  expect(url).toBe(`${repository}/releases/download/v1.2.0/hearth-1.2.0.tgz#/hearth.tarball`);
  expect(hash).toBe(release.sha256);
  expect(autoupdate.url.replaceAll('$version', '1.2.0')).toBe(url);
  expect(autoupdate.hash).toEqual({ url: '$baseurl/SHA256SUMS' });
  expect(installer.script.join('\n')).toContain('npm install --global --prefix "$dir"');
  // npm writes it into the prefix.
  expect(bin).toBe('hearth.cmd');
  expect(rest).toMatchObject({
    version: '1.2.0',
    depends: 'nodejs-lts',
    checkver: { github: repository },
  });
});
