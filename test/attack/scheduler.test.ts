import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { get, post, type ApiAnswer } from '../setup/server/api.ts';
import { startHearth } from '../setup/server/hearth-process.ts';
import { instancesOf } from '../setup/server/instances.ts';
import { placeModel } from '../setup/models/place-model.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth } from '../setup/server/use-hearth.ts';
import { seededRandom } from '../setup/seeded-random.ts';

const chatModels = ['six/a', 'six/b', 'six/c', 'six/d', 'six/e'] as const;
const embedModel = 'six/embed';
const models = [...chatModels, embedModel] as const;
/** More operations take longer and test more. */
const operationCount = Number(process.env['HEARTH_TEST_OPERATIONS'] ?? 100);

let limitBytes: number;

async function estimate(url: string, model: string): Promise<ApiAnswer> {
  return post(url, '/api/v1/models/load', { model, estimate_only: true });
}

const hearth = useHearth(async (home) => {
  const chat = await readFile(starterPath('chat'));
  for (const model of chatModels) await placeModel(home, model, chat);
  await placeModel(home, embedModel, await readFile(starterPath('embed')));
  const unlimited = await startHearth(home, {});
  const { body } = await estimate(unlimited.url, 'six/a');
  await unlimited.stop();
  limitBytes = Math.floor(body.estimate.total_bytes * 2.5);
  return {
    flags: [`--models-memory-limit-bytes=${limitBytes}`, '--models-auto-evict=false'],
  };
});

function ask(model: string, isV1: boolean): Promise<ApiAnswer> {
  if (model === embedModel) return post(hearth.url, '/api/v0/embeddings', { model, input: 'Hi' });
  return isV1
    ? post(hearth.url, '/api/v1/chat', { model, input: 'Hi', store: false, max_output_tokens: 20 })
    : post(hearth.url, '/api/v0/chat/completions', {
        model,
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hi' }],
      });
}

// covers server-14
describe('six models if there is memory for two', () => {
  // covers v1-chat-31, server-14
  it(`serves ${operationCount} random operations within the limit, and interrupts no running request`, async () => {
    const random = seededRandom(4);
    const pick = <T>(values: readonly T[]): T | undefined =>
      values[Math.floor(random() * values.length)];
    const outcomes = new Map<string, number>();
    const count = (outcome: string): void =>
      void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    /** Models that were loaded by name and not unloaded yet. */
    const named = new Set<string>();
    /** Number of times that each model was unloaded by name. */
    const unloads = new Map<string, number>();
    /** Unexplained responses. */
    const surprises: unknown[] = [];
    const unloadsOf = (model: string): number => unloads.get(model) ?? 0;

    const unload = async (id: string): Promise<void> => {
      const model = id.replace(/:\d+$/, '');
      named.delete(id);
      unloads.set(model, unloadsOf(model) + 1);
      const { status } = await post(hearth.url, '/api/v1/models/unload', { instance_id: id });
      count(`unload ${status}`);
    };
    const load = async (model: string): Promise<void> => {
      const answer = await post(hearth.url, '/api/v1/models/load', { model });
      if (answer.status === 200) named.add(answer.body.instance_id);
      else if (answer.body.error.code !== 'out_of_memory') surprises.push(answer.body);
      count(`load ${answer.body.error?.code ?? answer.status}`);
    };
    const request = async (model: string, isV1: boolean): Promise<void> => {
      const before = unloadsOf(model);
      const { status, body } = await ask(model, isV1);
      count(`request ${body.error?.code ?? status}`);
      if (status === 200) return;
      // Only explicit operations may block a load: two models loaded by name, or an unload.
      const { code, message } = body.error;
      const isRefused = code === 'out_of_memory' && message.includes('stay loaded');
      const isUnloaded = code === 'unloaded' && unloadsOf(model) > before;
      if (!isRefused && !isUnloaded) surprises.push(body);
    };

    let doneCount = 0;
    const work = async (): Promise<void> => {
      while (doneCount < operationCount) {
        doneCount += 1;
        const dice = random();
        const model = pick(models) ?? embedModel;
        const victim = pick([...named]);
        if (named.size > 1 && victim !== undefined) await unload(victim);
        else if (dice < 0.1) await load(model);
        else if (dice < 0.2 && victim !== undefined) await unload(victim);
        else await request(model, random() < 0.5);
      }
    };
    const done = new AbortController();
    let maxBytes = 0;
    const watch = async (): Promise<void> => {
      while (!done.signal.aborted) {
        const { body } = await get(hearth.url, '/api/v1/status');
        expect(body.memory.limit_bytes).toBe(limitBytes);
        expect(body.memory.reserved_bytes).toBeLessThanOrEqual(limitBytes);
        const holding = body.instances.filter(
          ({ state, model }: { state: string; model: string }) =>
            state !== 'waiting' && model !== embedModel,
        );
        // There is memory for two models with full caches. With smaller caches more may fit, but never all.
        expect(holding.length).toBeLessThan(chatModels.length);
        maxBytes = Math.max(maxBytes, body.memory.reserved_bytes);
        await delay(20);
      }
    };
    const startedAt = performance.now();
    const working = Promise.all(Array.from({ length: 8 }, work)).finally(() => done.abort());
    await Promise.all([watch(), working]);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    if (process.env['HEARTH_TEST_OPERATIONS'] !== undefined) {
      console.info({ seconds, maxBytes, limitBytes, ...Object.fromEntries(outcomes) });
    }
    expect(surprises).toEqual([]);
    expect(outcomes.get('request 200')).toBeGreaterThan(operationCount / 2);
    for (const each of (await instancesOf(hearth.url)).values()) {
      expect(each).toMatchObject({ state: 'ready', active_requests: 0, queued_requests: 0 });
    }
    expect(hearth.log()).not.toContain('engine crashed');
  }, 300_000);
});
