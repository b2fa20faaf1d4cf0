import { repeat } from '../client/repeat.ts';
import { toRow } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const turnCount = 10;
const branchAfter = 5;
const answerTokens = 32;
const runs = { atLeast: 1, atMost: 5 };

interface Times {
  readonly warm: number;
  readonly reloaded: number;
  readonly branch: number;
}

/**
 * Measures the time to the first token of a conversation after its model was unloaded and loaded again, excluding the
 * load.
 */
export const measureWarmState: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  let serial = 0;
  const times = await interleave(rounds, { hearth, other }, (subject) =>
    repeat(budgetMs, runs, () => {
      serial += 1;
      return converse(subject, serial, signal);
    }),
  );
  const row = (name: string, value: (one: Times) => number, atMost?: number) =>
    toRow(
      { name, unit: 'ms', ...(atMost === undefined ? {} : { target: { of: 'ratio', atMost } }) },
      times.hearth.map((round) => round.map(value)),
      times.other.map((round) => round.map(value)),
    );
  return [
    row('TTFT, turn 10', ({ warm }) => warm),
    row('TTFT, turn 11 after reload', ({ reloaded }) => reloaded, 0.15),
    row('TTFT, branch after reload', ({ branch }) => branch),
  ];
};

async function converse(subject: Subject, serial: number, signal: AbortSignal): Promise<Times> {
  const systemPrompt = `Warm ${serial}: You are a friendly guide who knows the harbour and its ships well.`;
  const conversation = subject.converse(systemPrompt, answerTokens, signal);
  let warm = 0;
  let middle = conversation.branch();
  for (let turn = 1; turn <= turnCount; turn += 1) {
    warm = await conversation.say(question(turn));
    if (turn === branchAfter) middle = conversation.branch();
  }
  const reloaded = await (await conversation.reload()).say(question(turnCount + 1));
  const branch = await (await middle.reload()).say(question(turnCount + 2));
  return { warm, reloaded, branch };
}

function question(turn: number): string {
  return `Question ${turn}: what can be seen from pier ${turn} when the tide is low?`;
}
