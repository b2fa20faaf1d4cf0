import { describe, expect, it } from 'vitest';
import { stream } from '../setup/server/api.ts';
import { writeScriptedEngine } from '../setup/engine/scripted-engine.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

/** The fractions that a v1 chat reports while its model loads. */
async function loadFractions(url: string, input: string): Promise<readonly number[]> {
  const request = { model: 'hearth/starter-chat', input, store: false };
  const events = await stream(url, '/api/v1/chat', request);
  const types = events.map(({ event }) => event);
  expect(types.lastIndexOf('model_load.progress')).toBeLessThan(types.indexOf('model_load.end'));
  return events
    .filter(({ event }) => event === 'model_load.progress')
    .map(({ data }) => (JSON.parse(data) as { readonly progress: number }).progress);
}

describe('the progress of a load', () => {
  // The tests' models load too fast, so the steps come from an engine that reports quarters.
  const scripted = useHearth(async (home) => ({
    flags: [`--engine-llama-server=${await writeScriptedEngine(home)}`],
  }));
  const hearth = useHearth();

  it('is that which the engine process reports', async () => {
    const script = JSON.stringify([{ text: 'Hello.' }]);
    expect(await loadFractions(scripted.url, script)).toEqual([0, 0.25, 0.5, 0.75, 1]);
  });

  // covers v1-event-2
  it('goes from 0 to 1 with the real engine', async () => {
    const fractions = await loadFractions(hearth.url, 'Hello!');
    expect(fractions[0]).toBe(0);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions).toEqual(fractions.toSorted((one, other) => one - other));
  });
});
