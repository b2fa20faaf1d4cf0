import { repeat } from '../client/repeat.ts';
import { toRow } from '../row.ts';
import type { Subject } from '../subjects/subject.ts';
import { interleave } from './interleave.ts';
import type { Measurement } from './measurement.ts';

const turnCount = 10;
/** The turn after which the conversation branches. */
const branchAfter = 5;
const answerTokens = 32;
const runs = { atLeast: 2, atMost: 20 };

interface Times {
  readonly first: number;
  readonly tenth: number;
  readonly branch: number;
}

/** Measures the time to the first token as a conversation grows, and on a branch of it. */
export const measureConversation: Measurement = async ({ options, hearth, other, signal }) => {
  const { rounds, budgetMs } = options;
  let serial = 0;
  const times = await interleave(rounds, { hearth, other }, (subject) =>
    repeat(budgetMs, runs, () => {
      serial += 1;
      return converse(subject, serial, signal);
    }),
  );
  const row = (name: string, unit: string, value: (one: Times) => number, atMost?: number) =>
    toRow(
      { name, unit, ...(atMost === undefined ? {} : { target: { of: 'Hearth', atMost } }) },
      times.hearth.map((round) => round.map(value)),
      times.other.map((round) => round.map(value)),
    );
  return [
    row('TTFT, turn 1', 'ms', ({ first }) => first),
    row('TTFT, turn 10', 'ms', ({ tenth }) => tenth),
    row('TTFT, turn 10 / turn 1', '×', ({ first, tenth }) => tenth / first, 1.5),
    row('TTFT, branch / turn 1', '×', ({ first, branch }) => branch / first, 1.5),
  ];
};

async function converse(subject: Subject, serial: number, signal: AbortSignal): Promise<Times> {
  const systemPrompt = `${serial}: You are a friendly guide who knows the harbour and its ships well.`;
  const conversation = subject.converse(systemPrompt, answerTokens, signal);
  const first = await conversation.say(question(1));
  let branch = conversation.branch();
  let tenth = first;
  for (let turn = 2; turn <= turnCount; turn += 1) {
    tenth = await conversation.say(question(turn));
    if (turn === branchAfter) branch = conversation.branch();
  }
  return { first, tenth, branch: await branch.say(question(turnCount + 1)) };
}

function question(turn: number): string {
  return `Question ${turn}: what can be seen from pier ${turn} when the tide is low?`;
}
