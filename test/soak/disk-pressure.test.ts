import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { useSmallDisk } from '../setup/small-disk.ts';
import { startChatClients } from './chat-clients.ts';
import { drillSize, report } from './drill.ts';
import { Ledger } from './ledger.ts';

/** Long form: `npm run soak -- disk-pressure --count 50` */
const { count: cycles } = drillSize({ count: 3 });

const disk = useSmallDisk(16 * 1024 * 1024);
const database = () => join(disk.path, 'hearth.db');
const hearth = useHearth(() => ({
  flags: [`--store-url=${database()}`, '--engine-parallel=4', '--log-level=error'],
}));

it(
  `loses nothing that was acknowledged while the disk fills and is freed ${cycles} times`,
  { timeout: 60_000 + cycles * 20_000 },
  async () => {
    const ledger = new Ledger();
    const clients = startChatClients({
      count: 4,
      model: 'hearth/starter-chat',
      ledger,
      server: async () => hearth.url,
    });
    const storageFailures = () => clients.failed.get('storage_failed') ?? 0;
    const poll = { interval: 20, timeout: 20_000 };
    await expect.poll(() => clients.answered, poll).toBeGreaterThan(8);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const failures = storageFailures();
      await disk.fill();
      await expect.poll(storageFailures, poll).toBeGreaterThan(failures);
      await disk.free();
      const { answered } = clients;
      await expect.poll(() => clients.answered, poll).toBeGreaterThan(answered + 8);
    }
    await clients.stop();
    await hearth.stop();
    await hearth.restart();
    const losses = await ledger.findLosses(hearth.url);
    const failed = [...clients.failed].map(([code, count]) => `${code} ${count}`).join(', ');
    report(
      `disk-pressure: full ${cycles} times; ${clients.answered} answers acknowledged, ` +
        `${ledger.deletedCount} deletions; requests that failed: ${failed}; lost: ${losses.length}`,
    );
    expect(losses).toEqual([]);
    const unexpected = [...clients.failed.keys()].filter(
      (code) => code !== 'storage_failed' && !code.startsWith('delete'),
    );
    expect(unexpected).toEqual([]);
    await hearth.stop();
    // Opens a copy, since SQLite may keep a file open longer than the disk is mounted.
    const copy = join(hearth.home, 'copy.db');
    await copyFile(database(), copy);
    const connection = openSqlite(copy, { isReadOnly: true });
    expect(connection.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    connection.close();
    await hearth.restart();
  },
);
