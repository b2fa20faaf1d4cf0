import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loopbackEndpoint } from '../../../src/engines/launch/endpoint.ts';
import { projectFolder } from '../project-folder.ts';
import { makeFolder, removeFolder } from '../temporary-folder.ts';

interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

type Replacement = readonly [from: string, to: string];

/** Starts nginx with `deploy/cluster/nginx.conf` in front of servers. */
export function startNginx(urls: readonly string[]): Promise<Nginx> {
  const servers = urls.map((url) => `server ${new URL(url).host};`).join(' ');
  return startWith([
    ['$servers hearth:1234', '$servers test'],
    ['resolver ', `upstream test { ${servers} }\n  resolver `],
  ]);
}

/** Starts nginx with `deploy/cluster/nginx.conf`, and a DNS server that knows the addresses of `hearth`. */
export function startNginxWithDns(ports: {
  readonly dns: number;
  readonly servers: number;
}): Promise<Nginx> {
  return startWith([
    ['resolver 127.0.0.11', `resolver 127.0.0.1:${ports.dns}`],
    ['hearth:1234', `hearth:${ports.servers}`],
  ]);
}

/** Starts nginx in front of a server, with the configuration in `docs/remote-access.md`, without the certificate. */
export async function startNginxOfPage(url: string): Promise<Nginx> {
  const page = await readFile(join(projectFolder, 'docs/remote-access.md'), 'utf8');
  const server = /```nginx\n(server \{[^]*?)```/.exec(page)?.[1] ?? '';
  const text = `worker_processes auto; worker_rlimit_nofile 65536;
events { worker_connections 16384; } http { access_log off; ${server} }`;
  return start(text, [
    ['listen 443 ssl', 'listen 8080'],
    ['127.0.0.1:1234', new URL(url).host],
    ...(server.match(/ssl_certificate.*;/g) ?? []).map((line) => [line, ''] as const),
  ]);
}

async function startWith(own: readonly Replacement[]): Promise<Nginx> {
  return start(await readFile(join(projectFolder, 'deploy/cluster/nginx.conf'), 'utf8'), own);
}

async function start(configuration: string, own: readonly Replacement[]): Promise<Nginx> {
  const folder = await makeFolder();
  const { port } = await loopbackEndpoint();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const replacements: readonly Replacement[] = [
    ...own,
    ['listen 8080', `listen 127.0.0.1:${port}`],
    ['worker_processes auto', 'worker_processes 1'],
    ['worker_rlimit_nofile 65536;', ''],
    ['worker_connections 16384', 'worker_connections 1024'],
    ['access_log off;', `access_log off; ${temporary.join(' ')}`],
  ];
  let text = `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;\n${configuration}`;
  for (const [from, to] of replacements) text = text.replace(from, to);
  const file = join(folder, 'nginx.conf');
  await writeFile(file, text);
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: 'inherit' });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await isUp(url))) await delay(20);
  return {
    url,
    close: async () => {
      child.kill('SIGTERM');
      await exited;
      await removeFolder(folder);
    },
  };
}

function isUp(url: string): Promise<boolean> {
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
}
