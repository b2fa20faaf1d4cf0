import { describe, expect, it } from 'vitest';
import { pinnedRelease, pinnedWheel } from './pinned-release.ts';

describe('pinned runtimes', () => {
  const archives = Object.values(pinnedRelease.builds).flatMap((build) => build.archives);
  const hashes = [...archives.map(({ sha256 }) => sha256), ...Object.values(pinnedWheel.sha256)];

  it('have unique SHA-256 hashes', () => {
    for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('have a CPU or Metal build for each common machine', () => {
    const targets = Object.keys(pinnedRelease.builds);
    expect(targets).toEqual(
      expect.arrayContaining([
        'linux-x64-cpu',
        'linux-arm64-cpu',
        'macos-arm64-metal',
        'macos-x64-cpu',
        'windows-x64-cpu',
      ]),
    );
  });
});
