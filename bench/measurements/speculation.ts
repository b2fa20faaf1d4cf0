import * as z from 'zod';
import type { Endpoint } from '../client/endpoint.ts';
import { post } from '../client/post.ts';
import { toRow, type Row } from '../row.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const instanceId = 'speculating';
const maxTokens = 192;

const code = `class Inventory:
    def __init__(self, name, capacity):
        self.name = name
        self.capacity = capacity
        self.items = {}

    def add_item(self, item, quantity):
        if quantity <= 0:
            raise ValueError("quantity must be positive")
        total = sum(self.items.values()) + quantity
        if total > self.capacity:
            raise ValueError("inventory is full")
        self.items[item] = self.items.get(item, 0) + quantity
`;
const orders = JSON.stringify({
  orders: [
    { id: 1041, customer: 'Ada Lovelace', items: [{ sku: 'BK-201', quantity: 2, price: 14.5 }] },
    { id: 1042, customer: 'Alan Turing', items: [{ sku: 'TM-110', quantity: 1, price: 99 }] },
  ],
});
const letter = `Dear Mr. Miller,

Thank you for your letter of March 3. We have received the three boxes that you sent to our office in Portland, and we have stored
them in the basement. The keys are with Mrs. Young at the front desk, who is there from nine to five on every weekday. Please call
her before you come, so that she can open the door for you.

Kind regards,
Helen Carter`;

const texts = [
  {
    name: 'answers that repeat their prompt',
    atLeast: 1.25,
    prompts: [
      `Rename the class Inventory to Stock in this file and answer with the whole new file:\n\n${code}`,
      `Here is a Python file. Write the whole file again, unchanged:\n\n${code}`,
      `Write this JSON again, with the status "closed" added to each order:\n\n${orders}`,
      `Replace the name Miller by Brown in this letter and write the whole letter again:\n\n${letter}`,
      `Repeat the following text word for word:\n\n${letter}`,
    ],
  },
  {
    name: 'ordinary answers',
    atLeast: 0.98,
    prompts: [
      'Tell me a story about a fox that travels to the sea.',
      'Explain how photosynthesis works to a student.',
      'Write an email to my landlord about a broken heater.',
      'What are the advantages and disadvantages of electric cars?',
    ],
  },
] as const;

const answer = z.object({ stats: z.object({ tokens_per_second: z.number() }) });

/**
 * Compares the tokens per second of an instance for which a load may choose speculation with an instance without
 * speculation.
 */
export const measureSpeculation: Measurement = async ({ options, hearth, signal }) => {
  const { connection, model } = hearth.chat;
  const loading = { connection, path: '/api/v1/models/load', model };
  await post(loading, { identifier: instanceId, speculation: 'auto' }, signal);
  const rows: Row[] = [];
  try {
    const sides = { hearth: { ...hearth.chat, model: instanceId }, other: hearth.chat };
    for (const { name, atLeast, prompts } of texts) {
      const speeds = await interleave(options.rounds, sides, (endpoint) =>
        speedsOf(endpoint, prompts, signal),
      );
      const target = { of: 'ratio', atLeast } as const;
      rows.push(
        toRow(
          { name: `speculation against none, ${name}`, unit: 'tokens/s', target },
          speeds.hearth,
          speeds.other,
        ),
      );
    }
  } finally {
    const unloading = { connection, path: '/api/v1/models/unload', model };
    await post(unloading, { instance_id: instanceId, model: undefined }, signal);
  }
  return rows;
};

async function speedsOf(
  endpoint: Endpoint,
  prompts: readonly string[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  const speeds: number[] = [];
  for (const prompt of prompts) {
    const messages = [{ role: 'user', content: prompt }];
    const reply = await post(endpoint, { messages, temperature: 0, max_tokens: maxTokens }, signal);
    speeds.push(answer.parse(reply).stats.tokens_per_second);
  }
  return speeds;
}
