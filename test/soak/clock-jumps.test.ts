import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { noLimits } from '../../src/store/shared/rate-limit-repository.ts';
import { startFakeHub } from '../setup/hub/fake-hub.ts';
import { endlessModel, placeEndlessModel } from '../setup/models/endless-model.ts';
import { compilePreloaded, whyNotPreloaded } from '../setup/preload-library.ts';
import { seededRandom } from '../setup/seeded-random.ts';
import { get, post } from '../setup/server/api.ts';
import { openStream } from '../setup/server/live-stream.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { withTokens } from '../setup/server/with-tokens.ts';
import { useTemporaryFolder } from '../setup/temporary-folder.ts';
import { useResource } from '../setup/use-resource.ts';
import { drillSize, report } from './drill.ts';
import { Ledger } from './ledger.ts';

/** Long form: `npm run soak -- clock-jumps --count 200` */
const { count: jumps } = drillSize({ count: 10 });
const missing = whyNotPreloaded();
if (missing !== undefined) console.warn(`JUMPS OF THE CLOCK ARE NOT TESTED: ${missing}.`);
const model = 'hearth/starter-chat';
const hour = 3600;
const file = 'large-Q8_0.gguf';

const hub = useResource(() =>
  startFakeHub({
    repositories: [
      {
        name: 'acme/Large-GGUF',
        files: { [file]: { sizeBytes: 3_000_000 + jumps * 200_000, seed: 5 } },
      },
    ],
  }),
);
const working = useTemporaryFolder();
const clockFile = () => join(working.path, 'shift');
let limited = '';

function setClock(seconds: number): void {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(seconds));
  writeFileSync(clockFile(), bytes, { flag: 'r+' });
}
beforeAll(() => writeFileSync(clockFile(), Buffer.alloc(8)));

const hearth = useHearth(async (home) => {
  await placeEndlessModel(home);
  limited = await withTokens(home, async (tokens) => {
    const { token } = await tokens.create({
      name: 'limited',
      permissions: ['chat'],
      rateLimits: { ...noLimits, requestsPerMinute: 60, tokensPerMinute: 10_000 },
    });
    return token;
  });
  if (missing !== undefined) return {};
  const library = compilePreloaded(join(import.meta.dirname, 'clock/shift-clock.c'), working.path);
  return {
    flags: ['--engine-parallel=4', '--models-auto-evict=false'],
    environment: {
      LD_PRELOAD: library,
      SHIFT_CLOCK_FILE: clockFile(),
      HEARTH_HUB_ENDPOINT: hub.url,
    },
  };
});

it.skipIf(missing !== undefined)(
  `serves and keeps everything while the clock jumps ${jumps} times`,
  { timeout: 120_000 + jumps * 20_000 },
  async () => {
    const random = seededRandom();
    const ledger = new Ledger();
    hub.faults.add({ kind: 'throttle', bytesPerSecond: 400_000 });
    const started = await post(hearth.url, '/api/v1/models/download', {
      model: 'https://huggingface.co/acme/Large-GGUF',
    });
    const download = `/api/v1/models/download/status/${started.body.job_id}`;
    let busy = await openStream(hearth.url, '/api/v1/chat', { model: endlessModel, input: 'Go' });
    await busy.until('delta');
    let clock = 0;

    for (let jump = 0; jump < jumps; jump += 1) {
      clock = Math.floor((random() - 0.5) * 48 * hour);
      setClock(clock);
      // Node updates its `Date` header once a second.
      const distance = async () => {
        const { headers } = await get(hearth.url, '/health');
        const shown = Date.parse(headers.get('date') ?? '') / 1000;
        return Math.abs(shown - clock - Date.now() / 1000);
      };
      await expect.poll(distance, { timeout: 10_000 }).toBeLessThan(5);

      // Whatever the clock says, busy models stay loaded, requests work, and durations are correct.
      await nextDelta();
      const previous = random() < 0.5 ? ledger.ids().at(-1) : undefined;
      const { status, body } = await post(hearth.url, '/api/v1/chat', {
        model,
        input: `Hello ${jump}!`,
        reasoning: 'off',
        max_output_tokens: 8,
        ...(previous !== undefined && { previous_response_id: previous }),
      });
      expect(status, JSON.stringify(body)).toBe(200);
      ledger.addStored(body.response_id, body.output);
      const numbers = Object.values(body.stats).filter((value) => typeof value === 'number');
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
      expect(body.stats.time_to_first_token_seconds).toBeLessThan(60);

      const job = (await get(hearth.url, download)).body;
      expect(job.bytes_per_second ?? 1).toBeGreaterThan(0);
      expect(['downloading', 'completed']).toContain(job.status);
      await assertLimit();
      expect(await ledger.findLosses(hearth.url, ledger.ids().slice(-3))).toEqual([]);
    }
    busy.disconnect();

    hub.faults.clear();
    const status = async () => (await get(hearth.url, download)).body.status;
    await expect.poll(status, { timeout: 60_000 }).toBe('completed');
    expect(await ledger.findLosses(hearth.url)).toEqual([]);

    // The requests were counted while the clock was ahead.
    for (const shift of [24 * hour, 0]) {
      await hearth.stop();
      setClock(shift);
      await hearth.restart();
      await assertLimit();
    }
    report(`clock-jumps: ${jumps} jumps, ${ledger.storedCount} answers acknowledged, none lost`);

    async function nextDelta(): Promise<void> {
      const event = await busy.next();
      if (event !== undefined && !/"type":"(?:error|chat\.end)"/.test(event.data)) return;
      // The context of the endless answer is full.
      expect(event?.data).not.toContain('"type":"error"');
      busy = await openStream(hearth.url, '/api/v1/chat', { model: endlessModel, input: 'Go' });
      await busy.until('delta');
    }
    /** Checks that one request per second is within the limit. */
    async function assertLimit(): Promise<void> {
      const headers = { authorization: `Bearer ${limited}` };
      const request = { model, input: 'Hello!', store: false, max_output_tokens: 1 };
      const answer = await post(hearth.url, '/api/v1/chat', request, { headers });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    }
  },
);
