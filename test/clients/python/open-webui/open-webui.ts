import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { freePort } from '../../../setup/net/ports.ts';
import { environmentFolder } from '../../environment-folder.ts';

const startWithinMs = 240_000;

export interface OpenWebUi {
  /**
   * Sends JSON or a form like Open WebUI's page; with a body, the request is a POST.
   *
   * @throws Error with the response if it is an error.
   */
  call(path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Starts Open WebUI's backend on a free port of loopback, for one user.
 *
 * @param folder Folder for its data.
 * @param settings Its environment variables.
 */
export async function startOpenWebUi(
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<OpenWebUi> {
  const program = join(environmentFolder('python/open-webui/'), 'bin/open-webui');
  const port = await freePort();
  const data = join(folder, 'data');
  await mkdir(data);
  const environment = {
    DATA_DIR: data,
    HOME: folder,
    OFFLINE_MODE: 'true',
    WEBUI_AUTH: 'False',
    WEBUI_SECRET_KEY: 'secret',
    ...settings,
  };
  const child = spawn(program, ['serve', '--host', '127.0.0.1', '--port', String(port)], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = join(folder, 'log');
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const exited = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
    file.end();
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    // The first start takes long, since it creates a database in several hundred steps.
    await vi.waitUntil(async () => child.exitCode !== null || (await isHealthy(url)), {
      timeout: startWithinMs,
      interval: 200,
    });
  } catch {
    await close();
  }
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`open-webui does not start:\n${await readFile(log, 'utf8')}`);
  }
  const { token } = (await ask(`${url}/api/v1/auths/signin`, { email: '', password: '' })) as {
    readonly token: string;
  };
  return { call: (path, body) => ask(url + path, body, token), close };
}

async function isHealthy(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function ask(url: string, body?: unknown, token?: string): Promise<unknown> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(!isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return response.headers.get('content-type')?.startsWith('application/json') === true
    ? JSON.parse(text)
    : text;
}
