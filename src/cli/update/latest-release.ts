import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../kernel/parse-json.ts';
import { readText, sendApiRequest } from '../../platform/net/api-client-transport.ts';
import { CommandError } from '../failure.ts';

/** A release of Hearth. */
export interface Release {
  readonly version: string;
  /** Command or page to install it. */
  readonly remedy: string;
}

const semanticVersion = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}(?:-[\w.-]{1,50})?$/);
const feedSchema = z.object({ version: semanticVersion, url: z.url({ protocol: /^https?$/ }) });
const packageSchema = z.object({
  name: z.literal('hearth'),
  version: semanticVersion,
  description: z.string(),
  bin: z.object({ hearth: z.string() }),
});
const timeoutMs = 15_000;
const maxAnswerBytes = 1024 * 1024;

/**
 * Reads a release feed.
 *
 * @throws CommandError if it can't be read; the signal's reason when aborted.
 */
export async function readFeed(feed: string, signal: AbortSignal): Promise<Release> {
  const text = await download(feed, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unknownRelease(`${new URL(feed).host}: ${describe(error)}`, error);
  });
  const parsed = z.string().transform(parseJson).pipe(feedSchema).safeParse(text);
  if (!parsed.success) {
    throw unknownRelease(`${new URL(feed).host} does not answer with a version and a URL`);
  }
  const { version, url } = parsed.data;
  return { version, remedy: `Download it from ${url}` };
}

async function download(feed: string, signal: AbortSignal): Promise<string> {
  const answer = await sendApiRequest({
    method: 'GET',
    url: new URL(feed),
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  if (answer.status !== 200) throw new Error(`HTTP status ${answer.status}`);
  const text = await readText(answer, maxAnswerBytes);
  if (text === undefined) throw new Error('the answer is too large');
  return text;
}

/** Runs npm and returns its standard output. */
export type RunNpm = (options: {
  readonly commandLine: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}) => Promise<string>;

/**
 * Asks the registry that the user's npm is configured for.
 *
 * @param description Description of this package: a package of the same name with another description is another
 * program.
 * @throws CommandError if npm or the registry can't be asked; the signal's reason when aborted.
 */
export async function askNpm(
  {
    description,
    environment,
  }: {
    readonly description: string;
    readonly environment: Readonly<Record<string, string | undefined>>;
  },
  signal: AbortSignal,
  run: RunNpm = runNpm,
): Promise<Release> {
  const commandLine = ['view', 'hearth', 'name', 'version', 'description', 'bin', '--json'];
  const output = await run({ commandLine, environment, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unknownRelease(describe(error), error);
  });
  const { data } = z.string().transform(parseJson).pipe(packageSchema).safeParse(output);
  if (data === undefined || data.description !== description) {
    throw unknownRelease('the registry of npm has no such package, or another one of that name');
  }
  return {
    version: data.version,
    remedy: `Install it with \`npm install -g hearth@${data.version}\``,
  };
}

function runNpm({ commandLine, environment, signal }: Parameters<RunNpm>[0]): Promise<string> {
  // On Windows, the command `npm` is a shell script, so npm's JavaScript is run directly.
  const script = join(dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js');
  const [command, ...leading] = existsSync(script) ? [process.execPath, script] : ['npm'];
  return new Promise((resolve, reject) => {
    execFile(
      command ?? 'npm',
      [...leading, ...commandLine],
      {
        env: { ...environment, npm_config_update_notifier: 'false' },
        timeout: timeoutMs,
        maxBuffer: maxAnswerBytes,
        signal,
        windowsHide: true,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(npmFailure(error, stderr), { cause: error }));
      },
    );
  });
}

/** The reason in one line, from npm's output. */
function npmFailure(error: Error & { readonly code?: unknown }, stderr: string): string {
  if (error.code === 'ENOENT') return 'npm is not installed';
  const code = /^npm (?:error|ERR!) code (\w+)/m.exec(stderr)?.[1];
  if (code === 'E404') return 'the registry of npm has no such package';
  return code === undefined ? 'npm could not reach its registry' : `npm failed with ${code}`;
}

function unknownRelease(reason: string, cause?: unknown): CommandError {
  return new CommandError(
    `The latest version is not known: ${reason}. Check the network and the proxy, or name a release feed with --feed.`,
    { cause },
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Compares two semantic versions (semver.org, precedence); positive if the left one is newer. */
export function compareVersions(left: string, right: string): number {
  const [one, other] = [parse(left), parse(right)];
  for (let index = 0; index < 3; index += 1) {
    const difference = (one.numbers[index] ?? 0) - (other.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release is older than its release.
  if (one.suffix === '' || other.suffix === '') {
    return Number(one.suffix === '') - Number(other.suffix === '');
  }
  return comparePreReleases(one.suffix.split('.'), other.suffix.split('.'));
}

function comparePreReleases(left: readonly string[], right: readonly string[]): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber && isOtherNumber) return Number(one) - Number(other);
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return left.length - right.length;
}

function parse(version: string) {
  const [numbers = '', ...suffix] = version.split('+')[0]?.split('-') ?? [];
  return { numbers: numbers.split('.').map(Number), suffix: suffix.join('-') };
}
