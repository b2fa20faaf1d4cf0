import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { linkRuntimes } from '../engine/link-runtimes.ts';
import { hearthEntryPoint, hearthEnvironment } from '../server/hearth-process.ts';

/**
 * Runs the command in a pseudo terminal that is connected to this program's input and output; exits with the command's
 * exit code.
 */
const pythonPty = `
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

export interface TerminalSession {
  /** Types keys: `\r` is Enter, `\u0003` Ctrl-C, `\u0004` Ctrl-D. */
  type(keys: string): void;
  /**
   * Waits until the output since the last call matches, and consumes it.
   *
   * @throws Error with the output if the command ends or takes too long.
   */
  expect(pattern: RegExp): Promise<string>;
  /** @returns The exit code. */
  exit(): Promise<number | null>;
  close(): void;
}

const waitMs = 20_000;

/**
 * Runs a command of the built tool in a pseudo terminal, without colors.
 *
 * @param columns Width of the terminal; 80 by default.
 */
export function openTerminalSession(
  commandLine: readonly string[],
  home: string,
  columns = 80,
): TerminalSession {
  linkRuntimes(home);
  const child = spawn(
    'python3',
    [
      '-c',
      pythonPty,
      'sh',
      '-c',
      `stty cols ${columns} && exec "$@"`,
      'sh',
      process.execPath,
      hearthEntryPoint,
      '--home',
      home,
      ...commandLine,
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: hearthEnvironment({ NO_COLOR: '1', TERM: 'xterm' }),
    },
  );
  const closed = once(child, 'close');
  // Readline and the terminal each add a carriage return to a line break.
  const plain = (text: string): string => stripVTControlCharacters(text).replace(/\r+\n/g, '\n');
  let unread = '';
  let onOutput = (): void => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    unread += text;
    onOutput();
  });
  child.stdin.on('error', () => {});

  return {
    type: (keys) => child.stdin.write(keys),
    expect: (pattern) =>
      new Promise((resolve, reject) => {
        const finish = (settle: () => void): void => {
          clearTimeout(limit);
          onOutput = () => {};
          settle();
        };
        const fail = (reason: string): void =>
          finish(() =>
            reject(new Error(`${reason} before ${pattern}; seen: ${JSON.stringify(unread)}`)),
          );
        const limit = setTimeout(() => fail('time ran out'), waitMs);
        onOutput = () => {
          const seen = plain(unread);
          const match = pattern.exec(seen);
          if (match === null) return;
          const end = match.index + match[0].length;
          unread = seen.slice(end);
          finish(() => resolve(seen.slice(0, end)));
        };
        void closed.then(() => fail('it ended'));
        onOutput();
      }),
    async exit() {
      await closed;
      return child.exitCode;
    },
    close: () => child.kill('SIGKILL'),
  };
}
