import type { ChatStats } from '../../api/v1/chat/chat-schema.ts';
import { createChat } from '../../api/v1/chat/chat-event-schema.ts';
import { getStatus } from '../../api/v1/server/status-schema.ts';
import { getModel, loadModel } from '../../api/v1/models/model-schema.ts';
import { formatBytes, formatCount, formatDuration } from '../../kernel/format.ts';
import { printable } from '../../kernel/printable.ts';
import { checkChatModel } from '../check-model.ts';
import type { Client } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { defineCommand } from '../command.ts';
import { clientOptions, integer, required } from '../option.ts';
import { withElapsed } from '../ui/progress.ts';
import { writeFields, writeTable } from '../ui/table.ts';

/** Measurements of one request. */
export interface BenchRun {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly firstTokenSeconds: number;
  /** Prompt tokens per second until the first token. */
  readonly promptSpeed: number;
  /** Generated tokens per second; null if the answer has one token. */
  readonly outputSpeed: number | null;
}

export function toRun(stats: ChatStats): BenchRun {
  const { time_to_first_token_seconds: first, tokens_per_second: speed } = stats;
  return {
    inputTokens: stats.input_tokens,
    outputTokens: stats.total_output_tokens,
    firstTokenSeconds: first,
    promptSpeed: first > 0 ? stats.input_tokens / first : 0,
    outputSpeed: stats.total_output_tokens > 1 ? speed : null,
  };
}

/** Medians over the runs, so that a single slow run does not matter. */
export function summarize(runs: readonly BenchRun[]): BenchRun {
  const speeds = runs.flatMap(({ outputSpeed }) => (outputSpeed === null ? [] : [outputSpeed]));
  return {
    inputTokens: median(runs.map((run) => run.inputTokens)),
    outputTokens: median(runs.map((run) => run.outputTokens)),
    firstTokenSeconds: median(runs.map((run) => run.firstTokenSeconds)),
    promptSpeed: median(runs.map((run) => run.promptSpeed)),
    outputSpeed: speeds.length === 0 ? null : median(speeds),
  };
}

/** The median; 0 if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

const words = ['river', 'stone', 'light', 'table', 'green', 'seven', 'paper', 'ocean', 'music'];

/** The number of tokens in a prompt of `benchPrompt`. */
export interface PromptLength {
  readonly wordCount: number;
  readonly tokens: number;
}

/** The number of words for a prompt of this many tokens, interpolated from two measured prompts; at least one. */
export function wordCountFor(tokens: number, short: PromptLength, long: PromptLength): number {
  const perWord = (long.tokens - short.tokens) / (long.wordCount - short.wordCount);
  const fixed = short.tokens - short.wordCount * perWord;
  return Math.max(1, Math.floor((tokens - fixed) / perWord));
}

/**
 * A prompt with a list of words. It starts with the number of the run, so that no run finds the prompt of another in
 * the cache.
 */
export function benchPrompt(wordCount: number, run: number): string {
  const list = Array.from({ length: wordCount }, (_, index) => {
    const word = words[(index * 7 + run) % words.length];
    return word ?? '';
  });
  return `Run ${run}. Continue this list with many more words: ${list.join(' ')}`;
}

export const bench = defineCommand({
  positionals: { model: required('Model key, optionally with @quantization') },
  options: {
    promptTokens: integer(
      '--prompt-tokens <tokens>',
      'Length of the prompt (default: 512)',
      32,
      1e6,
    ),
    outputTokens: integer(
      '--output-tokens <tokens>',
      'Maximum length of the answer (default: 128)',
      2,
      100_000,
    ),
    runs: integer('--runs <runs>', 'Number of measured requests (default: 3)', 1, 100),
    ...clientOptions,
  },
  examples: [
    'hearth bench hearth/starter-chat',
    'hearth bench hearth/starter-chat --prompt-tokens 2048 --runs 5 --json',
  ],
  async run({ context, options, positionals: { model } }) {
    const { terminal, signal } = context;
    const { output, messages } = terminal;
    const client = await connect(context, options);
    await checkChatModel(client, model, signal);
    const { instanceId, loadSeconds } = await ensureLoaded(client, model, messages, signal);
    const ask = async (wordCount: number, run: number, outputTokens: number): Promise<BenchRun> => {
      const body = {
        model: instanceId,
        input: benchPrompt(wordCount, run),
        temperature: 0,
        max_output_tokens: outputTokens,
        store: false,
      };
      const { stats } = await client.call(createChat, { body }, signal);
      return toRun(stats);
    };
    const [short, long] = [await measurePrompt(ask, 8), await measurePrompt(ask, 40)];
    const wordCount = wordCountFor(options.promptTokens ?? 512, short, long);
    const measure = (run: number) => ask(wordCount, run, options.outputTokens ?? 128);
    // Warms up: the first request also fills caches of the system.
    await measure(0);
    const runs: BenchRun[] = [];
    for (let run = 1; run <= (options.runs ?? 3); run += 1) {
      runs.push(
        await withElapsed(messages, `Run ${run} of ${options.runs ?? 3}`, () => measure(run)),
      );
    }
    const middle = summarize(runs);
    const server = await client.call(getStatus, {}, signal);
    const instance = server.instances.find(({ id }) => id === instanceId);
    const runtime =
      server.runtime === null ? null : `${server.runtime.name} ${server.runtime.version}`;
    if (options.json === true) {
      output.json({
        model,
        version: server.version,
        runtime,
        context_length: instance?.config.context_length ?? null,
        load_time_seconds: loadSeconds ?? null,
        resident_bytes: instance?.resident_bytes ?? null,
        estimated_bytes: instance?.estimated_bytes ?? null,
        median: toRecord(middle),
        runs: runs.map(toRecord),
      });
      return;
    }
    writeTable(
      output,
      [
        { title: 'RUN', value: ([name]) => name },
        {
          title: 'PROMPT',
          value: ([, run]) => formatCount(Math.round(run.inputTokens)),
          isNumber: true,
        },
        { title: 'PROMPT TOK/S', value: ([, run]) => formatSpeed(run.promptSpeed), isNumber: true },
        {
          title: 'FIRST TOKEN',
          value: ([, run]) => formatDuration(run.firstTokenSeconds),
          isNumber: true,
        },
        {
          title: 'OUTPUT',
          dropOrder: 1,
          value: ([, run]) => formatCount(Math.round(run.outputTokens)),
          isNumber: true,
        },
        { title: 'TOK/S', value: ([, run]) => formatSpeed(run.outputSpeed), isNumber: true },
      ],
      [
        ...runs.map((run, index): readonly [string, BenchRun] => [String(index + 1), run]),
        ['median', middle] as const,
      ],
    );
    output.line();
    writeFields(output, [
      ['Model', printable(model)],
      ['Runtime', `${runtime ?? 'unknown'}, Hearth ${server.version}`],
      ['Context', instance === undefined ? undefined : formatCount(instance.config.context_length)],
      [
        'Memory',
        instance?.resident_bytes === undefined ? undefined : formatBytes(instance.resident_bytes),
      ],
      ['Load time', loadSeconds === undefined ? 'already loaded' : formatDuration(loadSeconds)],
    ]);
  },
});

/** Measures the number of tokens in a prompt. */
async function measurePrompt(
  ask: (wordCount: number, run: number, outputTokens: number) => Promise<BenchRun>,
  wordCount: number,
): Promise<PromptLength> {
  const { inputTokens } = await ask(wordCount, 0, 2);
  return { wordCount, tokens: inputTokens };
}

async function ensureLoaded(
  client: Client,
  model: string,
  messages: Parameters<typeof withElapsed>[0],
  signal: AbortSignal,
): Promise<{ readonly instanceId: string; readonly loadSeconds?: number }> {
  const { loaded_instances: instances } = await client.call(
    getModel,
    { params: { model } },
    signal,
  );
  const [first] = instances;
  if (first !== undefined) return { instanceId: first.id };
  const loaded = await withElapsed(messages, `Loading ${printable(model)}`, () =>
    client.call(loadModel, { body: { model, ttl: 600 } }, signal),
  );
  if (loaded.status !== 'loaded') throw new TypeError('An estimate was not requested.');
  return { instanceId: loaded.instance_id, loadSeconds: loaded.load_time_seconds };
}

function formatSpeed(speed: number | null): string {
  if (speed === null) return '-';
  return speed < 100 ? speed.toFixed(1) : formatCount(Math.round(speed));
}

function toRecord(run: BenchRun) {
  return {
    input_tokens: run.inputTokens,
    output_tokens: run.outputTokens,
    time_to_first_token_seconds: run.firstTokenSeconds,
    prompt_tokens_per_second: run.promptSpeed,
    output_tokens_per_second: run.outputSpeed,
  };
}
