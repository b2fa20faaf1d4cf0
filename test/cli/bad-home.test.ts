import { chmod, mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findUnexpected } from '../setup/cli/bad-input.ts';
import { runCommand } from '../setup/cli/run-command.ts';
import { runHearth } from '../setup/cli/run-hearth.ts';
import { useSmallDisk } from '../setup/small-disk.ts';
import { makeFolder, removeFolder, temporaryFolder } from '../setup/temporary-folder.ts';

const withoutHome = ['script', 'config path', 'completion', 'version'];
const service = {
  'service install': /without --user|systemd/,
  'service logs': /`hearth service install`/,
  'service restart': /`hearth service install`/,
};
const disk = useSmallDisk(1024 * 1024);

/** Runs work without root's rights, since permissions do not restrict root. */
async function asOrdinaryUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.geteuid?.() !== 0) return work();
  const nobody = 65_534;
  process.seteuid?.(nobody);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

it('every command names a full disk, or needs no room on it', async () => {
  const home = join(disk.path, 'home');
  await mkdir(home, { recursive: true });
  const folder = await temporaryFolder();
  await disk.fill();
  const unexpected = await findUnexpected({
    home,
    folder,
    // The unit tests run the server.
    without: ['serve', 'server start', 'open'],
    unaffected: [
      ...withoutHome,
      'server stop',
      'server status',
      'service uninstall',
      'service status',
      'runtime ls',
      'mcp ls',
      'config ls',
      'config get',
      'alias ls',
      'doctor',
    ],
    remedy: /is not running for the home folder .*`hearth server start`/,
    remedies: {
      ...service,
      ...Object.fromEntries(
        ['mcp add', 'mcp rm', 'config set', 'config unset', 'alias set'].map((name) => [
          name,
          /No space left on the disk.*Free some space/,
        ]),
      ),
      ...Object.fromEntries(
        ['token create', 'token ls', 'token edit', 'token rm', 'token adopt']
          .concat(['session ls', 'session rm'])
          .concat(['store migrate', 'store check', 'store copy'])
          .concat(['store prune', 'store vacuum', 'store backup'])
          .map((name) => [name, /hearth\.db can't be used: the disk is full.*Free some space/]),
      ),
      import: /no space for it\. Free some/,
      'store restore': /There is no file/,
      'runtime install': /Three ways out/,
      'runtime use': /`hearth runtime ls`/,
      'runtime rm': /`hearth runtime ls`/,
      'mcp test': /`hearth mcp add`/,
      'alias rm': /`hearth alias ls`/,
      update: /--feed/,
    },
  });
  expect(unexpected).toEqual([]);
});

it.skipIf(process.platform === 'win32')(
  'every command names a home folder that the user may not read',
  async () => {
    const folder = await makeFolder();
    const home = join(folder, 'home');
    await chmod(folder, 0o755);
    await mkdir(home, { mode: 0 });
    try {
      const unexpected = await asOrdinaryUser(() =>
        findUnexpected({
          home,
          folder,
          without: ['serve'],
          unaffected: [...withoutHome, 'service uninstall', 'doctor'],
          remedy: /Permission denied: .*Run the command as the owner, or .* with --home/,
          remedies: {
            'service logs': service['service logs'],
            'service restart': service['service restart'],
            'store restore': /There is no file/,
            'mcp add': /can't be opened.*Run the command as the owner/,
            'mcp rm': /can't be opened.*Run the command as the owner/,
            update: /--feed/,
          },
        }),
      );
      expect(unexpected).toEqual([]);
    } finally {
      await chmod(home, 0o700);
      await removeFolder(folder);
    }
  },
);

it.skipIf(process.platform === 'win32')(
  'hearth serve names a home folder that the user may not write',
  async () => {
    const folder = await makeFolder();
    const home = join(folder, 'home');
    await chmod(folder, 0o755);
    await mkdir(home, { mode: 0o555 });
    try {
      const outcome = await asOrdinaryUser(() => runCommand(['--home', home, 'serve']));
      expect(outcome.exitCode).toBe(1);
      expect(outcome.stderr).toBe(
        `error: Permission denied: ${home}/server.lock. Run the command as the owner, or choose another home folder with --home.\n`,
      );
    } finally {
      await chmod(home, 0o700);
      await removeFolder(folder);
    }
  },
);

it('hearth server start names the program that uses its port, and how to use another one', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const outcome = await runHearth(['server', 'start', '--port', String(port)], {
    home: await temporaryFolder(),
  });
  other.close();
  expect(outcome.exitCode).toBe(1);
  expect(outcome.stderr).toMatch(
    /another program uses it\. .*choose another port \(`server\.port`/,
  );
});
