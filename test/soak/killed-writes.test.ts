import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openSqlite } from '../../src/platform/sqlite.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useResource } from '../setup/use-resource.ts';
import { drillSize, report } from './drill.ts';
import { thingKinds } from './writes/stored-things.ts';
import { turnKinds } from './writes/stored-turns.ts';
import { waitUntil, type WriteKind } from './writes/write-kind.ts';
import { WriteLedger } from './writes/write-ledger.ts';
import { fileKinds } from './writes/written-files.ts';

const hub = useResource(() => startFakeHub({ repositories: [] }));
let token = '';
const hearth = useHearth(async (home) => {
  ({ token } = await withTokens(home, (tokens) =>
    tokens.create({ name: 'drill', permissions: ['admin'] }),
  ));
  return {
    flags: ['--engine-parallel=4', '--log-level=error'],
    environment: { HEARTH_HUB_ENDPOINT: hub.url },
  };
});
const writtenServer = () => ({
  url: hearth.url,
  home: hearth.home,
  headers: { authorization: `Bearer ${token}` },
});
const kinds = [...turnKinds, ...thingKinds, ...fileKinds(() => hub)];
const clientCount = 3;

/** Long form: `npm run soak -- killed-writes --count 240` */
const { count: kills } = drillSize({ count: kinds.length });

it(
  `keeps every acknowledged write when the server is killed ${kills} times inside writes`,
  { timeout: 60_000 + kills * 20_000 },
  async () => {
    const random = seededRandom();
    const ledgers = new Map(kinds.map((kind) => [kind, new WriteLedger()]));
    const killed = new Map<WriteKind, number>();
    let writes = 0;

    async function repeatWrites(kind: WriteKind, ledger: WriteLedger, client: number) {
      for (;;) {
        writes += 1;
        const name = `${prefixOf(kind)}${writes}`;
        try {
          await kind.write({ server: writtenServer(), ledger, random, client, name });
        } catch (error) {
          if (isDisconnected(error)) return;
          throw new Error(`${kind.name}: ${String(error)}`, { cause: error });
        }
      }
    }

    async function killInside(kind: WriteKind, ledger: WriteLedger): Promise<void> {
      const before = ledger.acknowledgedCount;
      const started = performance.now();
      const clients = Array.from({ length: clientCount }, (_, client) =>
        repeatWrites(kind, ledger, client),
      );
      const all = Promise.all(clients);
      const target = before + 1 + Math.floor(random() * 2 * clientCount);
      const count = () => ledger.acknowledgedCount;
      const reached = waitUntil(
        async () => count(),
        (value) => value >= target,
      );
      await Promise.race([all, reached]);
      // Kills at a random moment of the next write.
      await setTimeout(random() * ((performance.now() - started) / (count() - before)) * 2);
      await hearth.kill();
      await all;
      await assertWholeFiles(hearth.home);
      await hearth.restart();
      await assertKept(kind, ledger);
    }

    for (let kill = 0; kill < kills; kill += 1) {
      const kind = kinds[kill % kinds.length];
      const ledger = kind && ledgers.get(kind);
      if (kind === undefined || ledger === undefined) continue;
      await killInside(kind, ledger);
      killed.set(kind, (killed.get(kind) ?? 0) + 1);
    }
    for (const [kind, ledger] of ledgers) {
      await assertKept(kind, ledger);
      report(
        `killed-writes: ${kind.name}: ${killed.get(kind) ?? 0} kills, ` +
          `${ledger.acknowledgedCount} writes acknowledged, none lost`,
      );
    }
    await hearth.stop();
    assertSound(hearth.home);
    expect(await findRemains(hearth.home)).toEqual([]);
    await hearth.restart();
  },
);

/** Prefix of the names that a kind of write uses. */
const prefixOf = ({ name }: WriteKind): string => `${name.replaceAll(' ', '-')}-`;

async function assertKept(kind: WriteKind, ledger: WriteLedger): Promise<void> {
  expect(await ledger.findLosses((key) => kind.read(writtenServer(), key)), kind.name).toEqual([]);
  const names = (await kind.list?.(writtenServer())) ?? [];
  const own = names.filter((name) => name.startsWith(prefixOf(kind)));
  const twice = own.filter((name, index) => own.indexOf(name) !== index);
  expect(twice, `${kind.name} that are there twice`).toEqual([]);
}

/** Checks files before the next start, which must not have to repair any. */
async function assertWholeFiles(home: string): Promise<void> {
  assertSound(home);
  for (const name of ['config.json', 'models.json', 'mcp.json']) {
    const text = await readFile(join(home, name), 'utf8').catch(() => '{}');
    expect(() => JSON.parse(text), `${name}: ${text}`).not.toThrow();
  }
}

function assertSound(home: string): void {
  const database = openSqlite(join(home, 'hearth.db'), { isReadOnly: true });
  try {
    expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.prepare('pragma foreign_key_check').all()).toEqual([]);
  } finally {
    database.close();
  }
}

/** Temporary files that no later start has removed. */
async function findRemains(home: string): Promise<readonly string[]> {
  const names = await readdir(home, { recursive: true });
  return names.filter((name) =>
    /\.tmp$|\.part$|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}$|^\.part/.test(basename(name)),
  );
}

function isDisconnected(error: unknown): boolean {
  const text = String(error);
  return /fetch failed|terminated|other side closed|ECONNRE/.test(text);
}
