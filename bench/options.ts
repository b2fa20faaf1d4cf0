import { Command, InvalidArgumentError } from 'commander';
import { measurementNames, type MeasurementName } from './measurements/names.ts';

export interface BenchOptions {
  /** A GGUF file to measure with, instead of the starter model of the same type. */
  readonly model: string | undefined;
  /** Base of an OpenAI-compatible server to compare with, such as `http://127.0.0.1:8000/v1`. */
  readonly against: string | undefined;
  /** Name of the model on that server; defaults to the first model in its list. */
  readonly againstModel: string | undefined;
  readonly rounds: number;
  readonly only: readonly MeasurementName[];
  readonly threads: number;
  readonly parallel: number;
  /** Maximum number of tokens of an answer. */
  readonly maxTokens: number;
  /** Approximate duration of one measurement of one server in one round. */
  readonly budgetMs: number;
  readonly streams: readonly number[];
  /** Folder for a CPU profile of Hearth. */
  readonly profile: string | undefined;
  readonly isJson: boolean;
  /** File for the JSON; standard output by default. */
  readonly jsonFile: string | undefined;
  readonly isQuick: boolean;
  /** Files to compare memory estimates with, besides the starter models. If absent, everything else is measured. */
  readonly estimates: readonly string[] | undefined;
}

/**
 * Parses the command line.
 *
 * @throws CommanderError for `--help` and for an invalid command line, after printing the reason.
 */
export function parseOptions(
  commandLine: readonly string[],
  print: (text: string) => void,
): BenchOptions {
  const command = new Command('bench')
    .description('Measures Hearth beside a bare server of the same runtime, alternately.')
    .option('--model <file>', 'a GGUF file, in place of the starter model of its kind')
    .option('--against <url>', 'an OpenAI-compatible server, in place of the bare one')
    .option('--against-model <name>', 'what that server calls the model')
    .option('--rounds <number>', 'rounds of each measurement', wholeNumber)
    .option('--only <names>', `some of ${measurementNames.join(', ')}`, measurements)
    .option('--threads <number>', 'CPU threads of each engine', wholeNumber, 1)
    .option('--parallel <number>', 'requests that each engine works on at once', wholeNumber, 8)
    .option('--max-tokens <number>', 'most tokens of an answer', wholeNumber)
    .option('--quick', 'one short round, to see that everything runs')
    .option('--profile <folder>', 'write a CPU profile of Hearth there')
    .option('--json [file]', 'write the results as JSON, to a file or to standard output')
    .option('--estimates [files...]', 'compare memory estimates with what engines take, alone')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print })
    .parse([...commandLine], { from: 'user' });
  const values = command.opts<{
    model?: string;
    against?: string;
    againstModel?: string;
    rounds?: number;
    only?: readonly MeasurementName[];
    threads: number;
    parallel: number;
    maxTokens?: number;
    quick?: boolean;
    profile?: string;
    json?: true | string;
    estimates?: true | readonly string[];
  }>();
  const isQuick = values.quick === true;
  return {
    model: values.model,
    against: values.against,
    againstModel: values.againstModel,
    rounds: values.rounds ?? (isQuick ? 1 : 5),
    only: values.only ?? measurementNames,
    threads: values.threads,
    parallel: values.parallel,
    // The starter model ends its story itself; other models would continue endlessly.
    maxTokens: values.maxTokens ?? (values.model === undefined ? 512 : 128),
    budgetMs: isQuick ? 300 : 2000,
    streams: isQuick ? [1, 8] : [1, 4, 8, 16],
    profile: values.profile,
    isJson: values.json !== undefined,
    jsonFile: typeof values.json === 'string' ? values.json : undefined,
    isQuick,
    estimates: values.estimates === true ? [] : values.estimates,
  };
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number of at least 1.');
}

function measurements(text: string): readonly MeasurementName[] {
  return text.split(',').map((name) => {
    const known = measurementNames.find((candidate) => candidate === name.trim());
    if (known !== undefined) return known;
    throw new InvalidArgumentError(`Known are: ${measurementNames.join(', ')}.`);
  });
}
