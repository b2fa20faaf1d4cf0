import { expect, it } from 'vitest';
import { pathArgument } from './path-argument.ts';

const long = `C:\\models\\${'x'.repeat(249)}`;

it('marks paths that are too long for most programs of Windows', () => {
  expect(pathArgument(long.slice(0, 259), 'win32')).toBe(long.slice(0, 259));
  expect(pathArgument(`${long}y`, 'win32')).toBe(`\\\\?\\${long}y`);
  expect(pathArgument(`\\\\server\\share\\${long.slice(3)}`, 'win32')).toBe(
    `\\\\?\\UNC\\server\\share\\${long.slice(3)}`,
  );
  expect(pathArgument(`\\\\?\\${long}`, 'win32')).toBe(`\\\\?\\${long}`);
});

it.each(['linux', 'darwin'] as const)('changes nothing on %s', (platform) => {
  const path = `/models/${'x'.repeat(400)}`;
  expect(pathArgument(path, platform)).toBe(path);
});
