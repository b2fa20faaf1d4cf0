import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';
import { temporaryFolder } from '../../../test/setup/temporary-folder.ts';
import { codingAgents } from '../launch/coding-agents.ts';
import { shellCommands } from './launch.ts';

const model = {
  type: 'llm',
  publisher: 'acme',
  key: 'acme/coder',
  display_name: 'coder',
  quantization: null,
  size_bytes: 1,
  params_string: null,
  loaded_instances: [{ id: 'acme/coder', config: { context_length: 32_768 } }],
  max_context_length: 131_072,
  format: 'gguf',
};

const memory = {
  weights_bytes: 1,
  kv_cache_bytes: 1,
  compute_bytes: 1,
  projector_bytes: 0,
  process_bytes: 1,
  total_bytes: 4,
  fits: 'fits',
};
const estimate = {
  model: 'acme/coder@q8_0',
  load_config: { context_length: 8192, parallel: 4 },
  ...memory,
  usable_bytes: 8,
  capacity_bytes: 8,
};

let server: Awaited<ReturnType<typeof startLoopbackServer>> | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function launch(
  commandLine: readonly string[],
  options: { found?: object; token?: string; environment?: Record<string, string> } = {},
) {
  const { found = model, token } = options;
  const answers: Readonly<Record<string, object>> = {
    '/api/v1/models': { models: [found] },
    '/api/v1/models/estimate': estimate,
  };
  server = await startLoopbackServer(({ path, headers }, response) => {
    if (token !== undefined && headers['authorization'] !== `Bearer ${token}`) {
      const error = { type: 'invalid_request', code: 'unauthorized', message: 'No token.' };
      sendJson(response, { error }, 401);
    } else sendJson(response, answers[path] ?? found);
  });
  const url = server.url;
  const outcome = await runCommand(['launch', '--host', url, ...commandLine], {
    environment: options.environment ?? {},
  });
  return { ...outcome, stdout: outcome.stdout.replaceAll(url, 'URL') };
}

describe('hearth launch', () => {
  it('lists the agents', async () => {
    const { stdout } = await launch([]);
    for (const { name, title } of codingAgents) {
      expect(stdout).toMatch(new RegExp(`^${name} +${title} `, 'm'));
    }
  });

  it('prints what to type, with the loaded model', async () => {
    expect(await launch(['claude'])).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: [
        'export ANTHROPIC_BASE_URL=URL',
        'export ANTHROPIC_AUTH_TOKEN=any',
        'export ANTHROPIC_MODEL=acme/coder',
        'export ANTHROPIC_DEFAULT_HAIKU_MODEL=acme/coder',
        'export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1',
        'claude',
        '',
      ].join('\n'),
    });
  });

  it('passes the token and further arguments', async () => {
    const commandLine = ['codex', '--token', 'secret', '--json', '--', 'exec', "it's"];
    const { stdout } = await launch(commandLine, { token: 'secret' });
    const { environment, command } = JSON.parse(stdout);
    expect(environment).toEqual({ HEARTH_TOKEN: 'secret' });
    expect(command.at(0)).toBe('codex');
    expect(command.slice(-4)).toEqual(['-m', 'acme/coder', 'exec', "it's"]);
  });

  it('says how to get a token', async () => {
    const { exitCode, stderr } = await launch(['codex'], { token: 'secret' });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('hearth token create --name codex');
  });

  it('warns of a short context, and does not tell the agent', async () => {
    const found = { ...model, loaded_instances: [] };
    const { exitCode, stderr } = await launch(['aider'], { found });
    expect(exitCode).toBe(0);
    expect(stderr).toContain('is 8,192 tokens');
    expect(stderr).toContain('hearth load hearth/starter-chat --context-length 32768');
    const { stdout } = await launch(['codex'], { found });
    expect(stdout).not.toContain('model_context_window');
  });

  it('tells agents the context, so that they shorten a conversation in time', async () => {
    const { environment } = JSON.parse((await launch(['opencode', '--json'])).stdout);
    const { provider } = JSON.parse(environment['OPENCODE_CONFIG_CONTENT']);
    expect(provider.hearth.models).toEqual({
      'acme/coder': { limit: { context: 32_768, output: 8192 } },
    });
    const { command } = JSON.parse((await launch(['codex', '--json'])).stdout);
    expect(command).toContain('model_context_window=32768');
  });

  it('tells the smallest loaded context, and none of a model of another server', async () => {
    const lengths = [65_536, 32_768];
    const instances = lengths.map((length, index) => ({
      id: `acme/coder:${index}`,
      config: { context_length: length },
    }));
    const commandOf = async (found: object): Promise<readonly string[]> =>
      JSON.parse((await launch(['codex', '--json'], { found })).stdout).command;
    const loaded = await commandOf({ ...model, loaded_instances: instances });
    expect(loaded).toContain('model_context_window=32768');
    const remote = await commandOf({ ...model, format: null });
    expect(remote.join(' ')).not.toContain('model_context_window');
  });

  it('suggests the agent that was meant', async () => {
    const { exitCode, stderr } = await launch(['codx']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'error: Unknown agent "codx". Did you mean codex?\n',
    });
  });

  // covers cli-20
  it('starts the agent and ends as it ends', async () => {
    const folder = await temporaryFolder();
    const program = join(folder, 'claude');
    await writeFile(program, `#!/bin/sh\necho "$ANTHROPIC_MODEL $1" > '${folder}/seen'\nexit 7\n`);
    await chmod(program, 0o755);
    const environment = { PATH: [folder, process.env['PATH']].join(delimiter) };
    const { exitCode, stderr } = await launch(['claude', '--run', '--', 'now'], { environment });
    expect(stderr).toBe('');
    expect(exitCode).toBe(7);
    expect(await readFile(join(folder, 'seen'), 'utf8')).toBe('acme/coder now\n');
    const missing = await launch(['goose', '--run'], { environment: { PATH: folder } });
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain('goose is not installed');
  });
});

describe('the commands of a shell', () => {
  it('quote what the shell would interpret', () => {
    const environment = { A: "it's $HOME" };
    expect(shellCommands(environment, ['run', '$x'], 'linux')).toEqual([
      String.raw`export A='it'\''s $HOME'`,
      "run '$x'",
    ]);
    expect(shellCommands(environment, ['run', '$x'], 'win32')).toEqual([
      "$env:A = 'it''s $HOME'",
      "& 'run' '$x'",
    ]);
  });
});
