import { readHomeId } from '../../platform/home/home-id.ts';
import { findServer } from '../background/start-in-background.ts';
import { probeServer } from '../client/probe-server.ts';
import { version } from '../../kernel/version.ts';
import { ok, problem, warning, type DoctorContext, type Finding } from './check.ts';
import { skipped } from './check-models.ts';

/** Checks that the server of the home folder runs, or else that its port is free. */
export async function checkServer(context: DoctorContext): Promise<readonly Finding[]> {
  const { home, settings, signal } = context;
  if (settings === null) return [skipped];
  const record = await findServer(home);
  if (record !== undefined) {
    const { kind } = await probeServer(record.url, signal);
    if (kind !== 'hearth') {
      return [
        problem(
          `The server (pid ${record.pid}) does not answer at ${record.url}.`,
          'See logs/server.log in the home folder, then restart the server: `hearth server stop`, `hearth server start`.',
        ),
      ];
    }
    if (record.version === version) return [ok(`Running at ${record.url}.`)];
    return [
      warning(
        `The server at ${record.url} is Hearth ${record.version}, this command is ${version}.`,
        'Restart the server.',
      ),
    ];
  }
  const port = settings['server.port'];
  if (port === 0) return [ok('Not running; it will use any free port.')];
  const url = `http://127.0.0.1:${port}`;
  const found = await probeServer(url, signal);
  if (found.kind === 'unreachable') return [ok(`Not running; port ${port} is free.`)];
  if (found.kind === 'hearth' && found.homeId === (await readHomeId(home))) {
    return [ok(`Running at ${url}.`)];
  }
  const who = found.kind === 'hearth' ? 'Hearth with another home folder' : 'another program';
  return [
    problem(
      `Port ${port} is used by ${who}.`,
      'Stop that program, or choose another port (server.port, or --port).',
    ),
  ];
}
