import { describe, expect, it } from 'vitest';
import { runProgram, type ProgramResult } from './run-program.ts';

async function node(script: string, timeoutMs = 30_000): Promise<ProgramResult> {
  return runProgram(process.execPath, ['-e', script], { environment: {}, timeoutMs });
}

describe('runProgram', () => {
  it('returns the exit code and both outputs', async () => {
    const script = 'process.stdout.write("a"); process.stderr.write("b"); process.exitCode = 3';
    const { exitCode, output } = await node(script);
    expect(exitCode).toBe(3);
    expect(output.split('').toSorted()).toStrictEqual(['a', 'b']);
  });

  it('keeps the tail of long output', async () => {
    const { output } = await node('process.stdout.write("x".repeat(200000) + "end")');
    expect(output).toHaveLength(65_536);
    expect(output.endsWith('xend')).toBe(true);
  });

  it('stops a program that takes too long', async () => {
    expect(await node('setInterval(() => {}, 1000)', 200)).toStrictEqual({
      exitCode: null,
      output: '',
    });
  });

  it('stops a program whose signal aborts, and waits until it has exited', async () => {
    const controller = new AbortController();
    const reason = new Error('gone');
    const options = { environment: {}, timeoutMs: 30_000, signal: controller.signal };
    const running = runProgram(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    await expect(runProgram(process.execPath, [], options)).rejects.toBe(reason);
  });

  it('names a program that cannot be started', async () => {
    const options = { environment: {}, timeoutMs: 1000 };
    await expect(runProgram('/nowhere/llama-server', [], options)).rejects.toThrow(
      "llama-server can't be started (ENOENT)",
    );
  });
});
