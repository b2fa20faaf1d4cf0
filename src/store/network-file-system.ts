/** `f_type` of statfs(2) on Linux: linux/magic.h and fs/smb/client/cifsfs.h. */
const networkTypes: ReadonlyMap<number, string> = new Map([
  [0x69_69, 'NFS'],
  [0xff_53_4d_42, 'SMB'],
  [0xfe_53_4d_42, 'SMB'],
  [0x51_7b, 'SMB'],
  [0x01_02_19_97, '9p'],
  [0x00_c3_64_00, 'Ceph'],
  [0x53_46_41_4f, 'AFS'],
]);

/** The name of a network file system, whose locks and shared memory are unreliable; undefined if it is local. */
export function networkFileSystem(platform: NodeJS.Platform, type: number): string | undefined {
  // Other systems number their file systems differently. The type may be negative: a signed 32-bit number.
  return platform === 'linux' ? networkTypes.get(type >>> 0) : undefined;
}

/** The journal mode of a database, and when its commits reach the disk. */
export interface JournalChoice {
  readonly journal: 'wal' | 'delete';
  /** `full`: each commit waits for the disk, which journals other than WAL require. */
  readonly synchronous: 'normal' | 'full';
}

/**
 * Chooses WAL unless the file system is a network one: WAL shares memory between processes, which such a file system
 * lacks; see https://www.sqlite.org/wal.html.
 *
 * @param network The name of the network file system, if it is one.
 */
export function chooseJournal(network: string | undefined): JournalChoice {
  return network === undefined
    ? { journal: 'wal', synchronous: 'normal' }
    : { journal: 'delete', synchronous: 'full' };
}
