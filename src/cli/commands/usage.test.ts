import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../test/setup/cli/run-command.ts';
import { sendJson, startLoopbackServer } from '../../../test/setup/net/loopback-server.ts';

const counts = (requests: number) => ({
  requests,
  failed_requests: 0,
  prompt_tokens: requests * 1000,
  cached_prompt_tokens: 10,
  completion_tokens: 20,
});
const days = { from: '2026-11-01', to: '2026-11-30' };

async function run(args: readonly string[], rows: readonly object[]) {
  const answer = { ...days, totals: counts(7), rows };
  const server = await startLoopbackServer((_, response) => sendJson(response, answer));
  const result = await runCommand(['usage', ...args, '--host', server.url]);
  return { ...result, answer, path: server.requests.at(-1)?.path ?? '' };
}

describe('hearth usage', () => {
  it('shows what each token used of each model, and the total', async () => {
    const { stdout, path } = await run(
      ['--by', 'token,model', '--days', '1'],
      [
        { token_id: 'a1', token_name: 'laptop', model: 'hearth/one', ...counts(4) },
        { token_id: 'b2', token_name: null, model: 'hearth/one', ...counts(2) },
        { token_id: null, token_name: null, model: 'hearth/two', ...counts(1) },
      ],
    );
    const today = new Date().toISOString().slice(0, 10);
    expect(path).toBe(`/api/v1/usage?from=${today}&group_by=model%2Ctoken`);
    const lines = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines.slice(0, 5)).toEqual([
      ['MODEL', 'TOKEN', 'REQUESTS', 'FAILED', 'PROMPT', 'CACHED', 'COMPLETION'],
      ['hearth/one', 'laptop', '4', '0', '4,000', '10', '20'],
      ['hearth/one', 'b2', '2', '0', '2,000', '10', '20'],
      ['hearth/two', 'no token', '1', '0', '1,000', '10', '20'],
      ['total', '7', '0', '7,000', '10', '20'],
    ]);
  });

  it('prints the answer as JSON, and says if there is nothing to show', async () => {
    const { stdout, answer } = await run(['--json'], [{ day: '2026-11-02', ...counts(1) }]);
    expect(JSON.parse(stdout)).toEqual(answer);
    const none = await run([], []);
    expect(none.stdout).toBe('');
    expect(none.stderr).toMatch(/^No model was used since \d{4}-\d\d-\d\d\.$/m);
  });

  it.each([
    ['--by', 'owner'],
    ['--days', '0'],
  ])('refuses %s %s', async (option, value) => {
    const { exitCode, stderr } = await run([option, value], []);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Allowed:');
  });
});
