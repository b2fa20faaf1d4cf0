import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { starterPath } from '../setup/engine/test-engines.ts';
import { useHearth, openHearth } from '../setup/server/use-hearth.ts';

const server = useHearth();

const hearth = (...commandLine: string[]) => runHearth(commandLine, { home: server.home });

describe('models on the command line', () => {
  // covers cli-3
  it('lists, loads, shows and unloads', async () => {
    const list = await hearth('ls');
    expect(list.stdout).toMatch(/^hearth\/starter-chat +llm +llama +Q8_0 +3\.\d MB +4,096 +-$/m);

    const load = await hearth('load', 'hearth/starter-chat', '--context-length', '1024', '--json');
    expect(JSON.parse(load.stdout)).toMatchObject({
      instance_id: 'hearth/starter-chat',
      status: 'loaded',
      load_config: { context_length: 1024 },
    });
    const again = await hearth('load', 'starter-chat', '--context-length', '1024');
    expect(again).toEqual({
      exitCode: 0,
      stdout:
        'hearth/starter-chat is already loaded as hearth/starter-chat, context 1,024 x 2 (cache for 2 whole contexts, shared by 4 requests; number of contexts chosen by free memory)\n',
      stderr: 'To load another instance, add --another.\n',
    });
    const another = await hearth('load', 'starter-chat', '--another', '--json');
    expect(JSON.parse(another.stdout)).toMatchObject({ instance_id: 'hearth/starter-chat:2' });
    const drafting = ['--another', '--identifier', 'drafts', '--speculation', 'auto'];
    expect((await hearth('load', 'starter-chat', ...drafting)).stdout).toMatch(
      /^Loaded drafts in .*, speculation (?:off|ngram) \(measured\)\n$/,
    );
    await hearth('unload', 'drafts');
    const other = await hearth('load', 'starter-chat', '--context-length', '2048', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ instance_id: 'hearth/starter-chat:3' });
    for (const number of [2, 3]) await hearth('unload', `hearth/starter-chat:${number}`);
    const instances = await hearth('ps');
    expect(instances.stdout).toMatch(/^hearth\/starter-chat +hearth\/starter-chat +ready +1,024/m);

    const unload = await hearth('unload', 'hearth/starter-chat');
    expect(unload).toMatchObject({ exitCode: 0, stdout: 'Unloaded hearth/starter-chat\n' });
    const none = await hearth('ps');
    expect(none).toMatchObject({ exitCode: 0, stdout: '', stderr: 'No models are loaded.\n' });
  });

  it('estimates the memory of a load without loading', async () => {
    const estimateOnly = ['load', 'hearth/starter-chat', '--parallel', '2', '--estimate-only'];
    const { stdout } = await hearth(...estimateOnly);
    expect(stdout).toMatch(
      /^Context +4,096 x 2 \(cache for 2 whole contexts, [\d.]+ MB; chosen by free memory\)$/m,
    );
    expect(stdout).toMatch(/^Total +\d+(\.\d)? MB$/m);
    const { estimate, ...rest } = JSON.parse((await hearth(...estimateOnly, '--json')).stdout);
    expect(rest).toMatchObject({ type: 'llm', status: 'estimated', load_config: { parallel: 2 } });
    const { total_bytes: total, usable_bytes: usable, fits, ...parts } = estimate;
    expect(Object.values<number>(parts).reduce((sum, bytes) => sum + bytes)).toBe(total);
    expect({ fits, isEnough: usable > total }).toEqual({ fits: true, isEnough: true });
    expect((await hearth('ps')).stdout).toBe('');
  });

  it('unloads all', async () => {
    await hearth('load', 'hearth/starter-chat');
    await hearth('load', 'hearth/starter-embed');
    const { stdout } = await hearth('unload', '--all', '--json');
    const { unloaded } = JSON.parse(stdout) as { unloaded: string[] };
    expect(unloaded.toSorted()).toEqual(['hearth/starter-chat', 'hearth/starter-embed']);
  });

  // covers cli-3
  it('imports a file and finds it', async () => {
    const file = join(server.home, 'my-model-q8_0.gguf');
    await copyFile(starterPath('chat'), file);
    const imported = await hearth('import', file, '--publisher', 'me', '--json');
    expect(imported.exitCode).toBe(0);
    const { key } = JSON.parse(imported.stdout) as { key: string };
    expect(key).toMatch(/^me\//);
    const answer = await hearth('chat', key, '-p', 'What is the capital of France?');
    expect(answer).toMatchObject({ exitCode: 0, stdout: 'The capital of France is Paris.\n' });
    const again = await hearth('import', file, '--publisher', 'me');
    expect(again.exitCode).toBe(1);
    expect(again.stderr).toMatch(/^error: /m);
  });

  // covers cli-19
  it.each([
    [['load', 'no/such'], /^error: .*no\/such/m],
    [['unload', 'no/such'], /^error: .*no\/such/m],
    [['import', 'no-such.gguf'], /^error: .*no-such\.gguf/m],
    [['runtime', 'rm', 'no-such'], /^error: No runtime no-such/m],
    [['token', 'rm', 'no-such'], /^error: No token/m],
  ])('%j fails with a message', async (commandLine, message) => {
    const { exitCode, stdout, stderr } = await hearth(...commandLine);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('    at ');
  });

  // covers cli-13
  it('lists the runtime', async () => {
    const { stdout } = await hearth('runtime', 'ls', '--json');
    const { runtimes } = JSON.parse(stdout) as { runtimes: { name: string }[] };
    expect(runtimes[0]).toMatchObject({ supported_formats: ['gguf'] });
    expect(runtimes[0]?.name).toMatch(/^llama\.cpp-/);
  });
});

describe('tokens on the command line', () => {
  // covers auth-3, cli-9
  it('creates a token that grants access, and revokes it', async () => {
    const created = await hearth('token', 'create', '--name', 'test', '--json');
    const { id, token } = JSON.parse(created.stdout) as { id: string; token: string };
    const listed = await hearth('token', 'ls', '--json');
    expect(listed.stdout).toContain(id);
    expect(listed.stdout).not.toMatch(/hash|secret/i);

    const locked = await openHearth({ flags: ['--auth-required'] });
    const own = await runHearth(['token', 'create', '--name', 'x', '--json'], {
      home: locked.home,
    });
    const { token: valid, id: validId } = JSON.parse(own.stdout) as { token: string; id: string };
    const list = (value: string) =>
      runHearth(['ls', '--json'], { home: locked.home, environment: { HEARTH_TOKEN: value } });
    expect((await list(valid)).exitCode).toBe(0);
    expect((await list(token)).exitCode).toBe(1);
    expect((await list('')).exitCode).toBe(0);
    const status = await runHearth(['server', 'status'], { home: locked.home });
    expect(status.exitCode).toBe(0);
    await runHearth(['token', 'rm', validId], { home: locked.home });
    expect((await list(valid)).exitCode).toBe(1);
  });
});
