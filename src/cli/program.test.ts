import { afterEach, describe, expect, it } from 'vitest';
import { sendJson, startLoopbackServer } from '../../test/setup/net/loopback-server.ts';
import { runCommand } from '../../test/setup/cli/run-command.ts';
import { version } from '../kernel/version.ts';
import { Interruption } from './failure.ts';

type Answer = Parameters<typeof startLoopbackServer>[0];
let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Runs a command against a server that answers every request with the same response. */
async function runAgainst(value: unknown, commandLine: readonly string[], status = 200) {
  const answer: Answer = (_, response) => sendJson(response, value, status);
  server = await startLoopbackServer(answer);
  return runCommand([...commandLine, '--host', server.url]);
}

describe('help and version', () => {
  it('prints the version', async () => {
    const { exitCode, stdout } = await runCommand(['version']);
    expect(exitCode).toBe(0);
    // `test/cli/details.test.ts` checks the details, which need a build.
    expect(stdout.replace(/ \(.*\)\n$/, '\n')).toBe(`hearth ${version}\n`);
    const json = await runCommand(['version', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ version, node: process.version });
    for (const flag of ['-v', '-V', '--version']) {
      expect(await runCommand([flag])).toMatchObject({ exitCode: 0, stdout: `${version}\n` });
    }
  });

  it.each([[['--help']], [['help']], [['chat', '--help']], [['help', 'server', 'start']]])(
    'prints the help of %j on the output',
    async (commandLine) => {
      const { exitCode, stdout, stderr } = await runCommand(commandLine);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: hearth /);
    },
  );

  it('shows the options and an example of a command', async () => {
    const { stdout } = await runCommand(['load', '--help']);
    expect(stdout).toContain('--context-length <tokens>');
    expect(stdout).toContain('--home <dir>');
    expect(stdout).toContain('$ hearth load hearth/starter-chat');
  });
});

describe('an invalid command line', () => {
  it.each([
    [[], /^Usage/],
    [['server'], /^Usage/],
    [['lod'], /unknown command 'lod'/],
    [['cp', 'a', 'b'], /`hearth alias set NAME MODEL`/],
    [['create', 'a'], /`hearth import FILE`/],
    [['push', 'a'], /does not publish models/],
    [['load'], /missing required argument 'model'/],
    [['load', 'a', 'b'], /too many arguments/],
    [['ls', '--jsn'], /unknown option '--jsn'/],
    [['load', 'a', '--ttl', '0'], /'--ttl <seconds>' argument '0' is invalid.*1 to 31536000/],
    [['chat', '--reasoning', 'deep'], /Allowed: off, low, medium, high, on/],
    [['unload'], /an instance id or --all/],
    [['ls', '--host', 'ftp://a'], /"ftp:\/\/a" is not a URL/],
    [['token', 'create'], /--name/],
    [['token', 'create', '--name', 'a', '--permissions', 'chat,root'], /Allowed: chat, /],
    [['chat'], /No message/],
    [['pul'], /Did you mean pull\?/],
    [['stop'], /`hearth unload INSTANCE`.*`hearth server stop`/],
    [['find', 'llama'], /`hearth search WORDS`/],
    [['nonsense'], /unknown command 'nonsense'\nSee `hearth --help`\./],
    [['load'], /See `hearth load --help`\./],
    [['server', 'sart'], /Did you mean (one of )?start/],
    [['server', 'nonsense'], /See `hearth server --help`\./],
    [['serve', '--port', 'abc'], /^error: --server-port: "abc" is not allowed/],
    [['serve', '-p', 'abc'], /^error: --server-port: "abc" is not allowed/],
    [['server', 'start', '-p', 'abc'], /^error: --server-port: "abc" is not allowed/],
  ])('%j ends with exit code 2', async (commandLine, message) => {
    const environment = { HEARTH_HOME: '/nowhere' };
    const { exitCode, stdout, stderr } = await runCommand(commandLine, { environment });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('names of similar programs', () => {
  it.each([
    [['pull', '--help'], /^Usage: hearth get\|pull /],
    [['run', '--help'], /^Usage: hearth chat\|run /],
    [['list', '--help'], /^Usage: hearth ls\|list /],
    [['remove', '--help'], /^Usage: hearth rm\|remove /],
    [['mcp', 'list', '--help'], /^Usage: hearth mcp ls\|list /],
  ])('%j is an alias', async (commandLine, usage) => {
    expect((await runCommand(commandLine)).stdout).toMatch(usage);
  });

  it('does not list aliases in the help', async () => {
    const { stdout } = await runCommand(['--help']);
    expect(stdout).toMatch(/^ {2}get +Download/m);
    expect(stdout).not.toContain('pull');
  });
});

describe('commands against a server', () => {
  it('maps the options of load to the request', async () => {
    const result = {
      type: 'llm',
      instance_id: 'a/b',
      load_time_seconds: 0.25,
      status: 'loaded',
      load_config: { context_length: 2048 },
      // Also makes this a valid status of the server, which the command reads next.
      instances: [],
    };
    const { exitCode, stdout, stderr } = await runAgainst(
      result,
      'load a/b --context-length 2048 --parallel 2 --ttl 60 --flash-attention off --offload-kv-cache-to-gpu on'.split(
        ' ',
      ),
    );
    const load = server?.requests.find(({ method }) => method === 'POST');
    expect(JSON.parse(load?.body ?? '')).toEqual({
      model: 'a/b',
      context_length: 2048,
      parallel: 2,
      ttl: 60,
      flash_attention: false,
      offload_kv_cache_to_gpu: true,
      echo_load_config: true,
    });
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 0,
      stdout: 'Loaded a/b in 250 ms, context 2,048 x 1 (cache for one whole context)\n',
      stderr: 'Loading a/b ...\n',
    });
  });

  it('lists models as a table or as JSON, sorted', async () => {
    const model = {
      type: 'llm',
      publisher: 'me',
      display_name: 'B',
      architecture: 'llama',
      quantization: { name: 'Q8_0', bits_per_weight: 8.5 },
      size_bytes: 3_134_464,
      params_string: '3M',
      loaded_instances: [{ id: 'me/b', config: { context_length: 4096 } }],
      max_context_length: 4096,
      format: 'gguf',
    };
    const models = [
      { ...model, key: 'me/b', capabilities: { vision: true, trained_for_tool_use: false } },
      { ...model, key: 'me/a', type: 'embedding', quantization: null, loaded_instances: [] },
    ];
    const table = await runAgainst({ models, adapters: [] }, ['ls']);
    expect(table.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['MODEL', 'TYPE', 'ARCHITECTURE', 'QUANT', 'SIZE', 'CONTEXT', 'LOADED'],
      ['me/a', 'embedding', 'llama', '-', '3.1 MB', '4,096', '-'],
      ['me/b', 'vlm', 'llama', 'Q8_0', '3.1 MB', '4,096', 'me/b'],
      [''],
    ]);
    await server?.close();
    const json = await runAgainst({ models, adapters: [] }, ['ls', '--json']);
    const { models: listed } = JSON.parse(json.stdout) as { models: { key: string }[] };
    expect(listed.map(({ key }) => key)).toEqual(['me/a', 'me/b']);
  });

  it('prints the message of an error and ends with exit code 1', async () => {
    const error = { type: 'model_not_found', message: 'No model "a\u001b[2J".' };
    const { exitCode, stdout, stderr } = await runAgainst({ error }, ['load', 'a'], 404);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe('Loading a ...\nerror: No model "a[2J".\n');
  });

  it('ends with exit code 130 when interrupted', async () => {
    const stopping = new AbortController();
    server = await startLoopbackServer(() => stopping.abort(new Interruption('SIGINT')));
    const outcome = await runCommand(['ps', '--host', server.url], { signal: stopping.signal });
    expect(outcome).toEqual({ exitCode: 130, stdout: '', stderr: '' });
  });

  it('prefers --token to HEARTH_TOKEN', async () => {
    server = await startLoopbackServer((_, response) => sendJson(response, { instances: [] }));
    const environment = { HEARTH_TOKEN: 'from-environment' };
    await runCommand(['ps', '--host', server.url], { environment });
    await runCommand(['ps', '--host', server.url, '--token', 'given'], { environment });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer from-environment',
      'Bearer given',
    ]);
  });
});
