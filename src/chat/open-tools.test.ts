import { describe, expect, it, vi } from 'vitest';
import { deferred } from '../../test/setup/deferred.ts';
import { openFrom } from '../../test/setup/instances/scripted-pool.ts';
import { scriptedTool, scriptedTools } from '../../test/setup/chat/scripted-tools.ts';
import {
  generationEnd as end,
  resultOf,
  scriptedTurnsWith,
} from '../../test/setup/chat/scripted-turn.ts';
import { HearthError } from '../kernel/errors/errors.ts';
import type { GenerationEvent } from '../engines/engine.ts';
import type { ToolServers } from '../tools/toolbox.ts';
import type { TurnEvent } from './turn-event.ts';

const integrations = [{ type: 'plugin', id: 'mcp/test' }] as const;
const unreachable = new HearthError('plugin_unreachable', 'It is gone.', {
  field: 'integrations[0]',
});

async function* answer(): AsyncGenerator<GenerationEvent> {
  yield { type: 'content.delta', text: 'Hi' };
  yield end;
}

async function setUp(
  changes: Partial<ToolServers>,
  options: Parameters<typeof scriptedTurnsWith>[0] = {},
) {
  const { open, ...servers } = { ...scriptedTools(), ...changes };
  const opened = vi.fn<typeof open>(open);
  const turns = await scriptedTurnsWith(
    { ...options, toolServers: { ...servers, open: opened } },
    answer,
  );
  const run = (signal?: AbortSignal) => turns.run({ integrations }, signal);
  return { ...turns, run, opened };
}

const typesOf = (events: readonly TurnEvent[]) => events.map(({ type }) => type);

describe('the tools of a turn', () => {
  it('do not open while the turn queues for a slot', async () => {
    const options = { defaults: { contextLength: 2048, parallel: 1 } };
    const { run, pool, opened } = await setUp({}, options);
    const holder = await openFrom(pool, 'test/model');
    const running = run();
    await vi.waitFor(() => expect(pool.list()[0]?.queuedRequests).toBe(1));
    expect(opened).not.toHaveBeenCalled();
    holder.close();
    expect(resultOf(await running).items).toEqual([{ type: 'message', text: 'Hi' }]);
    expect(opened).toHaveBeenCalledOnce();
  });

  it('open while the model loads', async () => {
    const load = deferred<void>();
    const { run, launcher, opened } = await setUp({});
    launcher.onLaunch = () => load.promise;
    const running = run();
    await vi.waitFor(() => expect(opened).toHaveBeenCalledOnce());
    load.resolve();
    expect(typesOf(await running)).toContain('load.end');
    expect(opened).toHaveBeenCalledOnce();
  });

  it('end the turn if they fail while the model loads', async () => {
    const { run, launcher } = await setUp({ open: () => Promise.reject(unreachable) });
    const cancelled = vi.fn<() => void>();
    launcher.onLaunch = (_spec, _onProgress, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          cancelled();
          reject(signal.reason);
        });
      });
    const events = await run();
    expect(typesOf(events).slice(-2)).toEqual(['turn.error', 'turn.end']);
    expect(events.at(-2)).toMatchObject({ error: unreachable });
    expect(resultOf(events)).toMatchObject({ items: [], stopReason: null });
    expect(resultOf(events)).not.toHaveProperty('capabilities');
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce());
  });

  it.each([
    ['are listed as failed if the client wants to see them', { knownLabels: [] }, true],
    ['are not mentioned if the client knows them', { knownLabels: ['mcp/test'] }, false],
    ['are not mentioned if the client does not want to see them', undefined, false],
  ])('%s', async (_, toolLists, isListed) => {
    const opening = deferred<never>();
    const { start } = await setUp({ open: () => opening.promise });
    const lists: TurnEvent[] = [];
    for await (const event of start({ integrations, ...(toolLists && { toolLists }) })) {
      if (event.type === 'load.end') setTimeout(() => opening.reject(unreachable), 20);
      if (event.type.startsWith('toolList')) lists.push(event);
    }
    const provider = { type: 'plugin', pluginId: 'mcp/test' };
    const expected = [
      { type: 'toolList.start', provider },
      { type: 'toolList.failure', provider, error: unreachable },
    ];
    expect(lists).toEqual(isListed ? expected : []);
  });

  it('are listed with what their servers say of them, once where the turn begins again', async () => {
    const annotations = { readOnlyHint: true };
    const look = scriptedTool('look', async () => '', { description: 'Looks.', annotations });
    const turns = await scriptedTurnsWith(
      {},
      async function* (generation) {
        if (generation === 0) await turns.loseEngine();
        yield* answer();
      },
      look,
    );
    const events = await turns.run({ integrations, toolLists: { knownLabels: [] } });
    const provider = { type: 'plugin', pluginId: 'mcp/test' };
    const { parameters } = look;
    const tools = [{ name: 'look', description: 'Looks.', parameters, annotations }];
    const item = { type: 'toolList', provider, tools };
    expect(events.filter(({ type }) => type.startsWith('toolList'))).toEqual([
      { type: 'toolList.start', provider },
      { type: 'toolList.end', item },
    ]);
    expect(resultOf(events).items).toEqual([item, { type: 'message', text: 'Hi' }]);
  });

  it('are not listed as failed if the failed server is known', async () => {
    const opening = deferred<never>();
    const { start } = await setUp({ open: () => opening.promise });
    const both = [...integrations, { type: 'plugin', id: 'mcp/other' }] as const;
    const turn = start({ integrations: both, toolLists: { knownLabels: ['mcp/test'] } });
    const lists: TurnEvent[] = [];
    for await (const event of turn) {
      if (event.type === 'load.end') setTimeout(() => opening.reject(unreachable), 20);
      if (event.type.startsWith('toolList')) lists.push(event);
    }
    const provider = { type: 'plugin', pluginId: 'mcp/other' };
    expect(lists).toEqual([{ type: 'toolList.start', provider }]);
  });

  it('fail before the first event if the model is already loaded', async () => {
    const { run, pool } = await setUp({ open: () => Promise.reject(unreachable) });
    (await openFrom(pool, 'test/model')).close();
    await expect(run()).rejects.toBe(unreachable);
    expect(pool.list()).toMatchObject([{ requestCount: 0, activeRequests: 0 }]);
  });

  it('are checked before anything else happens', async () => {
    const { run, launcher, opened } = await setUp({ validate: () => Promise.reject(unreachable) });
    await expect(run()).rejects.toBe(unreachable);
    expect(launcher.launchCount()).toBe(0);
    expect(opened).not.toHaveBeenCalled();
  });

  it('close with the turn, which does not wait for them', async () => {
    const closing = deferred<void>();
    const close = vi.fn<() => Promise<void>>(() => closing.promise);
    const { run } = await setUp({ open: async () => ({ tools: () => [], close }) });
    await run();
    expect(close).toHaveBeenCalledOnce();
    closing.reject(new Error('It does not close.'));
  });

  it('close if they open after the client has left', async () => {
    const opening = deferred<void>();
    const close = vi.fn<() => Promise<void>>(async () => {});
    const left = new AbortController();
    const { run, pool, opened } = await setUp({
      open: async () => {
        await opening.promise;
        return { tools: () => [], close };
      },
    });
    const running = run(left.signal);
    await vi.waitFor(() => expect(opened).toHaveBeenCalled());
    left.abort(new Error('client left'));
    opening.resolve();
    await expect(running).rejects.toThrow('client left');
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce());
    await vi.waitFor(() => expect(pool.list()[0]?.requestCount ?? 0).toBe(0));
  });
});
