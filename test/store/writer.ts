// A process that writes to a store until it is killed, and reports its writes to its parent.
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { acquireHomeLock } from '../../src/platform/home/home-lock.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createSqliteStore } from '../../src/store/sqlite-store.ts';
import { conversationTurn } from '../setup/store/conversation-turn.ts';

/** `deleting` is sent before the deletion, the others afterwards. */
export interface WriterReport {
  readonly kind: 'refused' | 'ready' | 'inserted' | 'deleting' | 'deleted';
  readonly id: string;
}

const [home = ''] = process.argv.slice(2);
const lock = await acquireHomeLock(home).catch(() => undefined);
if (lock === undefined) {
  await report({ kind: 'refused', id: '' });
  process.disconnect();
} else {
  await report({ kind: 'ready', id: '' });
  process.once('message', () => void writeForever());
}

async function writeForever(): Promise<never> {
  const logger = createLogger('silent');
  const store = await createSqliteStore({ file: join(home, 'hearth.db'), logger });
  const own: string[] = [];
  for (let turn = 0; ; turn += 1) {
    const id = `resp_${randomBytes(24).toString('hex')}`;
    const picture = randomBytes(turn % 7 === 0 ? 300_000 : 300);
    const sha256 = createHash('sha256').update(picture).digest('hex');
    const mediaType = 'image/png';
    const parentId = turn % 5 === 0 ? null : (own.at(-1) ?? null);
    await store.responses.insert(
      {
        id,
        parentId,
        ownerId: null,
        createdAt: new Date(),
        modelKey: 'a/b',
        modelInstanceId: 'a/b',
        turn: conversationTurn({
          systemPrompt: id,
          instructions: parentId,
          messages: [{ role: 'user', content: [{ type: 'image', sha256, mediaType }] }],
          items: [{ type: 'message', text: id.repeat(40) }],
        }),
      },
      [{ sha256, mediaType, bytes: picture }],
    );
    own.push(id);
    await report({ kind: 'inserted', id });
    if (turn % 3 === 2) {
      const [victim = ''] = own.splice(Math.floor(Math.random() * (own.length - 1)), 1);
      await report({ kind: 'deleting', id: victim });
      await store.responses.delete(victim, null);
      await report({ kind: 'deleted', id: victim });
    }
  }
}

function report(message: WriterReport): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}
