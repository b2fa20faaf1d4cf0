import { readFile } from 'node:fs/promises';
import { resolvePath } from '../settings/resolve-path.ts';
import { SettingsError } from '../settings/settings-error.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Upstream } from '../engines/backends/remote/upstream.ts';
import { openUpstreams, type Upstreams } from '../engines/backends/remote/upstreams.ts';
import { createSpeechServer, type SpeechServer } from '../engines/backends/remote/speech-server.ts';
import type { ModelLibrary } from '../library/model.ts';
import { errorCode } from '../kernel/error-code.ts';
import type { Logger } from '../kernel/logger.ts';
import { readUserHome } from '../platform/files/user-home.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface UpstreamServices {
  /** Home folder of the server, for relative paths. */
  readonly home: string;
  readonly environment: Environment;
  readonly logger: Logger;
  readonly cleanups: (() => unknown)[];
}

/**
 * Opens the remote servers of the settings with their keys, and the server for speech. Sends nothing yet.
 *
 * @throws SettingsError for a key that can't be read, or several servers for speech.
 */
export async function createUpstreams(
  settings: Settings,
  services: UpstreamServices,
): Promise<{ readonly upstreams: Upstreams; readonly speech: SpeechServer | undefined }> {
  const { environment, logger, cleanups } = services;
  const models: Upstream[] = [];
  let speech: SpeechServer | undefined;
  for (const [name, setting] of Object.entries(settings.upstreams)) {
    const upstream = await readUpstream(name, setting, services);
    if (setting.speech === undefined) {
      models.push(upstream);
      continue;
    }
    if (speech !== undefined) {
      throw new SettingsError(
        `upstreams.${name}: another server has "speech". Remove one of them.`,
      );
    }
    speech = createSpeechServer({ upstream, model: setting.speech, environment });
    cleanups.push(speech.close);
  }
  const upstreams = openUpstreams({ upstreams: models, environment, logger });
  cleanups.push(() => upstreams.close());
  return { upstreams, speech };
}

async function readUpstream(
  name: string,
  setting: Settings['upstreams'][string],
  { home, environment }: UpstreamServices,
): Promise<Upstream> {
  const { url, kind, keyEnv, keyFile, sessionHeader, maxConcurrent, timeoutSeconds, models } =
    setting;
  return {
    name,
    kind,
    urls: [url].flat().map((each) => each.replace(/\/+$/u, '')),
    apiKey: await readKey(
      name,
      { keyEnv, keyFile: keyFile && resolvePath(keyFile, { home, userHome: readUserHome() }) },
      environment,
    ),
    sessionHeader,
    maxConcurrent,
    timeoutMs: timeoutSeconds * 1000,
    models,
  };
}

async function readKey(
  upstream: string,
  {
    keyEnv,
    keyFile,
  }: { readonly keyEnv?: string | undefined; readonly keyFile?: string | undefined },
  environment: Environment,
): Promise<string | undefined> {
  const setting = `upstreams.${upstream}`;
  if (keyEnv !== undefined && keyFile !== undefined) {
    throw new SettingsError(`${setting} has both keyEnv and keyFile. Remove one of them.`);
  }
  if (keyEnv !== undefined) {
    const key = environment[keyEnv]?.trim() ?? '';
    if (key === '') throw new SettingsError(`${setting}.keyEnv: ${keyEnv} is not set.`);
    return key;
  }
  if (keyFile === undefined) return undefined;
  try {
    const key = (await readFile(keyFile, 'utf8')).trim();
    if (key === '') throw new SettingsError(`${setting}.keyFile: ${keyFile} is empty.`);
    return key;
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(
      `${setting}.keyFile: ${keyFile} can't be read (${errorCode(error) ?? 'unknown'}).`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Checks that no publisher has the name of an upstream, since both are the first half of a model's key.
 *
 * @throws SettingsError if a name is used for both.
 */
export async function assertDistinctNames(
  { names }: Pick<Upstreams, 'names'>,
  library: Pick<ModelLibrary, 'list'>,
): Promise<void> {
  if (names.length === 0) return;
  const local = (await library.list()).filter(({ format }) => format !== 'remote');
  const taken = names.find((name) =>
    local.some(({ publisher }) => publisher.toLowerCase() === name),
  );
  if (taken === undefined) return;
  throw new SettingsError(
    `upstreams.${taken}: the library has models of the publisher "${taken}". Give the remote server another name.`,
  );
}
