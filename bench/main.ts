import { CommanderError } from 'commander';
import { setMaxListeners } from 'node:events';
import { describeFailure } from '../src/cli/failure.ts';
import { createTerminal } from '../src/cli/ui/terminal.ts';
import { runEstimates } from './estimates/run-estimates.ts';
import { parseOptions } from './options.ts';
import { runBench } from './run-bench.ts';

const { stdout, stderr, env: environment } = process;
const terminal = createTerminal({ stdout, stderr, environment });
const stopping = new AbortController();
// Each running request adds a listener.
setMaxListeners(0, stopping.signal);
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stopping.abort(new Error(`Stopped by ${name}.`)));
}

try {
  const options = parseOptions(process.argv.slice(2), (text) => terminal.messages.write(text));
  const { estimates } = options;
  await (estimates === undefined
    ? runBench(options, terminal, stopping.signal)
    : runEstimates(options, estimates, terminal, stopping.signal));
} catch (error) {
  const isSaid = error instanceof CommanderError;
  if (!isSaid) terminal.messages.line(describeFailure(error));
  process.exitCode = isSaid ? error.exitCode : 1;
}
