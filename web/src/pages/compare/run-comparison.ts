import type { ChatEvent } from '../../../../src/api/v1/chat/chat-event-schema.ts';
import { call, stream } from '../../api/client.ts';
import { messageOf } from '../../ui/toasts.ts';
import { toSideBody, withChatEvent, type SideAnswer, type SideSettings } from './side.ts';

type Change = (side: number, change: (answer: SideAnswer) => SideAnswer) => void;

interface Comparison {
  readonly sides: readonly SideSettings[];
  readonly prompt: string;
  readonly system: string;
  readonly signal: AbortSignal;
  readonly change: Change;
  /** Called before the first answer if the models do not fit into memory together. */
  readonly onTurns: () => void;
}

/** Sends the prompt to both sides: concurrently, or one after the other if their models do not fit into memory together. */
export async function runComparison(comparison: Comparison): Promise<void> {
  const { sides, signal, onTurns } = comparison;
  const loaded = await loadedModels(signal);
  if (await fitTogether(sides, loaded, signal)) {
    // Loads the models one after the other: concurrent loads would compete for memory that the estimates assume to be
    // free.
    for (const index of sides.keys()) await ensureLoaded(comparison, index, loaded);
    await Promise.all(sides.map((_, index) => ask(comparison, index)));
    return;
  }
  onTurns();
  for (const index of sides.keys()) {
    const instance = await ensureLoaded(comparison, index, loaded);
    await ask(comparison, index);
    if (instance === undefined) continue;
    await call('post', '/api/v1/models/unload', { body: { instance_id: instance } }, { signal });
    loaded.delete(sides[index]?.model ?? '');
  }
}

async function loadedModels(signal: AbortSignal): Promise<Set<string>> {
  const { models } = await call('get', '/api/v1/models', {}, { signal });
  return new Set(
    models.filter(({ loaded_instances }) => loaded_instances.length > 0).map(({ key }) => key),
  );
}

async function fitTogether(
  sides: readonly SideSettings[],
  loaded: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const missing = new Set(sides.map(({ model }) => model).filter((model) => !loaded.has(model)));
  const estimates = await Promise.all(
    [...missing].map((model) =>
      call('post', '/api/v1/models/estimate', { body: { model } }, { signal }),
    ),
  );
  const needed = estimates.reduce((sum, { total_bytes }) => sum + total_bytes, 0);
  return estimates.every(({ usable_bytes }) => needed <= usable_bytes);
}

/** Loads the model of a side unless it is loaded. Returns the new instance. */
async function ensureLoaded(
  { sides, change, signal }: Comparison,
  index: number,
  loaded: Set<string>,
): Promise<string | undefined> {
  const model = sides[index]?.model ?? '';
  if (loaded.has(model)) return undefined;
  change(index, (answer) => ({ ...answer, phase: 'loading' }));
  const result = await call('post', '/api/v1/models/load', { body: { model } }, { signal });
  loaded.add(model);
  if (result.status !== 'loaded') return undefined;
  change(index, (answer) => ({
    ...answer,
    phase: 'waiting',
    loadSeconds: result.load_time_seconds,
  }));
  return result.instance_id;
}

async function ask({ sides, prompt, system, signal, change }: Comparison, index: number) {
  const side = sides[index];
  if (side === undefined) return;
  change(index, (answer) => ({ ...answer, phase: 'generating' }));
  try {
    const body = toSideBody(side, { prompt, system });
    for await (const { data } of stream('post', '/api/v1/chat', { body }, { signal })) {
      change(index, (answer) => withChatEvent(answer, JSON.parse(data) as ChatEvent));
    }
  } catch (error) {
    if (signal.aborted) throw error;
    change(index, (answer) => ({ ...answer, phase: 'done', error: messageOf(error) }));
  }
}
