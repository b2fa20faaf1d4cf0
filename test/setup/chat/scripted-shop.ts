import type { GenerationEvent, GenerationRequest } from '../../../src/engines/engine.ts';
import type { TurnEvent } from '../../../src/chat/turn-event.ts';
import type { TurnRequest } from '../../../src/chat/turn-request.ts';
import { scriptedTool } from './scripted-tools.ts';
import { generationEnd as end, resultOf, scriptedTurns } from './scripted-turn.ts';

export const provider = { type: 'ephemeralMcp', serverLabel: 'shop' } as const;
export const integrations: TurnRequest['integrations'] = [
  { type: 'ephemeralMcp', serverLabel: 'shop', serverUrl: 'http://localhost/mcp' },
];

export const say = (text: string): GenerationEvent => ({ type: 'content.delta', text });
export const call = (index: number, name: string, argumentsJson = '{}'): GenerationEvent => ({
  type: 'toolCall.delta',
  index,
  id: `id${index}`,
  name,
  argumentsJson,
});

/** A tool server for a shop: its tool `buy` needs an approval, `look` does not. Each generation lists the model's calls. */
export async function openShop(...generations: readonly GenerationEvent[][]) {
  const bought: unknown[] = [];
  const buy = scriptedTool(
    'buy',
    async ({ what }) => {
      bought.push(what);
      return `Bought ${String(what)}`;
    },
    {
      provider,
      needsApproval: true,
      findArgumentIssue: ({ what }) => (what === undefined ? 'Buy what?' : undefined),
    },
  );
  const look = scriptedTool('look', async () => 'Bread and milk', { provider });
  const shop = await scriptedTurns(
    async function* (generation): AsyncGenerator<GenerationEvent> {
      const list = generations[Math.min(generation, generations.length - 1)] ?? [];
      yield* list;
      const hasCalls = list.some(({ type }) => type === 'toolCall.delta');
      yield hasCalls ? { ...end, stopReason: 'toolCalls' } : end;
    },
    buy,
    look,
  );
  const turn = async (changes: Partial<TurnRequest> = {}) => {
    const events = await shop.run({ integrations, ...changes });
    const { responseId = '', items } = resultOf(events);
    return { events, items, previousResponseId: responseId };
  };
  return { ...shop, turn, bought };
}

export const messagesOf = (request: GenerationRequest | undefined) =>
  request?.kind === 'chat' ? request.messages : [];
export const requestIds = (events: readonly TurnEvent[]) =>
  events.flatMap((event) => (event.type === 'toolCall.approval' ? [event.item.id] : []));

export const buyBread = call(0, 'buy', '{"what":"bread"}');
