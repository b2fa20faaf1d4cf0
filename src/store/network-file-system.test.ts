import { describe, expect, it } from 'vitest';
import { chooseJournal, networkFileSystem } from './network-file-system.ts';

describe('networkFileSystem', () => {
  it.each([
    ['ext4', 0xef53, undefined],
    ['tmpfs', 0x0102_1994, undefined],
    ['overlay', 0x794c_7630, undefined],
    ['NFS', 0x6969, 'NFS'],
    ['CIFS', 0xff53_4d42, 'SMB'],
    ['CIFS, with a sign', 0xff53_4d42 | 0, 'SMB'],
    ['SMB 2', 0xfe53_4d42, 'SMB'],
    ['9p', 0x0102_1997, '9p'],
    ['nothing', 0, undefined],
    ['an absurd number', Number.NaN, undefined],
    ['2^63 - 1', 2 ** 63, undefined],
  ])('knows %s', (_, type, name) => {
    expect(networkFileSystem('linux', type)).toBe(name);
  });

  it('does not take the numbers of other systems for those of Linux', () => {
    expect(networkFileSystem('darwin', 0x6969)).toBeUndefined();
    expect(networkFileSystem('win32', 0x6969)).toBeUndefined();
  });
});

it('uses no shared memory on a network file system', () => {
  expect(chooseJournal(undefined)).toEqual({ journal: 'wal', synchronous: 'normal' });
  expect(chooseJournal('NFS')).toEqual({ journal: 'delete', synchronous: 'full' });
});
