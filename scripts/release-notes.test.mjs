import { expect, it } from 'vitest';
import { assertVersions, releaseNotes } from './release-notes.mjs';

const changelog = `# Changelog

## [Unreleased]

### Added

- A later thing

## [1.2.0] - 2026-12-01

### Added

- A thing

## [1.1.0] - 2026-11-01

## [1.0.0] - 2026-10-01

- The first thing
`;

it('finds the section of a version', () => {
  expect(releaseNotes(changelog, '1.2.0')).toBe('### Added\n\n- A thing');
  expect(releaseNotes(changelog, '1.0.0')).toBe('- The first thing');
});

it.each(['1.1.0', '1.2', '2.0.0', ''])('refuses a version without notes: %j', (version) => {
  expect(() => releaseNotes(changelog, version)).toThrow('CHANGELOG.md says nothing');
});

it('names the file with another version', () => {
  expect(() => assertVersions({ 'package.json': '1.0.0', chart: '1.1.0' }, '1.1.0')).toThrow(
    'package.json has the version 1.0.0, not 1.1.0.',
  );
  expect(() => assertVersions({ 'package.json': '1.1.0' }, '1.1.0')).not.toThrow();
});
