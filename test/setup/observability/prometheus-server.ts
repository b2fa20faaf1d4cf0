import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../net/ports.ts';
import { get } from '../server/api.ts';

interface PrometheusOptions {
  readonly folder: string;
  /** Address of the server to scrape, `host:port`. */
  readonly target: string;
  readonly token: string;
  readonly rulesFile: string;
}

/** A series in the result of an instant query. */
export interface QueryResult {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** Starts a Prometheus server that scrapes another server each second. */
export async function startPrometheus({ folder, target, token, rulesFile }: PrometheusOptions) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await mkdir(folder, { recursive: true });
  const config = {
    global: { scrape_interval: '1s' },
    rule_files: [rulesFile],
    scrape_configs: [
      {
        job_name: 'hearth',
        authorization: { credentials: token },
        static_configs: [{ targets: [target] }],
      },
    ],
  };
  // JSON is valid YAML.
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  const query = async (expression: string): Promise<readonly QueryResult[]> => {
    const { body } = await get(url, `/api/v1/query?query=${encodeURIComponent(expression)}`);
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
    return body.data.result as readonly QueryResult[];
  };
  const ready = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(ready, { timeout: 20_000, interval: 50 }).toBe(true);
  return {
    url,
    query,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}
