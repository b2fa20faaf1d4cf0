import { estimateModel } from '../../api/v1/models/model-details-schema.ts';
import { getModel, listModels } from '../../api/v1/models/model-schema.ts';
import { formatCount } from '../../kernel/format.ts';
import { nearest } from '../../kernel/nearest.ts';
import { ApiError } from '../client/client-error.ts';
import { type Client, createClient } from '../client/client.ts';
import { connect } from '../client/connect.ts';
import { checkChatModel } from '../check-model.ts';
import { defineCommand } from '../command.ts';
import { findDefaultModel } from '../conversation/choose-chat-model.ts';
import { CommandError, UsageError } from '../failure.ts';
import { type CodingAgent, codingAgents } from '../launch/coding-agents.ts';
import { clientOptions, flag, optional, rest, text } from '../option.ts';
import { writeTable } from '../ui/table.ts';
import { formatCommand } from '../service/show-steps.ts';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Instructions and tools of an agent alone take 10,000 to 20,000 tokens. */
const enoughTokens = 24_576;
/** Agents do not get shorter lengths, which are too short for their first prompt. */
const fewestTokens = 10_000;

export const launch = defineCommand({
  positionals: {
    agent: optional('Coding agent, such as codex (default: list all)'),
    arguments: rest('Arguments for the agent, after --'),
  },
  options: {
    model: text('-m, --model <model>', 'Model (default: the loaded model, or hearth/starter-chat)'),
    run: flag('--run', 'Start the agent instead of printing how to start it'),
    ...clientOptions,
  },
  examples: [
    'hearth launch',
    'hearth launch codex --model qwen/qwen3-8b',
    'hearth launch claude --run',
    'hearth launch codex --run -- exec "Fix the failing test"',
  ],
  async run({ context, options, positionals }) {
    const { environment, terminal, signal } = context;
    if (positionals.agent === undefined) {
      if (options.json === true) {
        terminal.output.json(
          codingAgents.map(({ name, title, install }) => ({ name, title, install })),
        );
      } else {
        writeTable(
          terminal.output,
          [
            { title: 'NAME', value: ({ name }) => name },
            { title: 'AGENT', value: ({ title }) => title },
            { title: 'INSTALL', value: ({ install }) => install },
          ],
          codingAgents,
        );
      }
      return 0;
    }
    const agent = findAgent(positionals.agent);
    const client = await connect(context, options);
    const token = options.token ?? environment['HEARTH_TOKEN'] ?? '';
    // Does not pass the owner's token, which has all permissions: an agent runs commands that a
    // model writes.
    const ownClient = createClient({
      baseUrl: client.baseUrl,
      token: token === '' ? undefined : token,
    });
    await assertAccess(ownClient, agent, signal);
    const model = options.model ?? (await findDefaultModel(ownClient, signal));
    await checkChatModel(ownClient, model, signal);
    const length = await findContextLength(ownClient, model, signal);
    const target = {
      url: client.baseUrl,
      token: token === '' ? 'any' : token,
      model,
      contextLength: length !== undefined && length.now >= fewestTokens ? length.now : undefined,
    };
    const variables = agent.environment(target);
    const command = [
      agent.program,
      ...(agent.arguments?.(target) ?? []),
      ...positionals.arguments,
    ] as const;
    if (length !== undefined && length.now < enoughTokens) {
      terminal.messages.line(shortContext(model, length));
    }
    if (options.run === true) {
      return runProgramInTerminal(command, { ...environment, ...variables }, agent.install, signal);
    }
    if (options.json === true) terminal.output.json({ environment: variables, command });
    else {
      for (const line of shellCommands(variables, command, process.platform)) {
        terminal.output.line(line);
      }
    }
    return 0;
  },
});

function findAgent(name: string): CodingAgent {
  const found = codingAgents.find((agent) => agent.name === name);
  if (found !== undefined) return found;
  const names = codingAgents.map((agent) => agent.name);
  const meant = nearest(name, names);
  const advice = meant === undefined ? `Allowed: ${names.join(', ')}.` : `Did you mean ${meant}?`;
  throw new UsageError(`Unknown agent "${name}". ${advice}`);
}

async function assertAccess(
  client: Client,
  { name }: CodingAgent,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.call(listModels, {}, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    throw new CommandError(
      `The server requires an API token. Create one with \`hearth token create --name ${name}\`, and pass it with --token or HEARTH_TOKEN.`,
      { cause: error },
    );
  }
}

/** Context lengths of a model, in tokens. */
interface ContextLength {
  /** The smallest of its loaded instances, since any of them may answer; else the one that a load would choose. */
  readonly now: number;
  readonly largest: number;
}

/** Undefined for a model of another server, since only that server knows it. */
async function findContextLength(
  client: Client,
  model: string,
  signal: AbortSignal,
): Promise<ContextLength | undefined> {
  try {
    const found = await client.call(getModel, { params: { model } }, signal);
    if (found.format === null) return undefined;
    const lengths = found.loaded_instances.map(({ config }) => config.context_length);
    if (lengths.length > 0) {
      return { now: Math.min(...lengths), largest: found.max_context_length };
    }
    const { load_config: config } = await client.call(estimateModel, { body: { model } }, signal);
    return { now: config.context_length, largest: found.max_context_length };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function shortContext(model: string, { now, largest }: ContextLength): string {
  const advice =
    largest < enoughTokens
      ? 'Choose a model with a longer context.'
      : `Load it with \`hearth load ${model} --context-length ${Math.min(largest, 32_768)}\`.`;
  return `The context of ${model} is ${formatCount(now)} tokens, and agents send more than 10,000 with each request. ${advice}`;
}

/** Lines that set variables and start a program, for PowerShell on Windows and for POSIX shells elsewhere. */
export function shellCommands(
  environment: Readonly<Record<string, string>>,
  command: readonly string[],
  platform: NodeJS.Platform,
): readonly string[] {
  const variables = Object.entries(environment);
  if (platform === 'win32') {
    return [
      ...variables.map(([name, value]) => `$env:${name} = ${quoteForPowerShell(value)}`),
      ['&', ...command.map(quoteForPowerShell)].join(' '),
    ];
  }
  return [
    ...variables.map(([name, value]) => `export ${name}=${formatCommand([value])}`),
    formatCommand(command),
  ];
}

function quoteForPowerShell(word: string): string {
  return `'${word.replaceAll("'", "''")}'`;
}

/**
 * Runs a program in this terminal until it exits. An abort of the signal stops it.
 *
 * @returns its exit code; 128 and the number of the signal that ended it.
 * @throws CommandError if it is not installed or cannot be started.
 */
export function runProgramInTerminal(
  [program, ...programArguments]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string | undefined>>,
  installHint: string,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, { stdio: 'inherit', env: { ...environment } });
    // Ctrl-C in a terminal reaches the program, too, and the program decides what it means.
    const stop = () => void (child.pid !== undefined && child.kill('SIGTERM'));
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', stop);
      const reason =
        error.code === 'ENOENT'
          ? `${program} is not installed, or not in PATH. To install it: ${installHint}`
          : `${program} could not be started: ${error.message}`;
      reject(new CommandError(reason, { cause: error }));
    });
    child.once('exit', (code, endedBy) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 128 + constants.signals[endedBy ?? 'SIGTERM']);
    });
  });
}
