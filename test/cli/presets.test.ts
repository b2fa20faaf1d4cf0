import { expect, it } from 'vitest';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { get } from '../setup/server/api.ts';
import { useHearth } from '../setup/server/use-hearth.ts';

const hearth = useHearth();

const run = (commandLine: readonly string[], stdin?: string) =>
  runHearth(commandLine, { home: hearth.home, ...(stdin === undefined ? {} : { stdin }) });
const presets = (...commandLine: string[]) => run(['presets', ...commandLine]);

it('sets, lists, shows, exports, deletes and imports presets', async () => {
  expect((await presets('ls')).stdout).toBe('');
  const set = await presets('set', 'poet', '--system', 'You rhyme.', '--temperature', '0.9');
  expect(set.stdout).toBe('poet: system_prompt "You rhyme.", temperature 0.9\n');
  const changed = await presets('set', 'poet', '--top-k', '5', '--json');
  expect(JSON.parse(changed.stdout)).toMatchObject({ temperature: 0.9, top_k: 5, revision: 2 });
  expect((await presets('list')).stdout).toMatch(/NAME +VALUES\npoet +system_prompt "You rhyme/);
  expect((await presets('show', 'poet')).stdout).toContain('system_prompt: You rhyme.\n');
  const exported = await presets('export');
  expect(JSON.parse(exported.stdout)).toEqual({
    presets: [{ name: 'poet', system_prompt: 'You rhyme.', temperature: 0.9, top_k: 5 }],
  });
  expect((await presets('delete', 'poet')).stdout).toBe('Deleted poet\n');
  const imported = await run(['presets', 'import', '-'], exported.stdout);
  expect(imported.stdout).toBe('Imported poet\n');
  const { body } = await get(hearth.url, '/api/v1/presets/poet');
  expect(body).toMatchObject({ system_prompt: 'You rhyme.', top_k: 5 });
});

it('explains what is wrong', async () => {
  expect((await presets('set', 'poet')).stderr).toContain('Nothing to set');
  expect((await presets('show', 'gone')).stderr).toContain('There is no preset "gone"');
  const imported = await run(['presets', 'import', '-'], '{"presets":[{"temperature":1}]}');
  expect(imported.stderr).toContain('has no presets');
});

it('chats with a preset, whose values the options replace', async () => {
  await presets('set', 'short', '--model', 'hearth/starter-chat', '--max-tokens', '2');
  const chat = async (...more: string[]) => {
    const { stdout } = await run(['chat', '--preset', 'short', '-p', 'Hello!', '--json', ...more]);
    return JSON.parse(stdout).stats.total_output_tokens;
  };
  expect(await chat()).toBe(2);
  expect(await chat('--max-tokens', '3')).toBe(3);
  const unknown = await run(['chat', '--preset', 'gone', '-p', 'Hello!']);
  expect(unknown.stderr).toMatch(/There is no preset "gone"\. There are .*"short"/);
});
